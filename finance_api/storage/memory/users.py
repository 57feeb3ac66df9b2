"""Users."""

from collections import Counter
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState, User, UserWriter
from finance_api.storage.memory.database import Part


class MemoryUsers(Part, UserWriter):
    def get(self, email: str) -> User:
        for user in self._unit.database.users.values():
            if user.email == email:
                return user
        raise NotFound(f"there is no user {email}")

    def list_all(self) -> list[User]:
        return sorted(self._unit.database.users.values(), key=lambda user: user.email)

    def list_with_past_states(self, before: int) -> list[int]:
        states = self._unit.database.states
        counts = Counter(
            user_id for (user_id, _), state in states.items() if state.changed_at < before
        )
        return [user_id for user_id, count in counts.items() if count > 1]

    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        users = self._unit.database.users
        if any(user.email == email for user in users.values()):
            raise Conflict(f"there is a user {email} already")
        user = User(
            self._unit.database.next_user_id,
            uuid,
            email,
            premium,
            True,
            password_hash,
            created_at,
            data=DataState(0, created_at),
        )
        states = self._unit.database.states | {(user.id, 0): user.data}
        self._unit.change(next_user_id=user.id + 1, users=users | {user.id: user}, states=states)
        return user

    def lock(self, user_id: int) -> User:
        return self._unit.user(user_id)

    def update(self, user_id: int, **changes: Any) -> User:
        return self._unit.update_user(user_id, **changes)

    def delete(self, user_id: int) -> None:
        database = self._unit.database
        self._unit.user(user_id)
        self._unit.change(
            users={k: user for k, user in database.users.items() if k != user_id},
            tokens={k: t for k, t in database.tokens.items() if t.user_id != user_id},
            jwts={k: j for k, j in database.jwts.items() if j.user_id != user_id},
            sessions={k: s for k, s in database.sessions.items() if s.user_id != user_id},
            usage={k: n for k, n in database.usage.items() if k[0] != user_id},
            token_usage={k: n for k, n in database.token_usage.items() if k[0] != user_id},
            tables={k: table for k, table in database.tables.items() if k[0] != user_id},
            states={k: state for k, state in database.states.items() if k[0] != user_id},
            history={k: entry for k, entry in database.history.items() if k[0] != user_id},
            proposals={k: p for k, p in database.proposals.items() if k != user_id},
            before={k: images for k, images in database.before.items() if k[0] != user_id},
            uploads={k: u for k, u in database.uploads.items() if k[0] != user_id},
            upload_pieces={k: p for k, p in database.upload_pieces.items() if k[0] != user_id},
            audit=tuple(entry for entry in database.audit if entry.user_id != user_id),
        )
