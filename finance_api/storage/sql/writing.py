"""Writing data: every statement here is bound to the user."""

import json
from collections.abc import Collection, Sequence

from sqlalchemy import BigInteger, delete, literal, select, true, update
from sqlalchemy.exc import IntegrityError

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState, DataWriter, JsonPage
from finance_api.storage.sql.bulk import insert_rows, rows_with, upsert
from finance_api.storage.sql.clauses import json_elements
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.projection.writing import Projection
from finance_api.storage.sql.reading import SqlDataReader
from finance_api.storage.sql.statements import STATE
from finance_api.storage.sql.tables import DATA_TABLES, tombstones, users
from finance_api.values import Row


class SqlDataWriter(SqlDataReader, DataWriter):
    connection: WriteConnection
    #: Only once everything is written.
    has_kept_sums = False

    def __init__(self, connection: WriteConnection, projection: Projection) -> None:
        super().__init__(connection)
        self._projection = projection

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        self._projection.finish()
        return super().list_json(user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        self._projection.finish()
        return super().get_json(user_id, resource, ids)

    def lock(self, user_id: int) -> DataState:
        # PostgreSQL locks the user's row, though not against rows that refer to it, such as a new
        # token; on SQLite a writer has the whole database.
        row = self.connection.execute(
            select(*STATE).where(users.c.id == user_id).with_for_update(key_share=True)
        ).first()
        if row is None:
            raise NotFound("there is no such user")
        return DataState(*tuple(row))

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        table, connection = DATA_TABLES[resource.name], self.connection.sqlalchemy
        projection = self._projection.of(user_id) if resource is RECORDS else None
        removed = projection.remove([row["id"] for row in changed]) if projection else set()
        try:
            if changed:
                # Many are inserted in less time than they are updated one by one.
                ids = [row["id"] for row in changed]
                replaced = rows_with(connection, table.table, user_id, ids)
                connection.execute(delete(table.table).where(replaced))
            rows = [table.values(user_id, row) for row in (*new, *changed)]
            insert_rows(connection, table.table, rows)
            if projection is not None:
                projection.add([*new, *changed], removed)
        except IntegrityError as error:
            raise Conflict(f"two of the {resource.name} have the same id or source") from error

    def delete_rows(
        self, user_id: int, resource: Resource, ids: Collection[str], *, revision: int, at: int
    ) -> None:
        table, connection = DATA_TABLES[resource.name], self.connection.sqlalchemy
        found = self._existing(user_id, resource, ids)
        if not found:
            return
        if resource is RECORDS:
            projection = self._projection.of(user_id)
            projection.add((), projection.remove(found))
        which = rows_with(connection, table.table, user_id, found)
        connection.execute(delete(table.table).where(which))
        elements = json_elements(connection.dialect.name, literal(json.dumps(found), CodePointText))
        gone = select(
            *(literal(user_id), literal(resource.name), elements.c.value),
            *(literal(revision, BigInteger), literal(at, BigInteger)),
        ).where(true())
        left = upsert(tombstones, connection.dialect.name).from_select(list(tombstones.c), gone)
        newest = {"revision": left.excluded.revision, "at": left.excluded.at}
        connection.execute(
            left.on_conflict_do_update(index_elements=list(tombstones.primary_key), set_=newest)
        )

    def _existing(self, user_id: int, resource: Resource, ids: Collection[str]) -> list[str]:
        table = DATA_TABLES[resource.name].table
        connection = self.connection.sqlalchemy
        which = rows_with(connection, table, user_id, list(ids))
        return list(connection.scalars(select(table.c.id).where(which)))

    def prune_tombstones(self, user_id: int, before: int) -> None:
        which = (tombstones.c.user_id == user_id) & (tombstones.c.at < before)
        self.connection.execute(delete(tombstones).where(which))

    def set_state(self, user_id: int, state: DataState) -> None:
        self.connection.execute(
            update(users)
            .where(users.c.id == user_id)
            .values(
                data_revision=state.revision,
                data_changed_at=state.changed_at,
                data_tag=state.tag,
            )
        )
