"""Sessions of the settings pages."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Session, SessionReader, SessionWriter, User
from finance_api.storage.memory.database import Part


class MemorySessionReader(Part, SessionReader):
    def get_owner(self, sha256: str) -> tuple[Session, User]:
        session = self._unit.database.sessions.get(sha256)
        if session is None:
            raise NotFound("there is no such session")
        return session, self._unit.user(session.user_id)

    def list_by_user(self, user_id: int) -> list[Session]:
        found = [s for s in self._unit.database.sessions.values() if s.user_id == user_id]
        return sorted(found, key=lambda s: (-s.created_at, s.sha256))


class MemorySessionWriter(MemorySessionReader, SessionWriter):
    def add(self, session: Session) -> None:
        self._unit.user(session.user_id)
        self._unit.change(sessions=self._unit.database.sessions | {session.sha256: session})

    def set_seen(self, seen_at: Mapping[str, int]) -> None:
        sessions = dict(self._unit.database.sessions)
        for sha256, at in seen_at.items():
            session = sessions.get(sha256)
            if session is not None and session.seen_at < at:
                sessions[sha256] = replace(session, seen_at=at)
        self._unit.change(sessions=sessions)

    def delete(self, sha256: str) -> None:
        self._keep(lambda session: session.sha256 != sha256)

    def delete_all(self, user_id: int) -> None:
        self._keep(lambda session: session.user_id != user_id)

    def prune(self, *, created_before: int, seen_before: int) -> None:
        self._keep(lambda s: s.created_at >= created_before and s.seen_at >= seen_before)

    def _keep(self, condition: Callable[[Session], bool]) -> None:
        sessions = self._unit.database.sessions
        self._unit.change(sessions={k: s for k, s in sessions.items() if condition(s)})
