"""Where in a text a table may begin: under each delimiter, at each line that may have headings."""

import csv
import dataclasses
from collections.abc import Iterator
from itertools import islice

from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.csv.heading_words import known_headings
from finance_api.importers.csv.layout import Layout
from finance_api.importers.csv.table import (
    MAX_CELL,
    MAX_COLUMNS,
    Table,
    TooWide,
    filled,
    looks_like_headings,
)
from finance_api.importers.interface import Answer, ImportRefused

CANDIDATES = (",", ";", "\t", "|")

#: Within so many lines the heading row is looked for.
_SEARCHED_LINES = 40
#: From so many rows it is inferred what the columns are.
_SAMPLED_ROWS = 200


def first_rows(text: TextFile, layout: Layout) -> Iterator[Table]:
    """The table under each delimiter that divides its first row."""
    delimiters = _delimiters(text, layout)
    for candidate in delimiters:
        table = Table(text, candidate, layout.header, layout.skip_last)
        try:
            wide_enough = table.width > 1 or len(delimiters) == 1
        except TooWide:
            raise
        except ImportRefused as refused:
            if len(delimiters) == 1 or "empty" in refused.reason or "left" in refused.reason:
                raise
            continue
        if wide_enough:
            yield table


def tables(text: TextFile, layout: Layout) -> Iterator[Table]:
    """List the tables that begin at the first row, or at a later line that might have headings.

    A line that repeats another one's headings begins none.
    """
    seen: set[tuple[str, ...]] = set()
    for table in first_rows(text, layout):
        seen.add((table.delimiter, *table.cells))
        yield table
    for number, line in enumerate(list(islice(text.lines(), _SEARCHED_LINES))):
        if number == 0 or len(line) > MAX_CELL:
            continue
        for candidate in _delimiters(text, layout):
            cells = _cells(line, candidate)
            if filled(cells) > 1 and looks_like_headings(cells) and (candidate, *cells) not in seen:
                seen.add((candidate, *cells))
                later = dataclasses.replace(text, skip_rows=text.skip_rows + number)
                yield Table(later, candidate, has_header=True, skip_last=layout.skip_last)


def _delimiters(text: TextFile, layout: Layout) -> tuple[str, ...]:
    """List the delimiters that may divide it."""
    if text.is_sheet:
        return (",",)
    return CANDIDATES if layout.delimiter is None else (layout.delimiter,)


def _cells(line: str, delimiter: str) -> list[str]:
    """Divide a line that may have headings; no cells if it cannot have any."""
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []
    return cells if filled(cells) <= MAX_COLUMNS else []


def headings_of(table: Table) -> Headings:
    return Headings(table.headings, table.width, table.first_line)


def undivided(text: TextFile) -> ImportRefused:
    if not any(line.strip() for line in islice(text.lines(), 1000)):
        return ImportRefused("the file is empty")
    return ImportRefused(
        "the file is no statement that is known, and if it is CSV, neither , nor ; nor tab nor | "
        "divides its first row into columns; name the delimiter with --delimiter, or how many "
        "rows come before the headings with --skip-rows"
    )


def refuse_headings(places: list[Table]) -> None:
    """Headings in the first row of a file that is said to have none."""
    for table in places:
        cells = [cell.strip() for cell in table.cells]
        if looks_like_headings(cells) and known_headings(cells) > 1:
            raise ImportRefused(
                "the first row has headings: leave out --no-header",
                table.first_line,
                answers=(Answer(instead_of=("--no-header",)),),
            )


def refuse_skipped_headings(text: TextFile, places: list[Table]) -> None:
    """Headings among the lines that --skip-rows leaves out."""
    lines = dataclasses.replace(text, skip_rows=0).lines()
    for number, line in enumerate(list(islice(lines, min(text.skip_rows, _SEARCHED_LINES)))):
        for table in places:
            cells = _cells(line, table.delimiter) if len(line) <= MAX_CELL else []
            if len(cells) == table.width and looks_like_headings(cells):
                raise ImportRefused(
                    f"line {number + 1}, which --skip-rows {text.skip_rows} leaves out, has "
                    "headings",
                    answers=(Answer(instead_of=("--skip-rows",)),),
                )


def sample(table: Table) -> list[list[str]]:
    rows = table.rows(misfit=lambda refused, cells: None)
    try:
        return [cells for _, cells in islice(rows, _SAMPLED_ROWS)]
    except ImportRefused:
        return []
