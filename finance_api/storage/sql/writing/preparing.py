"""Makes everything that is stored of a row, without a database."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.sql.data_tables import DATA_TABLES, RevisionOf
from finance_api.storage.sql.writing.projection import ProjectedRecord, projected
from finance_api.values import Row


@dataclass
class PreparedRows:
    """Rows of one resource. ids: their ids. records: how records are listed."""

    ids: list[str]
    records: list[ProjectedRecord]
    _values: list[list[Any]]
    _has_json: bool

    def values(self, revision_of: RevisionOf) -> list[list[Any]]:
        """Return the values of all columns of the table, with the rows' revisions."""
        if self._has_json:
            for row_id, values in zip(self.ids, self._values, strict=True):
                values[-1] = revision_of(row_id, values[-2])
        return self._values


def prepare(user_id: int, resource: Resource, rows: Iterable[Row]) -> PreparedRows:
    table, ids, records, values = DATA_TABLES[resource.name], [], [], []
    for row in rows:
        ids.append(row["id"])
        values.append(table.values(user_id, row, _no_revision))
        if resource is RECORDS:
            records.append(projected(row, _no_revision))
    return PreparedRows(ids, records, values, table.json is not None)


def _no_revision(row_id: str, json: str) -> int:
    return 0
