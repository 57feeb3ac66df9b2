"""Personal API tokens, JSON Web Tokens and sessions of the pages."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    Jwt,
    JwtWriter,
    Session,
    SessionWriter,
    Token,
    TokenWriter,
    User,
)
from finance_api.storage.memory.database import Part


class MemoryTokens(Part, TokenWriter):
    def get_owner(self, sha256: str) -> tuple[Token, User]:
        for token in self._unit.database.tokens.values():
            if token.sha256 == sha256:
                return token, self._unit.user(token.user_id)
        raise NotFound("there is no such token")

    def list_by_user(self, user_id: int) -> list[Token]:
        tokens = [t for t in self._unit.database.tokens.values() if t.user_id == user_id]
        return sorted(tokens, key=lambda token: (token.created_at, token.id))

    def add(self, token: Token) -> None:
        self._unit.user(token.user_id)
        self._unit.change(tokens=self._unit.database.tokens | {token.id: token})

    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        token = replace(self._get(token_id, user_id), **changes)
        self._unit.change(tokens=self._unit.database.tokens | {token_id: token})
        return token

    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        token = self._get(token_id, user_id)
        if token.revoked_at is None:
            token = self.update(token_id, user_id=token.user_id, revoked_at=at)
        return token

    def _get(self, token_id: str, user_id: int | None) -> Token:
        token = self._unit.database.tokens.get(token_id)
        if token is None or user_id not in (None, token.user_id):
            raise NotFound("there is no such token")
        return token

    def revoke_all(self, user_id: int, at: int) -> None:
        for token in self.list_by_user(user_id):
            self.revoke(token.id, at)

    def set_used(self, used_at: Mapping[str, int]) -> None:
        tokens = dict(self._unit.database.tokens)
        for token_id, at in used_at.items():
            token = tokens.get(token_id)
            if token is not None and (token.last_used_at or at) <= at:
                tokens[token_id] = replace(token, last_used_at=at)
        self._unit.change(tokens=tokens)


class MemoryJwts(Part, JwtWriter):
    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        for user in self._unit.database.users.values():
            if uuid in (None, user.uuid) and email in (None, user.email):
                jwt = self._unit.database.jwts.get(jti)
                return user, jwt is not None and jwt.revoked_at is not None
        raise NotFound("there is no such user")

    def list_by_user(self, user_id: int) -> list[Jwt]:
        jwts = [jwt for jwt in self._unit.database.jwts.values() if jwt.user_id == user_id]
        return sorted(jwts, key=lambda jwt: (jwt.issued_at or 0, jwt.jti))

    def add(self, jwt: Jwt) -> None:
        if jwt.jti in self._unit.database.jwts:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        if jwt.user_id is not None:
            self._unit.user(jwt.user_id)
        self._unit.change(jwts=self._unit.database.jwts | {jwt.jti: jwt})

    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        jwt = self._unit.database.jwts.get(jti)
        if jwt is None or user_id not in (None, jwt.user_id):
            raise NotFound("there is no such JWT")
        if jwt.revoked_at is None:
            jwt = replace(jwt, revoked_at=at)
            self._unit.change(jwts=self._unit.database.jwts | {jti: jwt})
        return jwt

    def revoke_all(self, user_id: int, at: int) -> None:
        before = self._unit.user(user_id).jwts_revoked_at
        self._unit.update_user(user_id, jwts_revoked_at=max(at, before or at))
        for jwt in self.list_by_user(user_id):
            if (jwt.issued_at or 0) <= at:
                self.revoke(jwt.jti, at)

    def prune(self, before: int) -> None:
        jwts = self._unit.database.jwts
        self._unit.change(jwts={k: jwt for k, jwt in jwts.items() if jwt.expires_at >= before})


class MemorySessions(Part, SessionWriter):
    def get_owner(self, sha256: str) -> tuple[Session, User]:
        session = self._unit.database.sessions.get(sha256)
        if session is None:
            raise NotFound("there is no such session")
        return session, self._unit.user(session.user_id)

    def list_by_user(self, user_id: int) -> list[Session]:
        found = [s for s in self._unit.database.sessions.values() if s.user_id == user_id]
        return sorted(found, key=lambda s: (-s.created_at, s.sha256))

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
