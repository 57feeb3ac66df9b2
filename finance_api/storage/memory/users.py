"""Users, their credentials, and their saved questions."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    DataState,
    Jwt,
    Question,
    QuestionLink,
    Session,
    Token,
    User,
    UserWriter,
)
from finance_api.storage.interface.users import E, N, Owned, R, S
from finance_api.storage.memory.database import Part


class MemoryUsers(Part, UserWriter):
    def get(self, email: str) -> User:
        for user in self._database.users.values():
            if user.email == email:
                return user
        raise NotFound(f"there is no user {email}")

    def list_all(self) -> list[User]:
        return sorted(self._database.users.values(), key=lambda user: user.email)

    def list_with_past_states(self, before: int) -> list[int]:
        states = self._database.states
        counts = Counter(
            user_id for (user_id, _), state in states.items() if state.changed_at < before
        )
        return [user_id for user_id, count in counts.items() if count > 1]

    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        users = self._database.users
        if any(user.email == email for user in users.values()):
            raise Conflict(f"a user {email} already exists")
        user_id, state = self._database.next_user_id, DataState(0, created_at)
        user = User(user_id, uuid, email, premium, True, password_hash, created_at, data=state)
        states = self._database.states | {(user.id, 0): state}
        self._unit.change(next_user_id=user.id + 1, users=users | {user.id: user}, states=states)
        return user

    def lock(self, user_id: int) -> User:
        return self._unit.user(user_id)

    def update(self, user_id: int, **changes: Any) -> User:
        return self._unit.update_user(user_id, **changes)

    def delete(self, user_id: int) -> None:
        database = self._database
        self._unit.user(user_id)
        self._unit.change(
            users={k: user for k, user in database.users.items() if k != user_id},
            owned={k: each for k, each in database.owned.items() if each.user_id != user_id},
            usage={k: n for k, n in database.usage.items() if k[0] != user_id},
            tables={k: table for k, table in database.tables.items() if k[0] != user_id},
            states={k: state for k, state in database.states.items() if k[0] != user_id},
            history={k: entry for k, entry in database.history.items() if k[0] != user_id},
            proposals={k: p for k, p in database.proposals.items() if k != user_id},
            before={k: images for k, images in database.before.items() if k[0] != user_id},
            uploads={k: u for k, u in database.uploads.items() if k[0] != user_id},
            upload_pieces={k: p for k, p in database.upload_pieces.items() if k[0] != user_id},
            audit=tuple(entry for entry in database.audit if entry.user_id != user_id),
        )

    # -- what belongs to users

    def _all(self, kind: type[E]) -> list[E]:
        found = self._database.owned.items()
        return [each for (of_kind, _), each in found if of_kind is kind]

    def _put(self, *owned: Owned) -> None:
        changed = {(type(each), _key(each)): each for each in owned}
        self._unit.change(owned=self._database.owned | changed)

    def _keep(self, kind: type[E], condition: Callable[[E], bool]) -> None:
        found = self._database.owned.items()
        self._unit.change(owned={k: c for k, c in found if k[0] is not kind or condition(c)})

    def get_owner(self, kind: type[S], sha256: str) -> tuple[S, User]:
        for each in self._all(kind):
            if each.sha256 == sha256:
                return each, self._unit.user(each.user_id)
        raise NotFound(f"there is no such {kind.noun}")

    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        for user in self._database.users.values():
            if uuid in (None, user.uuid) and email in (None, user.email):
                jwts = self._all(Jwt)
                return user, any(j.jti == jti and j.revoked_at is not None for j in jwts)
        raise NotFound("there is no such user")

    def list_owned(self, kind: type[E], user_id: int) -> list[E]:
        own = [each for each in self._all(kind) if each.user_id == user_id]
        return sorted(own, key=_order)

    def get_question(self, user_id: int, question_id: str) -> Question:
        return self._get(Question, question_id, user_id)

    def add_owned(self, owned: Owned) -> None:
        if owned.user_id is not None:
            self._unit.user(owned.user_id)
        if (type(owned), _key(owned)) in self._database.owned or self._has_same(owned):
            raise Conflict(f"there is such a {owned.noun} already")
        self._put(owned)

    def _has_same(self, owned: Owned) -> bool:
        """Whether another one has the digest, or the user has another question of this name."""
        if isinstance(owned, Token | QuestionLink):
            same = (each for each in self._all(type(owned)) if each.sha256 == owned.sha256)
            return any(each.id != owned.id for each in same)
        if not isinstance(owned, Question):
            return False
        others = self.list_owned(Question, owned.user_id)
        return any(each.name == owned.name and each.id != owned.id for each in others)

    def set_used(self, kind: type[S], used_at: Mapping[str, int]) -> None:
        for each in self._all(kind):
            at = used_at.get(_key(each), 0)
            if isinstance(each, Session):
                self._put(replace(each, seen_at=max(at, each.seen_at)))
            elif at:
                self._put(replace(each, last_used_at=max(at, each.last_used_at or at)))

    def _get(self, kind: type[E], key: str, user_id: int | None) -> E:
        for each in self._all(kind):
            if _key(each) == key and user_id in (None, each.user_id):
                return each
        raise NotFound(f"there is no such {kind.noun}")

    def update_owned(self, kind: type[N], key: str, *, user_id: int, **changes: Any) -> N:
        owned = replace(self._get(kind, key, user_id), **changes)
        if self._has_same(owned):
            raise Conflict(f"there is such a {kind.noun} already")
        self._put(owned)
        return owned

    def revoke(self, kind: type[R], key: str, at: int, *, user_id: int | None = None) -> R:
        credential = self._get(kind, key, user_id)
        if credential.revoked_at is None:
            credential = replace(credential, revoked_at=at)
            self._put(credential)
        return credential

    def revoke_all(self, kind: type[R], user_id: int, at: int) -> None:
        for each in self.list_owned(kind, user_id):
            self.revoke(kind, _key(each), at)

    def delete_question(self, user_id: int, question_id: str) -> None:
        gone = self.get_question(user_id, question_id)
        self._keep(Question, lambda question: question is not gone)

    def delete_session(self, sha256: str) -> None:
        self._keep(Session, lambda session: session.sha256 != sha256)

    def delete_sessions(self, user_id: int) -> None:
        self._keep(Session, lambda session: session.user_id != user_id)

    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        self._keep(Session, lambda s: s.created_at >= created_before and s.seen_at >= seen_before)

    def prune_jwts(self, before: int) -> None:
        self._keep(Jwt, lambda jwt: jwt.expires_at >= before)


def _key(owned: Owned) -> str:
    if isinstance(owned, Session):
        return owned.sha256
    return owned.jti if isinstance(owned, Jwt) else owned.id


def _order(owned: Owned) -> tuple[Any, str]:
    """Return a key that sorts as `list_owned` does."""
    if isinstance(owned, Question):
        return owned.name, owned.id
    if isinstance(owned, Session):
        return -owned.created_at, owned.sha256
    return owned.issued_at or 0 if isinstance(owned, Jwt) else owned.created_at, _key(owned)
