"""Users."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Select, delete, func, insert, literal_column, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState, User, UserReader, UserWriter
from finance_api.storage.sql.connections.unit import Part, WriteConnection
from finance_api.storage.sql.parameters import USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import STATE_COLUMNS, data_states, users

#: The columns with the fields of `User`, in their order.
USER_COLUMNS = (
    users.c.id,
    users.c.uuid,
    users.c.email,
    users.c.premium,
    users.c.enabled,
    users.c.password_hash,
    users.c.created_at,
    users.c.jwts_revoked_at,
    users.c.time_zone,
    users.c.base_currency,
    *STATE_COLUMNS,
)


def to_user(row: Sequence[Any]) -> User:
    """row: the values of USER_COLUMNS."""
    user_id, uuid, email, premium, enabled, *others, revision, changed_at, tag = row
    state = DataState(revision, changed_at, tag)
    # SQLite has no booleans.
    values = (user_id, uuid, email, bool(premium), bool(enabled), *others, state)
    return User(*values)


def _user_by_email(database: str) -> Select[Any]:
    return select(*USER_COLUMNS).where(users.c.email == text_parameter("email"))


def _user_by_id(database: str) -> Select[Any]:
    return select(*USER_COLUMNS).where(users.c.id == USER)


def _all_users(database: str) -> Select[Any]:
    return select(*USER_COLUMNS).order_by(users.c.email)


def _users_with_past_states(database: str) -> Select[Any]:
    return (
        select(data_states.c.user_id)
        .where(data_states.c.changed_at < number_parameter("before"))
        .group_by(data_states.c.user_id)
        .having(func.count() > literal_column("1"))
    )


class SqlUserReader(Part, UserReader):
    def get(self, email: str) -> User:
        found = self.connection.fetch(_user_by_email, values={"email": email})
        if not found:
            raise NotFound(f"there is no user {email}")
        return to_user(found[0])

    def list_all(self) -> list[User]:
        return [to_user(row) for row in self.connection.fetch(_all_users, values={})]

    def list_with_past_states(self, before: int) -> list[int]:
        found = self.connection.fetch(_users_with_past_states, values={"before": before})
        return [user_id for (user_id,) in found]


class SqlUserWriter(SqlUserReader, UserWriter):
    connection: WriteConnection

    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        try:
            self.connection.execute(
                insert(users).values(
                    uuid=uuid,
                    email=email,
                    premium=premium,
                    enabled=True,
                    password_hash=password_hash,
                    created_at=created_at,
                    data_changed_at=created_at,
                )
            )
        except IntegrityError as error:
            raise Conflict(f"there is a user {email} already") from error
        user = self.get(email)
        self.connection.execute(insert(data_states).values(user_id=user.id, **asdict(user.data)))
        return user

    def lock(self, user_id: int) -> User:
        # On SQLite a writer locks the whole database. On PostgreSQL do not lock the row, which an
        # import locks until it ends: the user can sign in meanwhile. Keys below 0 are for this.
        if self.connection.database == "postgresql":
            self.connection.execute(select(func.pg_advisory_xact_lock(-user_id)))
        return self._get(user_id)

    def update(self, user_id: int, **changes: Any) -> User:
        self.connection.execute(update(users).where(users.c.id == user_id).values(**changes))
        return self._get(user_id)

    def _get(self, user_id: int) -> User:
        found = self.connection.fetch(_user_by_id, values={"user": user_id})
        if not found:
            raise NotFound("there is no such user")
        return to_user(found[0])

    def delete(self, user_id: int) -> None:
        # The foreign keys cascade: the user's other rows are deleted, too.
        if self.connection.execute(delete(users).where(users.c.id == user_id)).rowcount == 0:
            raise NotFound("there is no such user")
