"""Credentials: personal API tokens, JSON Web Tokens and sessions of the pages."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    Jwt,
    JwtReader,
    JwtWriter,
    Session,
    SessionReader,
    SessionWriter,
    Token,
    TokenReader,
    TokenWriter,
    User,
)
from finance_api.storage.sql.connections.failures import is_duplicate
from finance_api.storage.sql.connections.unit import Part, WriteConnection
from finance_api.storage.sql.parameters import USER, text_parameter
from finance_api.storage.sql.roles.users import USER_COLUMNS, to_user
from finance_api.storage.sql.tables import jwts, sessions, tokens, users

_DIGEST = text_parameter("digest")
_TOKEN_COLUMNS = [tokens.c[field.name] for field in fields(Token)]
_SCOPES = [field.name for field in fields(Token)].index("scopes")


def _to_token(row: Sequence[Any]) -> Token:
    """row: the values of _TOKEN_COLUMNS."""
    values = list(row)
    if values[_SCOPES] is not None:
        values[_SCOPES] = tuple(values[_SCOPES].split())
    return Token(*values)


def _token_and_owner(database: str) -> Select[Any]:
    return (
        select(*_TOKEN_COLUMNS, *USER_COLUMNS)
        .join_from(tokens, users, users.c.id == tokens.c.user_id)
        .where(tokens.c.sha256 == _DIGEST)
    )


def _tokens_of_user(database: str) -> Select[Any]:
    return (
        select(*_TOKEN_COLUMNS)
        .where(tokens.c.user_id == USER)
        .order_by(tokens.c.created_at, tokens.c.id)
    )


class SqlTokenReader(Part, TokenReader):
    def get_owner(self, sha256: str) -> tuple[Token, User]:
        found = self.connection.fetch(_token_and_owner, values={"digest": sha256})
        if not found:
            raise NotFound("there is no such token")
        row, width = found[0], len(_TOKEN_COLUMNS)
        return _to_token(row[:width]), to_user(row[width:])

    def list_by_user(self, user_id: int) -> list[Token]:
        found = self.connection.fetch(_tokens_of_user, values={"user": user_id})
        return [_to_token(row) for row in found]


class SqlTokenWriter(SqlTokenReader, TokenWriter):
    connection: WriteConnection

    def add(self, token: Token) -> None:
        scopes = None if token.scopes is None else " ".join(token.scopes)
        try:
            self.connection.execute(insert(tokens).values(asdict(token) | {"scopes": scopes}))
        except IntegrityError as error:
            raise NotFound("there is no such user") from error

    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        wanted = [tokens.c.id == token_id, tokens.c.user_id == user_id]
        self.connection.execute(update(tokens).where(*wanted).values(**changes))
        return self._get(wanted)

    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        wanted = [tokens.c.id == token_id]
        if user_id is not None:
            wanted.append(tokens.c.user_id == user_id)
        self.connection.execute(
            update(tokens).where(*wanted, tokens.c.revoked_at.is_(None)).values(revoked_at=at)
        )
        return self._get(wanted)

    def _get(self, wanted: Sequence[ColumnElement[bool]]) -> Token:
        row = self.connection.execute(select(*_TOKEN_COLUMNS).where(*wanted)).first()
        if row is None:
            raise NotFound("there is no such token")
        return _to_token(row)

    def revoke_all(self, user_id: int, at: int) -> None:
        self.connection.execute(
            update(tokens)
            .where(tokens.c.user_id == user_id, tokens.c.revoked_at.is_(None))
            .values(revoked_at=at)
        )

    def set_used(self, used_at: Mapping[str, int]) -> None:
        if not used_at:
            return
        self.connection.execute(
            update(tokens)
            .where(
                tokens.c.id == bindparam("token"),
                or_(tokens.c.last_used_at.is_(None), tokens.c.last_used_at < bindparam("at")),
            )
            .values(last_used_at=bindparam("at")),
            # Always in the same order, so that two processes cannot wait for each other.
            [{"token": token, "at": at} for token, at in sorted(used_at.items())],
        )


_JWT_COLUMNS = [jwts.c[field.name] for field in fields(Jwt)]


def _jwt_owner(database: str, key: str) -> Select[Any]:
    """key: uuid or email."""
    jti, wanted = text_parameter("jti"), text_parameter("wanted")
    revoked = exists().where(jwts.c.jti == jti, jwts.c.revoked_at.is_not(None))
    return select(*USER_COLUMNS, revoked).where(users.c[key] == wanted)


def _jwts_of_user(database: str) -> Select[Any]:
    return (
        select(*_JWT_COLUMNS).where(jwts.c.user_id == USER).order_by(jwts.c.issued_at, jwts.c.jti)
    )


class SqlJwtReader(Part, JwtReader):
    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        key, wanted = ("uuid", uuid) if uuid is not None else ("email", email)
        found = self.connection.fetch(_jwt_owner, key, values={"jti": jti, "wanted": wanted})
        if not found:
            raise NotFound("there is no such user")
        return to_user(found[0][:-1]), bool(found[0][-1])

    def list_by_user(self, user_id: int) -> list[Jwt]:
        return [Jwt(*row) for row in self.connection.fetch(_jwts_of_user, values={"user": user_id})]


class SqlJwtWriter(SqlJwtReader, JwtWriter):
    connection: WriteConnection

    def add(self, jwt: Jwt) -> None:
        known = select(jwts.c.jti).where(jwts.c.jti == jwt.jti)
        if self.connection.execute(known).first() is not None:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        try:
            self.connection.execute(insert(jwts).values(asdict(jwt)))
        except IntegrityError as error:
            # Another one has added it since.
            if is_duplicate(error):
                raise Conflict(f"there is a JWT {jwt.jti} already") from error
            raise NotFound("there is no such user") from error

    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        wanted = [jwts.c.jti == jti]
        if user_id is not None:
            wanted.append(jwts.c.user_id == user_id)
        self.connection.execute(
            update(jwts).where(*wanted, jwts.c.revoked_at.is_(None)).values(revoked_at=at)
        )
        row = self.connection.execute(select(*_JWT_COLUMNS).where(*wanted)).first()
        if row is None:
            raise NotFound("there is no such JWT")
        return Jwt(*tuple(row))

    def revoke_all(self, user_id: int, at: int) -> None:
        latest = func.coalesce(users.c.jwts_revoked_at, at)
        self.connection.execute(
            update(users).where(users.c.id == user_id, latest <= at).values(jwts_revoked_at=at)
        )
        self.connection.execute(
            update(jwts)
            .where(jwts.c.user_id == user_id, jwts.c.issued_at <= at, jwts.c.revoked_at.is_(None))
            .values(revoked_at=at)
        )
        if self.connection.execute(select(users.c.id).where(users.c.id == user_id)).first() is None:
            raise NotFound("there is no such user")

    def prune(self, before: int) -> None:
        self.connection.execute(delete(jwts).where(jwts.c.expires_at < before))


_SESSION_COLUMNS = [sessions.c[field.name] for field in fields(Session)]


def _session_and_owner(database: str) -> Select[Any]:
    return (
        select(*_SESSION_COLUMNS, *USER_COLUMNS)
        .join_from(sessions, users, users.c.id == sessions.c.user_id)
        .where(sessions.c.sha256 == _DIGEST)
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
            # Always in the same order, so that two processes cannot wait for each other.
            [{"digest": digest, "at": at} for digest, at in sorted(seen_at.items())],
        )

    def delete(self, sha256: str) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.sha256 == sha256))

    def delete_all(self, user_id: int) -> None:
        self.connection.execute(delete(sessions).where(sessions.c.user_id == user_id))

    def prune(self, *, created_before: int, seen_before: int) -> None:
        old = or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        self.connection.execute(delete(sessions).where(old))
