"""Makes everything that is stored of a row, without a database."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.writing.projection import ListedRecord, listed
from finance_api.values import Row

#: A function of a row's id and JSON that returns the revision that last changed this JSON.
RevisionOf = Callable[[str, str], int]


@dataclass
class PreparedRows:
    """Rows of one resource. ids: their ids. records: how records are listed."""

    ids: list[str]
    records: list[ListedRecord]
    _values: list[list[Any]]
    _json: list[str]
    _has_revision: bool

    def values(self, revision_of: RevisionOf) -> list[list[Any]]:
        """Return the values of all columns of the table, with the rows' revisions."""
        if self._has_revision:
            for row_id, json, values in zip(self.ids, self._json, self._values, strict=True):
                values[-1] = revision_of(row_id, json)
        return self._values


def prepare(user_id: int, resource: Resource, rows: Iterable[Row]) -> PreparedRows:
    table, ids, records, values, texts = DATA_TABLES[resource.name], [], [], [], []
    for row in rows:
        json = table.encode(row)
        ids.append(row["id"])
        values.append(table.values(user_id, row, json))
        texts.append(json)
        if resource is RECORDS:
            records.append(listed(row, json))
    return PreparedRows(ids, records, values, texts, table.revision is not None)
