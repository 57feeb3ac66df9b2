"""Writing data: every statement here is bound to the user."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.sql.bulk import insert_rows
from finance_api.storage.sql.projection.postgresql import PostgresqlRecordsByDate
from finance_api.storage.sql.projection.sqlite import SqliteRecordsByDate
from finance_api.storage.sql.projection.writing import RecordsByDate
from finance_api.storage.sql.tables import DATA_TABLES, users
from finance_api.values import Row

_RECORDS_BY_DATE: dict[str, type[RecordsByDate]] = {
    "sqlite": SqliteRecordsByDate,
    "postgresql": PostgresqlRecordsByDate,
}


class DataWriting:
    connection: Connection
    _listed_by_user: dict[int, RecordsByDate]

    def lock_data(self, user_id: int) -> DataState:
        # PostgreSQL locks the user's row, though not against rows that refer to it, such as a new
        # token; on SQLite a writer has the whole database.
        row = self.connection.execute(
            select(users.c.data_revision, users.c.data_changed_at)
            .where(users.c.id == user_id)
            .with_for_update(key_share=True)
        ).first()
        if row is None:
            raise NotFound("there is no such user")
        return DataState(*row)

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        table = DATA_TABLES[resource.name]
        listed = self.listed(user_id) if resource is RECORDS else None
        taken_out = set() if listed is None else listed.take_out([row["id"] for row in changed])
        try:
            if new:
                insert_rows(self.connection, table.table, [table.values(user_id, r) for r in new])
            if changed:
                self.connection.execute(
                    update(table.table)
                    .where(
                        table.user_id == bindparam("of_user"),
                        table.columns["id"] == bindparam("of_id"),
                    )
                    .values({c.name: bindparam(c.name) for c in table.changing}),
                    [
                        {**table.changes(user_id, row), "of_user": user_id, "of_id": row["id"]}
                        for row in changed
                    ],
                )
            if listed is not None:
                listed.put_in([*new, *changed], taken_out)
        except IntegrityError as error:
            raise Conflict(f"two of the {resource.name} have the same id or source") from error

    def rebuild_anchors(self) -> None:
        """To be called when all that is written is written."""
        for listed in self._listed_by_user.values():
            listed.rebuild_anchors()

    def listed(self, user_id: int) -> RecordsByDate:
        """What keeps the list of the user's records."""
        listed = self._listed_by_user.get(user_id)
        if listed is None:
            kind = _RECORDS_BY_DATE[self.connection.dialect.name]
            listed = self._listed_by_user[user_id] = kind(self.connection, user_id)
        return listed

    def set_data_state(self, user_id: int, state: DataState) -> None:
        self.connection.execute(
            update(users)
            .where(users.c.id == user_id)
            .values(data_revision=state.revision, data_changed_at=state.changed_at)
        )
