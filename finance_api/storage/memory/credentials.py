"""Personal API tokens and JSON Web Tokens."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    Jwt,
    JwtReader,
    JwtWriter,
    Token,
    TokenReader,
    TokenWriter,
    User,
)
from finance_api.storage.memory.database import Part


class MemoryTokenReader(Part, TokenReader):
    def get_owner(self, sha256: str) -> tuple[Token, User]:
        for token in self._unit.database.tokens.values():
            if token.sha256 == sha256:
                return token, self._unit.user(token.user_id)
        raise NotFound("there is no such token")

    def list_by_user(self, user_id: int) -> list[Token]:
        tokens = [t for t in self._unit.database.tokens.values() if t.user_id == user_id]
        return sorted(tokens, key=lambda token: (token.created_at, token.id))


class MemoryTokenWriter(MemoryTokenReader, TokenWriter):
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


class MemoryJwtReader(Part, JwtReader):
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


class MemoryJwtWriter(MemoryJwtReader, JwtWriter):
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
