"""Sessions of the settings pages in the database."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Select, bindparam, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Session, SessionReader, SessionWriter, User
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.statements import USER, Part
from finance_api.storage.sql.tables import sessions, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_SESSION_COLUMNS = [sessions.c[field.name] for field in fields(Session)]


def _session_and_owner(database: str) -> Select[Any]:
    return (
        select(*_SESSION_COLUMNS, *USER_COLUMNS)
        .join_from(sessions, users, users.c.id == sessions.c.user_id)
        .where(sessions.c.sha256 == bindparam("digest", type_=CodePointText))
    )


def _sessions_of_user(database: str) -> Select[Any]:
    return (
        select(*_SESSION_COLUMNS)
        .where(sessions.c.user_id == USER)
        .order_by(sessions.c.created_at.desc(), sessions.c.sha256)
    )


class SqlSessionReader(Part, SessionReader):
    def get_owner(self, sha256: str) -> tuple[Session, User]:
        found = self.connection.fetch(_session_and_owner, values={"digest": sha256})
        if not found:
            raise NotFound("there is no such session")
        row, width = found[0], len(_SESSION_COLUMNS)
        return Session(*row[:width]), to_user(row[width:])

    def list_by_user(self, user_id: int) -> list[Session]:
        found = self.connection.fetch(_sessions_of_user, values={"user": user_id})
        return [Session(*row) for row in found]


class SqlSessionWriter(SqlSessionReader, SessionWriter):
    connection: WriteConnection

    def add(self, session: Session) -> None:
        try:
            self.connection.execute(insert(sessions).values(asdict(session)))
        except IntegrityError as error:
            raise NotFound("there is no such user") from error

    def set_seen(self, seen_at: Mapping[str, int]) -> None:
        if not seen_at:
            return
        self.connection.execute(
            update(sessions)
            .where(sessions.c.sha256 == bindparam("digest"), sessions.c.seen_at < bindparam("at"))
            .values(seen_at=bindparam("at")),
            # In one order everywhere, so that two processes cannot wait for each other.
            [{"digest": digest, "at": at} for digest, at in sorted(seen_at.items())],
        )

    def delete(self, sha256: str) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.sha256 == sha256))

    def delete_all(self, user_id: int) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.user_id == user_id))

    def prune(self, *, created_before: int, seen_before: int) -> None:
        old = or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        self.connection.execute(delete(sessions).where(old))
