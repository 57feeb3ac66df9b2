"""Writes a user's data, and changes the read model with it."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, JsonPage
from finance_api.storage.sql.read_model.connection import FastWriteConnection
from finance_api.storage.sql.read_model.projection import ProjectedRecords, listed
from finance_api.storage.sql.read_model.reader import FastDataReader
from finance_api.storage.sql.read_model.tables import READ_MODEL
from finance_api.storage.sql.tables import user_data
from finance_api.storage.sql.writing import SqlDataWriter
from finance_api.storage.sql.writing.preparing import PreparedRows


class FastDataWriter(FastDataReader, SqlDataWriter):
    connection: FastWriteConnection
    #: Stored sums are brought up to date only after all writes.
    has_stored_sums = False

    def __init__(self, connection: FastWriteConnection) -> None:
        super().__init__(connection)
        self._projections: dict[int, ProjectedRecords] = {}

    def _projection(self, user_id: int) -> ProjectedRecords:
        """Return the projection of a user whose records this unit of work changes."""
        if user_id not in self._projections:
            self._projections[user_id] = ProjectedRecords(self.connection.sqlalchemy, user_id)
        return self._projections[user_id]

    def rebuild(self, user_id: int) -> None:
        for table in READ_MODEL:
            self.connection.execute(sa.delete(table).where(table.c.user_id == user_id))
        own = user_data.c.user_id == user_id
        self.connection.execute(sa.update(user_data).where(own).values(record_count=0))
        super().rebuild(user_id)

    def finish(self) -> None:
        for projection in self._projections.values():
            projection.finish()

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        self.finish()
        return super().list_json(user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        self.finish()
        return super().get_json(user_id, resource, ids)

    def put_prepared(
        self, user_id: int, resource: Resource, *, new: PreparedRows, changed: PreparedRows
    ) -> None:
        if resource is not RECORDS:
            super().put_prepared(user_id, resource, new=new, changed=changed)
            return
        projection = self._projection(user_id)
        removed = projection.remove(changed.ids)
        super().put_prepared(user_id, resource, new=new, changed=changed)
        rows = (zip(rows.dates, rows.ids, rows.json, strict=True) for rows in (new, changed))
        projection.add([listed(*row) for some in rows for row in some], removed)

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        super().delete_rows(user_id, resource, ids)
        if resource is RECORDS:
            self._projection(user_id).delete([*ids])
