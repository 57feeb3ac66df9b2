"""Writing data: every statement here is bound to the user."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.sql.bulk import insert_rows
from finance_api.storage.sql.tables import DATA_TABLES, users
from finance_api.values import Row


class DataWriting:
    connection: Connection

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
                        {**table.values(user_id, row), "of_user": user_id, "of_id": row["id"]}
                        for row in changed
                    ],
                )
        except IntegrityError as error:
            raise Conflict(f"two of the {resource.name} have the same id or source") from error

    def set_data_state(self, user_id: int, state: DataState) -> None:
        self.connection.execute(
            update(users)
            .where(users.c.id == user_id)
            .values(data_revision=state.revision, data_changed_at=state.changed_at)
        )
