"""The layout of the table in the text: its delimiter, and the row of its headings."""

import io
from dataclasses import dataclass
from itertools import islice

from finance_api.importers.csv.columns import Wanted, find_columns
from finance_api.importers.csv.options import CsvOptions, delimiter_of
from finance_api.importers.csv.table import MAX_CELL, Table
from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused

CANDIDATES = (",", ";", "\t", "|")

#: Within so many lines a later heading row is looked for, to name it in a message.
_SEARCHED_LINES = 40


@dataclass(frozen=True)
class Layout:
    """A table and the columns of its fields."""

    table: Table
    columns: dict[str, int]


def find_layout(text: str, options: CsvOptions) -> Layout:
    """The layout that the options name or the file alone decides; ImportRefused."""
    if options.skip_rows < 0:
        raise ImportRefused(f"--skip-rows {options.skip_rows} is less than 0")
    wanted = Wanted.of(options)
    delimiter = delimiter_of(options)
    try:
        if delimiter is not None:
            return _layout(text, delimiter, options, wanted)
        possible = _possible(text, options, wanted)
    except ImportRefused as refused:
        hint = _later_headings(text, options, wanted, delimiter) if options.header else ""
        if not hint:
            raise
        raise ImportRefused(f"{refused.reason}; {hint}", refused.line) from None
    return possible[0] if len(possible) == 1 else _consistent(possible)


def _layout(text: str, delimiter: str, options: CsvOptions, wanted: Wanted) -> Layout:
    table = Table(text, delimiter, options.skip_rows, options.header)
    columns = find_columns(wanted, table.headings, table.width, table.first_line)
    return Layout(table, columns)


def _possible(text: str, options: CsvOptions, wanted: Wanted) -> list[Layout]:
    """The layouts, one at least, in which every field has its column."""
    possible: list[Layout] = []
    # The refusal to pass on if no delimiter fits: of the one that divides the headings most.
    refusal: ImportRefused | None = None
    widest = 1
    for delimiter in CANDIDATES:
        width = 0
        try:
            width = Table(text, delimiter, options.skip_rows, options.header).width
            if width > 1:
                possible.append(_layout(text, delimiter, options, wanted))
        except ImportRefused as refused:
            if width > widest or refusal is None:
                refusal, widest = refused, max(width, widest)
    if possible:
        return possible
    if refusal is not None:
        raise refusal
    raise ImportRefused(
        "neither , nor ; nor tab nor | divides the first row into columns; name the delimiter "
        "with --delimiter, or how many rows come before the headings with --skip-rows"
    )


def _consistent(possible: list[Layout]) -> Layout:
    """The only layout under which every row has its cells."""
    consistent: list[Layout] = []
    faults: list[str] = []
    for layout in possible:
        try:
            for _ in layout.table.rows():
                pass
            consistent.append(layout)
        except ImportRefused as refused:
            delimiter = quoted(layout.table.delimiter)
            faults.append(f"with {delimiter} line {refused.line} does not fit")
    if len(consistent) == 1:
        return consistent[0]
    if not consistent:
        raise ImportRefused(
            f"no delimiter divides all rows alike ({'; '.join(faults)}): name it with --delimiter"
        )
    fitting = " and ".join(quoted(layout.table.delimiter) for layout in consistent)
    raise ImportRefused(f"{fitting} both divide the rows evenly: name one with --delimiter")


def _later_headings(text: str, options: CsvOptions, wanted: Wanted, delimiter: str | None) -> str:
    """The option that begins at a later row, if one there has all the headings."""
    lines = islice(io.StringIO(text, newline=""), options.skip_rows + _SEARCHED_LINES)
    for number, line in enumerate(lines):
        if number <= options.skip_rows or len(line) > MAX_CELL:
            continue
        for candidate in CANDIDATES if delimiter is None else (delimiter,):
            try:
                layout = _layout(line, candidate, CsvOptions(), wanted)
            except ImportRefused:
                continue
            # Columns that go by their number are in any row that is long enough.
            heading = (layout.table.headings or [])[layout.columns["recordDate"]]
            if not any(character.isdigit() for character in heading):
                return f"line {number + 1} has all the headings: --skip-rows {number}"
    return ""
