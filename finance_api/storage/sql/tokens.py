"""Personal API tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Token, TokenReader, TokenWriter, User
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.statements import USER, Part
from finance_api.storage.sql.tables import tokens, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_TOKEN_COLUMNS = [tokens.c[field.name] for field in fields(Token)]
_SCOPES = [field.name for field in fields(Token)].index("scopes")


def _to_token(row: Sequence[Any]) -> Token:
    """row: of _TOKEN_COLUMNS."""
    values = list(row)
    if values[_SCOPES] is not None:
        values[_SCOPES] = tuple(values[_SCOPES].split())
    return Token(*values)


def _token_and_owner(database: str) -> Select[Any]:
    return (
        select(*_TOKEN_COLUMNS, *USER_COLUMNS)
        .join_from(tokens, users, users.c.id == tokens.c.user_id)
        .where(tokens.c.sha256 == bindparam("digest", type_=CodePointText))
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
            # In one order everywhere, so that two processes cannot wait for each other.
            [{"token": token, "at": at} for token, at in sorted(used_at.items())],
        )
