"""The tables. Those of data are derived from the resources, one each.

Every primary key and index of a data table begins with the user, so that the tables can be
distributed by user over several machines as they are.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
)

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource, names_of
from finance_api.resources.naming import snake_case
from finance_api.storage.sql.columns import (
    AutoKey,
    CodePointText,
    column_name,
    columns_of,
    folded,
    folded_name,
)
from finance_api.values import Row

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

users = Table(
    "users",
    metadata,
    Column("id", AutoKey, primary_key=True),
    Column("uuid", CodePointText, nullable=False, unique=True),
    Column("email", CodePointText, nullable=False, unique=True),
    Column("premium", Boolean, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("password_hash", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    # What the user's data has been through; it changes with every import.
    Column("data_revision", BigInteger, nullable=False, default=0),
    Column("data_changed_at", BigInteger, nullable=False),
    Column("jwts_revoked_at", BigInteger),
    # The key of a deleted user is never given to another.
    sqlite_autoincrement=True,
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", CodePointText, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("name", CodePointText, nullable=False),
    Column("sha256", CodePointText, nullable=False, unique=True),
    Column("start", CodePointText, nullable=False),
    # Paths of resources between spaces; NULL means all of them.
    Column("scopes", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index(None, "user_id"),
)


jwts = Table(
    "jwts",
    metadata,
    Column("jti", CodePointText, primary_key=True),
    # NULL where another issuer made it.
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE")),
    Column("issued_at", BigInteger),
    Column("expires_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index(None, "user_id"),
    Index(None, "expires_at"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("sha256", CodePointText, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("user_agent", CodePointText, nullable=False),
    Index(None, "user_id"),
)

usage = Table(
    "usage",
    metadata,
    Column(
        "user_id",
        BigInteger,
        ForeignKey("users.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    # Its first second.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("requests", BigInteger, nullable=False),
)


class DataTable:
    """The table of one resource, and the way from rows to columns and back."""

    def __init__(self, resource: Resource) -> None:
        listed = resource.listed_fields
        self.resource = resource
        self.table = Table(
            snake_case(resource.name),
            metadata,
            Column(
                "user_id",
                BigInteger,
                ForeignKey("users.id", ondelete="CASCADE"),
                primary_key=True,
                autoincrement=False,
            ),
            *(
                column
                for field in resource.kept_fields
                for column in columns_of(field, searchable=field in listed)
            ),
            UniqueConstraint("user_id", "source", "source_id"),
        )
        self.user_id = self.table.c.user_id
        self.columns = {f.name: self.table.c[column_name(f)] for f in resource.kept_fields}
        self.folded = {f.name: self.table.c[folded_name(f)] for f in listed if f.kind.is_text}
        self.listed = [self.columns[name] for name in names_of(listed)]
        self.kept = list(self.columns.values())
        self.changing = [c for c in self.table.columns if not c.primary_key]
        self._keys = [(column_name(f), f.name) for f in resource.kept_fields]
        self._folded_fields = [(folded_name(f), f) for f in listed if f.kind.is_text]

    def values(self, user_id: int, row: Row) -> dict[str, Any]:
        """The column values of a whole row."""
        values = {key: row[name] for key, name in self._keys}
        for key, field in self._folded_fields:
            values[key] = folded(field, row[field.name])
        values["user_id"] = user_id
        return values


DATA_TABLES: dict[str, DataTable] = {r.name: DataTable(r) for r in RESOURCES}

_records = DATA_TABLES[RECORDS.name]
# The default order, and every range of dates in it.
Index(
    None,
    _records.user_id,
    _records.columns["recordDate"].desc(),
    _records.columns["id"],
)
Index(None, _records.user_id, _records.columns["accountId"])
