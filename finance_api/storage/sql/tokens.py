"""Personal API tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Token, User
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.tables import tokens, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_TOKEN_COLUMNS = (
    tokens.c.id,
    tokens.c.user_id,
    tokens.c.name,
    tokens.c.sha256,
    tokens.c.start,
    tokens.c.scopes,
    tokens.c.created_at,
    tokens.c.expires_at,
    tokens.c.last_used_at,
    tokens.c.revoked_at,
)
_SCOPES = [column.name for column in _TOKEN_COLUMNS].index("scopes")


def _token_owner(database: str) -> Select[Any]:
    """Asked at every request."""
    return (
        select(*_TOKEN_COLUMNS, *USER_COLUMNS)
        .join_from(tokens, users, users.c.id == tokens.c.user_id)
        .where(tokens.c.sha256 == bindparam("digest", type_=CodePointText))
    )


def _to_token(row: Sequence[Any]) -> Token:
    """A row of _TOKEN_COLUMNS."""
    fields = list(row)
    if fields[_SCOPES] is not None:
        fields[_SCOPES] = tuple(fields[_SCOPES].split())
    return Token(*fields)


class Tokens:
    connection: Connection
    driver: Driver
    statements: StatementCache

    def add_token(self, token: Token) -> None:
        scopes = None if token.scopes is None else " ".join(token.scopes)
        try:
            self.connection.execute(
                insert(tokens).values(
                    id=token.id,
                    user_id=token.user_id,
                    name=token.name,
                    sha256=token.sha256,
                    start=token.start,
                    scopes=scopes,
                    created_at=token.created_at,
                    expires_at=token.expires_at,
                    last_used_at=token.last_used_at,
                    revoked_at=token.revoked_at,
                )
            )
        except IntegrityError as error:
            raise NotFound("there is no such user") from error

    def get_token_owner(self, sha256: str) -> tuple[Token, User]:
        found = self.driver.run(self.statements.get(_token_owner), {"digest": sha256})
        if not found:
            raise NotFound("there is no such token")
        row, width = found[0], len(_TOKEN_COLUMNS)
        return _to_token(row[:width]), to_user(row[width:])

    def list_tokens(self, user_id: int) -> list[Token]:
        rows = self.connection.execute(
            select(*_TOKEN_COLUMNS)
            .where(tokens.c.user_id == user_id)
            .order_by(tokens.c.created_at, tokens.c.id)
        )
        return [_to_token(row) for row in rows]

    def revoke_token(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        wanted = [tokens.c.id == token_id]
        if user_id is not None:
            wanted.append(tokens.c.user_id == user_id)
        self.connection.execute(
            update(tokens).where(*wanted, tokens.c.revoked_at.is_(None)).values(revoked_at=at)
        )
        row = self.connection.execute(select(*_TOKEN_COLUMNS).where(*wanted)).first()
        if row is None:
            raise NotFound("there is no such token")
        return _to_token(row)

    def set_tokens_used(self, used_at: Mapping[str, int]) -> None:
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
