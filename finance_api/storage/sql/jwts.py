"""JSON Web Tokens in the database: which were issued here, and which are revoked."""

from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Jwt, JwtReader, JwtWriter, User
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.engine import is_duplicate
from finance_api.storage.sql.statements import USER, Part
from finance_api.storage.sql.tables import jwts, users
from finance_api.storage.sql.users import USER_COLUMNS, to_user

_JWT_COLUMNS = [jwts.c[field.name] for field in fields(Jwt)]


def _jwt_owner(database: str, key: str) -> Select[Any]:
    """key: uuid or email."""
    jti, wanted = (bindparam(name, type_=CodePointText) for name in ("jti", "wanted"))
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
