"""JSON Web Tokens in the database: which were issued here, and which are revoked."""

from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Jwt, User
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.engine import is_duplicate
from finance_api.storage.sql.tables import jwts, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_JWT_COLUMNS = (
    jwts.c.jti,
    jwts.c.user_id,
    jwts.c.issued_at,
    jwts.c.expires_at,
    jwts.c.revoked_at,
)


def _jwt_owner(database: str, key: str) -> Select[Any]:
    """Asked at every request. key: uuid or email."""
    jti, wanted = (bindparam(name, type_=CodePointText) for name in ("jti", "wanted"))
    revoked = exists().where(jwts.c.jti == jti, jwts.c.revoked_at.is_not(None))
    return select(*USER_COLUMNS, revoked).where(users.c[key] == wanted)


def _to_jwt(row: Row[Any] | tuple[Any, ...]) -> Jwt:
    """A row of _JWT_COLUMNS."""
    return Jwt(*row)


class Jwts:
    connection: Connection
    driver: Driver
    statements: StatementCache

    def add_jwt(self, jwt: Jwt) -> None:
        known = select(jwts.c.jti).where(jwts.c.jti == jwt.jti)
        if self.connection.execute(known).first() is not None:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        try:
            self.connection.execute(
                insert(jwts).values(
                    jti=jwt.jti,
                    user_id=jwt.user_id,
                    issued_at=jwt.issued_at,
                    expires_at=jwt.expires_at,
                    revoked_at=jwt.revoked_at,
                )
            )
        except IntegrityError as error:
            # Another one has added it since.
            if is_duplicate(error):
                raise Conflict(f"there is a JWT {jwt.jti} already") from error
            raise NotFound("there is no such user") from error

    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        key, wanted = ("uuid", uuid) if uuid is not None else ("email", email)
        statement = self.statements.get(_jwt_owner, key)
        found = self.driver.run(statement, {"jti": jti, "wanted": wanted})
        if not found:
            raise NotFound("there is no such user")
        return to_user(found[0][:-1]), bool(found[0][-1])

    def list_jwts(self, user_id: int) -> list[Jwt]:
        rows = self.connection.execute(
            select(*_JWT_COLUMNS)
            .where(jwts.c.user_id == user_id)
            .order_by(jwts.c.issued_at, jwts.c.jti)
        )
        return [_to_jwt(row) for row in rows]

    def revoke_jwt(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        wanted = [jwts.c.jti == jti]
        if user_id is not None:
            wanted.append(jwts.c.user_id == user_id)
        self.connection.execute(
            update(jwts).where(*wanted, jwts.c.revoked_at.is_(None)).values(revoked_at=at)
        )
        row = self.connection.execute(select(*_JWT_COLUMNS).where(*wanted)).first()
        if row is None:
            raise NotFound("there is no such JWT")
        return _to_jwt(row)

    def revoke_all_jwts(self, user_id: int, at: int) -> None:
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

    def prune_jwts(self, before: int) -> None:
        self.connection.execute(delete(jwts).where(jwts.c.expires_at < before))
