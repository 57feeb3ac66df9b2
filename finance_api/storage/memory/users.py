"""Users, their tokens and JSON Web Tokens, and sessions of the pages."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    CredentialWriter,
    DataState,
    Jwt,
    JwtWriter,
    LinkWriter,
    QuestionLink,
    Session,
    SessionWriter,
    Token,
    TokenWriter,
    User,
    UserWriter,
)
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
        user = User(
            self._database.next_user_id,
            uuid,
            email,
            premium,
            True,
            password_hash,
            created_at,
            data=DataState(0, created_at),
        )
        states = self._database.states | {(user.id, 0): user.data}
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
            tokens={k: t for k, t in database.tokens.items() if t.user_id != user_id},
            links={k: link for k, link in database.links.items() if link.user_id != user_id},
            jwts={k: j for k, j in database.jwts.items() if j.user_id != user_id},
            sessions={k: s for k, s in database.sessions.items() if s.user_id != user_id},
            questions={k: q for k, q in database.questions.items() if q.user_id != user_id},
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


C = TypeVar("C", Token, QuestionLink, Session)


class _Credentials(Part, CredentialWriter[C]):
    """Credentials of one kind. kept: the name of the field of `Database` that has them.

    noun: the word for such a credential in messages. key: the name of the field with which
    `set_used` finds a credential. used: the name of the field that it sets.
    """

    kept: ClassVar[str]
    noun: ClassVar[str]
    key: ClassVar = "id"
    used: ClassVar = "last_used_at"

    @property
    def all(self) -> dict[str, C]:
        found: dict[str, C] = getattr(self._database, self.kept)
        return found

    def put(self, *credentials: C) -> None:
        changed = {getattr(each, self.key): each for each in credentials}
        self._unit.change(**{self.kept: self.all | changed})

    def get_owner(self, sha256: str) -> tuple[C, User]:
        for each in self.all.values():
            if each.sha256 == sha256:
                return each, self._unit.user(each.user_id)
        raise NotFound(f"there is no such {self.noun}")

    def list_by_user(self, user_id: int) -> list[C]:
        own = [each for each in self.all.values() if each.user_id == user_id]
        return sorted(own, key=lambda each: (each.created_at, getattr(each, self.key)))

    def add(self, credential: C) -> None:
        self._unit.user(credential.user_id)
        if getattr(credential, self.key) in self.all:
            raise Conflict(f"there is such a {self.noun} already")
        self.put(credential)

    def set_used(self, used_at: Mapping[str, int]) -> None:
        for name, at in used_at.items():
            found = self.all.get(name)
            if found is not None and (getattr(found, self.used) or at) <= at:
                change: dict[str, Any] = {self.used: at}
                self.put(replace(found, **change))


class MemoryTokens(_Credentials[Token], TokenWriter):
    kept, noun = "tokens", "token"

    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        token = replace(self._get(token_id, user_id), **changes)
        self.put(token)
        return token

    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        token = self._get(token_id, user_id)
        if token.revoked_at is None:
            token = self.update(token_id, user_id=token.user_id, revoked_at=at)
        return token

    def _get(self, token_id: str, user_id: int | None) -> Token:
        token = self.all.get(token_id)
        if token is None or user_id not in (None, token.user_id):
            raise NotFound("there is no such token")
        return token

    def revoke_all(self, user_id: int, at: int) -> None:
        for token in self.list_by_user(user_id):
            self.revoke(token.id, at)


class MemoryLinks(_Credentials[QuestionLink], LinkWriter):
    kept, noun = "links", "link"

    def revoke(self, user_id: int, at: int, link_ids: Collection[str]) -> None:
        for link in self.list_by_user(user_id):
            if link.id in link_ids and link.revoked_at is None:
                self.put(replace(link, revoked_at=at))


class MemoryJwts(Part, JwtWriter):
    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        for user in self._database.users.values():
            if uuid in (None, user.uuid) and email in (None, user.email):
                jwt = self._database.jwts.get(jti)
                return user, jwt is not None and jwt.revoked_at is not None
        raise NotFound("there is no such user")

    def list_by_user(self, user_id: int) -> list[Jwt]:
        jwts = [jwt for jwt in self._database.jwts.values() if jwt.user_id == user_id]
        return sorted(jwts, key=lambda jwt: (jwt.issued_at or 0, jwt.jti))

    def add(self, jwt: Jwt) -> None:
        if jwt.jti in self._database.jwts:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        if jwt.user_id is not None:
            self._unit.user(jwt.user_id)
        self._unit.change(jwts=self._database.jwts | {jwt.jti: jwt})

    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        jwt = self._database.jwts.get(jti)
        if jwt is None or user_id not in (None, jwt.user_id):
            raise NotFound("there is no such JWT")
        if jwt.revoked_at is None:
            jwt = replace(jwt, revoked_at=at)
            self._unit.change(jwts=self._database.jwts | {jti: jwt})
        return jwt

    def revoke_all(self, user_id: int, at: int) -> None:
        before = self._unit.user(user_id).jwts_revoked_at
        self._unit.update_user(user_id, jwts_revoked_at=max(at, before or at))
        for jwt in self.list_by_user(user_id):
            if (jwt.issued_at or 0) <= at:
                self.revoke(jwt.jti, at)

    def prune(self, before: int) -> None:
        jwts = self._database.jwts
        self._unit.change(jwts={k: jwt for k, jwt in jwts.items() if jwt.expires_at >= before})


class MemorySessions(_Credentials[Session], SessionWriter):
    kept, noun = "sessions", "session"
    key, used = "sha256", "seen_at"

    def list_by_user(self, user_id: int) -> list[Session]:
        return sorted(super().list_by_user(user_id), key=lambda session: -session.created_at)

    def delete(self, sha256: str) -> None:
        self._keep(lambda session: session.sha256 != sha256)

    def delete_all(self, user_id: int) -> None:
        self._keep(lambda session: session.user_id != user_id)

    def prune(self, *, created_before: int, seen_before: int) -> None:
        self._keep(lambda s: s.created_at >= created_before and s.seen_at >= seen_before)

    def _keep(self, condition: Callable[[Session], bool]) -> None:
        self._unit.change(sessions={k: s for k, s in self.all.items() if condition(s)})
