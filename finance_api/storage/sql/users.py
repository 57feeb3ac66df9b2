"""Users."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound, StorageNotReady
from finance_api.storage.interface import DataState, User
from finance_api.storage.sql.projection.search_keys import MAX_USER_ID
from finance_api.storage.sql.projection.sqlite import forget_user
from finance_api.storage.sql.tables import users

USER_COLUMNS = (
    users.c.id,
    users.c.uuid,
    users.c.email,
    users.c.premium,
    users.c.enabled,
    users.c.password_hash,
    users.c.created_at,
    users.c.jwts_revoked_at,
    users.c.data_revision,
    users.c.data_changed_at,
)


def to_user(row: Sequence[Any]) -> User:
    """A row of USER_COLUMNS, from the driver or from SQLAlchemy."""
    user_id, uuid, email, premium, enabled, password_hash, created_at, revoked_at, *state = row
    # SQLite's driver knows no booleans.
    return User(
        user_id,
        uuid,
        email,
        bool(premium),
        bool(enabled),
        password_hash,
        created_at,
        revoked_at,
        DataState(*state),
    )


class Users:
    connection: Connection
    #: Of `DataWriting`.
    rebuild_anchors: Callable[[], None]

    def add_user(
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
        user = self.get_user(email)
        if self.connection.dialect.name == "sqlite" and user.id > MAX_USER_ID:
            raise StorageNotReady(
                f"SQLite has no more keys: {MAX_USER_ID:,} users were made. PostgreSQL has more"
            )
        return user

    def get_user(self, email: str) -> User:
        row = self.connection.execute(select(*USER_COLUMNS).where(users.c.email == email)).first()
        if row is None:
            raise NotFound(f"there is no user {email}")
        return to_user(row)

    def list_users(self) -> list[User]:
        rows = self.connection.execute(select(*USER_COLUMNS).order_by(users.c.email))
        return [to_user(row) for row in rows]

    def update_user(self, user_id: int, **changes: Any) -> User:
        self.connection.execute(update(users).where(users.c.id == user_id).values(**changes))
        row = self.connection.execute(select(*USER_COLUMNS).where(users.c.id == user_id)).first()
        if row is None:
            raise NotFound("there is no such user")
        return to_user(row)

    def delete_user(self, user_id: int) -> None:
        if self.connection.dialect.name == "sqlite":
            # Also what this unit of work has written is in the index then.
            self.rebuild_anchors()
            forget_user(self.connection, user_id)
        # What refers to the user goes with the user: the foreign keys cascade.
        if self.connection.execute(delete(users).where(users.c.id == user_id)).rowcount == 0:
            raise NotFound("there is no such user")
