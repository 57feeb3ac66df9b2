"""The beginning of a table as people see it: its columns with their first values, and some rows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from finance_api.importers.csv.columns import Columns
from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.csv.layout import Layout
from finance_api.importers.csv.places import headings_of, tables
from finance_api.importers.csv.table import Row, Table, filled
from finance_api.importers.interface import ImportRefused
from finance_api.values.text import shown

#: How many columns are shown, how many values of each, and how many rows they come from.
_MOST_COLUMNS, _MOST_VALUES, _SEARCHED_ROWS = 100, 3, 50
_MOST_ROWS = 5
_LONGEST_TEXT = 60
#: The role of a column that is read but is not a field: it selects rows, or a profile needs it.
OTHER_ROLE = "other"


@dataclass(frozen=True)
class TableSample:
    """columns: name for options, heading, first values, and the role found for it ("": none).

    rows: the first ones. by_line: rows by the lines that were asked for.
    """

    columns: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    by_line: dict[int, list[str]] = field(default_factory=dict)


def widest_table(text: TextFile, layout: Layout) -> Table | None:
    """Return the table that a text most likely has, although its columns are unknown."""
    try:
        layout = layout.checked()
        text = replace(text, skip_rows=layout.skip_rows)
        return max(tables(text, layout), key=lambda table: filled(table.cells), default=None)
    except ImportRefused:
        return None


def sample_of(table: Table, roles: Columns, lines: Collection[int] = ()) -> TableSample:
    """roles: as in `Plan.columns`. lines: of rows to return."""
    first, by_line = _rows(table, lines)
    if table.first_line in lines and table.headings:
        by_line.pop(table.first_line, None)
    headings = headings_of(table)
    found = {index: role for role, indexes in roles.items() for index in indexes}
    columns = []
    for index in range(min(table.width, _MOST_COLUMNS)):
        values = [text for cells in first if (text := _cut(cells[index : index + 1]))]
        columns.append(
            {
                "name": headings.named(index),
                "heading": _cut([headings.text(index)]),
                "values": list(dict.fromkeys(values))[:_MOST_VALUES],
                "role": found.get(index, ""),
            }
        )
    return TableSample(
        columns,
        [_shortened(cells) for cells in first[:_MOST_ROWS]],
        {line: _shortened(cells) for line, cells in by_line.items()},
    )


def _rows(table: Table, lines: Collection[int]) -> tuple[list[list[str]], dict[int, list[str]]]:
    by_line: dict[int, list[str]] = {}
    first: list[list[str]] = []
    furthest = max(lines, default=0)

    def note(row: Row) -> None:
        line, cells = row
        if line in lines:
            by_line[line] = cells

    def misfit(refused: ImportRefused, cells: list[str]) -> None:
        note((refused.line or 0, cells))

    try:
        for row in table.rows(misfit=misfit):
            if len(first) < _SEARCHED_ROWS:
                first.append(row[1])
            note(row)
            if len(first) == _SEARCHED_ROWS and row[0] >= furthest:
                break
    except ImportRefused:
        pass
    return first, by_line


def _shortened(cells: Sequence[str]) -> list[str]:
    return [_cut([cell]) for cell in islice(cells, _MOST_COLUMNS)]


def _cut(cells: Sequence[str]) -> str:
    """Return the text of at most one cell, shortened."""
    text = shown(" ".join("".join(cells).split()))
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
