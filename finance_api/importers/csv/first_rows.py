"""The first rows of a table, to show them beside a question."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.sniff import tables
from finance_api.importers.csv.table import Table, filled
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import ImportRefused
from finance_api.values.text import shown

#: How many columns are shown, how many values of each column, and how many rows are searched for
#: these values.
_MOST_COLUMNS, _MOST_VALUES, _SEARCHED_ROWS = 100, 3, 50
_MOST_ROWS = 5
_LONGEST_TEXT = 60
#: The role of a column that is read but is not a field: it selects rows, or a profile needs it.
OTHER_ROLE = "other"


@dataclass(frozen=True)
class TableSample:
    """Columns and rows to show to the user.

    columns: each column's name for options, heading, first values and role ("" for no role).
    rows: the first rows. by_line: requested line -> its row.
    """

    columns: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    by_line: dict[int, list[str]] = field(default_factory=dict)


def sample_of(
    text: TextFile, given: Mapping, plan: Plan | None, lines: Collection[int] = ()
) -> TableSample:
    """Return a sample of a text's table. plan: None if the table's columns are unknown.

    given: the user's options. lines: lines of rows to include.
    """
    table = _widest_table(text, given) if plan is None else plan.table
    if table is None:
        return TableSample()
    first, by_line = _rows(table, lines)
    if table.first_line in lines and table.headings:
        by_line.pop(table.first_line, None)
    headings = table.names
    roles = {} if plan is None else _roles(plan)
    columns = []
    for index in range(min(table.width, _MOST_COLUMNS)):
        values = [cell for cells in first if (cell := _cut("".join(cells[index : index + 1])))]
        columns.append(
            {
                "name": headings.named(index),
                "heading": _cut(headings.text(index)),
                "values": list(dict.fromkeys(values))[:_MOST_VALUES],
                "role": roles.get(index, ""),
            }
        )
    return TableSample(
        columns,
        [_shortened(cells) for cells in first[:_MOST_ROWS]],
        {line: _shortened(cells) for line, cells in by_line.items()},
    )


def _widest_table(text: TextFile, given: Mapping) -> Table | None:
    """Return the table that a text most likely has if its columns are unknown: the widest."""
    with suppress(ImportRefused):
        given = given.checked()
        below = replace(text, skip_rows=given.skip_rows)
        return max(tables(below, given), key=lambda table: filled(table.cells), default=None)
    return None


def _roles(plan: Plan) -> dict[int, str]:
    """Return the fields of the columns, and the other columns that are read."""
    used = plan.rows.used if plan.rows else frozenset(plan.inferred.statuses)
    fields = {index: name for name, indexes in plan.columns.items() for index in indexes}
    return dict.fromkeys(used, OTHER_ROLE) | fields


def _rows(table: Table, lines: Collection[int]) -> tuple[list[list[str]], dict[int, list[str]]]:
    """Return the first rows, and the rows at ``lines`` even if they have too few or many cells."""
    by_line: dict[int, list[str]] = {}
    first: list[list[str]] = []

    def note(line: int, cells: list[str]) -> None:
        if line in lines:
            by_line[line] = cells

    with suppress(ImportRefused):
        for line, cells in table.rows(misfit=lambda refused, cells: note(refused.line or 0, cells)):
            if len(first) < _SEARCHED_ROWS:
                first.append(cells)
            note(line, cells)
            if len(first) == _SEARCHED_ROWS and line >= max(lines, default=0):
                break
    return first, by_line


def _shortened(cells: Sequence[str]) -> list[str]:
    return [_cut(cell) for cell in islice(cells, _MOST_COLUMNS)]


def _cut(cell: str) -> str:
    text = shown(" ".join(cell.split()))
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
