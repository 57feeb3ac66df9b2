"""Makes everything that is stored of a row, without a database."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.values import Row

#: A function of a row's id and JSON that returns the revision that last changed this JSON.
RevisionOf = Callable[[str, str], int]


@dataclass
class PreparedRows:
    """Rows of one resource. ids: their ids. json: from `DataTable.encode`.

    dates: of records; 0 of others.
    """

    ids: list[str]
    json: list[str]
    dates: list[int]
    _values: list[list[Any]]
    _has_revision: bool

    def values(self, revision_of: RevisionOf) -> list[list[Any]]:
        """Return the values of all columns of the table, with the rows' revisions."""
        if self._has_revision:
            for row_id, json, values in zip(self.ids, self.json, self._values, strict=True):
                values[-1] = revision_of(row_id, json)
        return self._values


def prepare(user_id: int, resource: Resource, rows: Iterable[Row]) -> PreparedRows:
    table = DATA_TABLES[resource.name]
    found: list[tuple[Any, ...]] = []
    for row in rows:
        json = table.encode(row)
        date = row["recordDate"] if resource is RECORDS else 0
        found.append((date, row["id"], json, table.values(user_id, row, json)))
    if resource is RECORDS:
        # Newest first, as in the indexes by date: SQLite then fills their pages.
        found.sort(key=lambda prepared: (-prepared[0], prepared[1]))
    dates, ids, texts, values = ([each[at] for each in found] for at in range(4))
    return PreparedRows(ids, texts, dates, values, table.revision is not None)
