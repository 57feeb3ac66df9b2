"""Writes a user's data."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState, DataWriter
from finance_api.storage.sql.bulk import insert_rows, replacing, rows_with
from finance_api.storage.sql.connections.unit import WriteConnection
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.reading import SqlDataReader
from finance_api.storage.sql.tables import STATE_COLUMNS, data_states, tombstones, user_data
from finance_api.storage.sql.writing.preparing import PreparedRows, RevisionOf, prepare
from finance_api.values import Row

#: The number of rows to rebuild at once.
_REBUILT_ROWS = 1_000


class SqlDataWriter(SqlDataReader, DataWriter):
    connection: WriteConnection
    #: The revision for the rows that `rebuild` writes.
    _rebuilt: int | None = None

    def finish(self) -> None:
        """Bring derived data up to date. Called once, after all writes and before the commit."""

    def rebuild(self, user_id: int) -> None:
        """Write all rows of a user again, with everything that is derived from them.

        Every row gets the present revision, whose tag is new: rows that clients have read may look
        different now.
        """
        for table in (data_states, tombstones):
            self.connection.execute(sa.delete(table).where(table.c.user_id == user_id))
        state = self.get_state(user_id)
        self._rebuilt = state.revision
        for resource in RESOURCES:
            ids = self._ids_to_rebuild(user_id, resource)
            for first in range(0, len(ids), _REBUILT_ROWS):
                rows = self.get_rows(user_id, resource, ids[first : first + _REBUILT_ROWS])
                self.put_rows(user_id, resource, new=(), changed=[*rows.values()])
        self._rebuilt = None
        self.finish()
        self.set_state(user_id, DataState(state.revision, state.changed_at))

    def _ids_to_rebuild(self, user_id: int, resource: Resource) -> list[str]:
        """Return the ids of all rows; those of records newest first, as they are listed."""
        data = DATA_TABLES[resource.name]
        order = data.columns["recordDate"].desc() if resource is RECORDS else data.columns["id"]
        found = sa.select(data.columns["id"]).where(data.user_id == user_id).order_by(order)
        return list(self.connection.execute(found).scalars())

    def lock(self, user_id: int) -> DataState:
        # PostgreSQL locks this row, but still lets others add rows that refer to it, such as an
        # upload. On SQLite a writer locks the whole database.
        own = user_data.c.user_id == user_id
        row = self.connection.execute(
            sa.select(*STATE_COLUMNS).where(own).with_for_update(key_share=True)
        ).first()
        if row is None:
            raise NotFound("there is no such user")
        return DataState(*tuple(row))

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        self.put_prepared(
            user_id,
            resource,
            new=prepare(user_id, resource, new),
            changed=prepare(user_id, resource, changed),
        )

    def put_prepared(
        self, user_id: int, resource: Resource, *, new: PreparedRows, changed: PreparedRows
    ) -> None:
        table, connection = DATA_TABLES[resource.name].table, self.connection.sqlalchemy
        ids = changed.ids
        revision_of = self.revision_of(user_id, resource, ids)
        try:
            if ids:
                # Inserting many rows is faster than updating them one by one.
                replaced = rows_with(connection, table, user_id, ids)
                connection.execute(sa.delete(table).where(replaced))
            rows = [*new.values(revision_of), *changed.values(revision_of)]
            insert_rows(connection, table, rows)
        except IntegrityError as error:
            raise Conflict(f"two {resource.name} have the same id or source") from error
        if new.ids:
            # Rows that exist again no longer count as deleted.
            name = resource.name
            again = rows_with(connection, tombstones, user_id, new.ids, "row_id", resource=name)
            connection.execute(sa.delete(tombstones).where(again))

    def revision_of(self, user_id: int, resource: Resource, ids: Sequence[str]) -> RevisionOf:
        """Return a function that gives a written row's revision. ids: the rows to replace."""
        if (rebuilt := self._rebuilt) is not None:
            return lambda row_id, json: rebuilt
        revision, data = self.get_state(user_id).revision + 1, DATA_TABLES[resource.name]
        before: dict[tuple[str, str], int] = {}
        if ids and data.revision is not None:
            connection = self.connection.sqlalchemy
            which = rows_with(connection, data.table, user_id, ids)
            stored = sa.select(data.revision, *data.persisted).where(which)
            found = connection.execute(stored).all()
            rows = data.load_persisted(row[1:] for row in found)
            before = {
                (row["id"], data.encode(row)): revision
                for (revision, *_), row in zip(found, rows, strict=True)
            }
        return lambda row_id, json: before.get((row_id, json), revision)

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        table, connection = DATA_TABLES[resource.name].table, self.connection.sqlalchemy
        which = rows_with(connection, table, user_id, list(ids))
        found = list(connection.scalars(sa.delete(table).where(which).returning(table.c.id)))
        if not found:
            return
        revision = self.get_state(user_id).revision + 1
        gone = [(user_id, resource.name, row_id, revision) for row_id in found]
        insert_rows(connection, tombstones, gone)

    def set_state(self, user_id: int, state: DataState) -> None:
        values = asdict(state)
        own = user_data.c.user_id == user_id
        self.connection.execute(sa.update(user_data).where(own).values(values))
        put = replacing(data_states, self.connection.database)
        self.connection.execute(put, {"user_id": user_id, **values})

    def forget_states(self, user_id: int, before: int) -> None:
        own = data_states.c.user_id == user_id
        newest = sa.select(sa.func.max(data_states.c.revision)).where(
            own, data_states.c.changed_at < before
        )
        first = self.connection.execute(newest).scalar()
        if first is None:
            return
        self.connection.execute(sa.delete(data_states).where(own, data_states.c.revision < first))
        gone = (tombstones.c.user_id == user_id) & (tombstones.c.revision <= first)
        self.connection.execute(sa.delete(tombstones).where(gone))
