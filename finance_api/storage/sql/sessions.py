"""Sessions of the settings pages in the database."""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Session, User
from finance_api.storage.sql.tables import sessions, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_SESSION_COLUMNS = (
    sessions.c.sha256,
    sessions.c.user_id,
    sessions.c.created_at,
    sessions.c.seen_at,
    sessions.c.user_agent,
)


class Sessions:
    connection: Connection

    def add_session(self, session: Session) -> None:
        try:
            self.connection.execute(
                insert(sessions).values(
                    sha256=session.sha256,
                    user_id=session.user_id,
                    created_at=session.created_at,
                    seen_at=session.seen_at,
                    user_agent=session.user_agent,
                )
            )
        except IntegrityError as error:
            raise NotFound("there is no such user") from error

    def get_session_owner(self, sha256: str) -> tuple[Session, User]:
        row = self.connection.execute(
            select(*_SESSION_COLUMNS, *USER_COLUMNS)
            .join_from(sessions, users, users.c.id == sessions.c.user_id)
            .where(sessions.c.sha256 == sha256)
        ).first()
        if row is None:
            raise NotFound("there is no such session")
        width = len(_SESSION_COLUMNS)
        return Session(*row[:width]), to_user(row[width:])

    def list_sessions(self, user_id: int) -> list[Session]:
        rows = self.connection.execute(
            select(*_SESSION_COLUMNS)
            .where(sessions.c.user_id == user_id)
            .order_by(sessions.c.created_at.desc(), sessions.c.sha256)
        )
        return [Session(*row) for row in rows]

    def set_sessions_seen(self, seen_at: Mapping[str, int]) -> None:
        if not seen_at:
            return
        self.connection.execute(
            update(sessions)
            .where(sessions.c.sha256 == bindparam("digest"), sessions.c.seen_at < bindparam("at"))
            .values(seen_at=bindparam("at")),
            # In one order everywhere, so that two processes cannot wait for each other.
            [{"digest": digest, "at": at} for digest, at in sorted(seen_at.items())],
        )

    def delete_session(self, sha256: str) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.sha256 == sha256))

    def delete_sessions(self, user_id: int) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.user_id == user_id))

    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        old = or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        self.connection.execute(delete(sessions).where(old))
