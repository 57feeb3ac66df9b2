"""The tables, except the tables of the resources, which are in `data_tables`.

A table has users' data if it refers to `user_data`. Then each of its keys and indexes begins with
``user_id``, and all rows of a user may be on a machine of their own: no query may mix such tables
with others. See `placement`.
"""

import sqlalchemy as sa

from finance_api.values.time import UTC

#: Text sorted by code points: SQLite's default, and PostgreSQL's collation "C".
CodePointText = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

#: A key that the database assigns.
AutoKey = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

users = sa.Table(
    "users",
    metadata,
    sa.Column("id", AutoKey, primary_key=True),
    sa.Column("uuid", CodePointText, nullable=False, unique=True),
    sa.Column("email", CodePointText, nullable=False, unique=True),
    sa.Column("premium", sa.Boolean, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("password_hash", CodePointText),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("jwts_revoked_at", sa.BigInteger),
    sa.Column("time_zone", CodePointText, nullable=False, default=UTC, server_default=UTC),
    sa.Column("base_currency", CodePointText),
    sa.Column("region", CodePointText),
    # Never reuse the id of a deleted user.
    sqlite_autoincrement=True,
)

#: The state of each user's data: one row per user. The other tables with users' data refer to this
#: one, and not to `users`, which may be on another machine.
user_data = sa.Table(
    "user_data",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
    sa.Column("tag", sa.BigInteger, nullable=False),
    # The number of records; see record_anchors.
    sa.Column("record_count", sa.BigInteger, nullable=False, server_default="0"),
)

#: The columns for the fields of `DataState`.
STATE_COLUMNS = (user_data.c.revision, user_data.c.changed_at, user_data.c.tag)


def _user_column(*, nullable: bool = False) -> sa.Column[int]:
    """Make the column of the user whom a row belongs to, in a table without data of users."""
    user = sa.ForeignKey("users.id", ondelete="CASCADE")
    return sa.Column("user_id", sa.BigInteger, user, nullable=nullable)


tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", CodePointText, primary_key=True),
    _user_column(),
    sa.Column("name", CodePointText, nullable=False),
    sa.Column("sha256", CodePointText, nullable=False, unique=True),
    sa.Column("start", CodePointText, nullable=False),
    # Paths of resources, separated by spaces; NULL means all resources.
    sa.Column("scopes", CodePointText),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index(None, "user_id"),
)

#: Links of saved questions. They outlast their question, so that they are answered with 410.
question_links = sa.Table(
    "question_links",
    metadata,
    sa.Column("id", CodePointText, primary_key=True),
    _user_column(),
    sa.Column("question_id", CodePointText, nullable=False),
    sa.Column("name", CodePointText, nullable=False),
    sa.Column("sha256", CodePointText, nullable=False, unique=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index(None, "user_id"),
)

jwts = sa.Table(
    "jwts",
    metadata,
    sa.Column("jti", CodePointText, primary_key=True),
    # NULL if another issuer issued the token.
    _user_column(nullable=True),
    sa.Column("issued_at", sa.BigInteger),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index(None, "user_id"),
    sa.Index(None, "expires_at"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("sha256", CodePointText, primary_key=True),
    _user_column(),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("seen_at", sa.BigInteger, nullable=False),
    sa.Column("user_agent", CodePointText, nullable=False),
    sa.Index(None, "user_id"),
)

#: Saved questions.
questions = sa.Table(
    "questions",
    metadata,
    sa.Column("id", CodePointText, primary_key=True),
    _user_column(),
    sa.Column("name", CodePointText, nullable=False),
    sa.Column("address", CodePointText, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("user_id", "name"),
)


#: The audit log. user_id: NULL if the user is unknown.
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", AutoKey, primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("action", CodePointText, nullable=False),
    sa.Column("origin", CodePointText, nullable=False),
    _user_column(nullable=True),
    sa.Column("detail", CodePointText, nullable=False),
    sa.Index(None, "user_id", "at"),
    sa.Index(None, "at"),
)


def owner_column(refers_to: str = "user_data.user_id") -> sa.Column[int]:
    """Make the column of the user. It comes first in every key of the tables with users' rows."""
    return sa.Column(
        "user_id",
        sa.BigInteger,
        sa.ForeignKey(refers_to, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )


usage = sa.Table(
    "usage",
    metadata,
    owner_column("users.id"),
    # The first second of the day.
    sa.Column("day", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("requests", sa.BigInteger, nullable=False),
)

#: The numbers of requests by user, day and token.
token_usage = sa.Table(
    "token_usage",
    metadata,
    owner_column("users.id"),
    sa.Column("day", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("token_id", CodePointText, primary_key=True),
    sa.Column("requests", sa.BigInteger, nullable=False),
)


#: Files that wait to be imported; see `storage.interface.activity`.
uploads = sa.Table(
    "uploads",
    metadata,
    owner_column(),
    sa.Column("id", CodePointText, primary_key=True),
    sa.Column("name", CodePointText, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("state", CodePointText, nullable=False),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("alive_at", sa.BigInteger, nullable=False),
    sa.Column("worker", CodePointText, nullable=False, server_default=""),
    # Options and outcome are JSON objects.
    sa.Column("options", CodePointText, nullable=False),
    sa.Column("outcome", CodePointText, nullable=False),
)

#: The content of uploads.
upload_pieces = sa.Table(
    "upload_pieces",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("upload_id", CodePointText, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.ForeignKeyConstraint(
        ["user_id", "upload_id"], ["uploads.user_id", "uploads.id"], ondelete="CASCADE"
    ),
)


#: The history of users' data; see `storage.interface.activity`.
history = sa.Table(
    "history",
    metadata,
    owner_column(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("action", CodePointText, nullable=False),
    sa.Column("by", CodePointText, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("undone_at", sa.BigInteger),
    sa.Column("pruned", sa.Boolean, nullable=False),
    # A JSON object.
    sa.Column("details", CodePointText, nullable=False),
)

#: Rows as they were before a change in the history.
before_images = sa.Table(
    "before_images",
    metadata,
    owner_column(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("resource", CodePointText, primary_key=True),
    sa.Column("row_id", CodePointText, primary_key=True),
    # The whole row as JSON; NULL if the row did not exist.
    sa.Column("row", CodePointText),
    sqlite_with_rowid=False,
)

#: Pairs of records that look like transfers or duplicates; see `storage.interface.ProposedPair`.
proposals = sa.Table(
    "proposals",
    metadata,
    owner_column(),
    sa.Column("kind", CodePointText, primary_key=True),
    sa.Column("first_id", CodePointText, primary_key=True),
    sa.Column("second_id", CodePointText, nullable=False),
    sa.Column("day", sa.BigInteger, nullable=False),
    sa.Column("by_number", sa.Boolean, nullable=False),
    sa.Index(None, "user_id", "kind", "second_id"),
    sa.Index(None, "user_id", "kind", "day", "first_id"),
    sqlite_with_rowid=False,
)

#: The states of users' data that are still stored, including the current one: see `DataState`.
data_states = sa.Table(
    "data_states",
    metadata,
    owner_column(),
    sa.Column("revision", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
    sa.Column("tag", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

#: One row for each deleted row, so that clients can read deletions.
tombstones = sa.Table(
    "tombstones",
    metadata,
    owner_column(),
    sa.Column("resource", CodePointText, primary_key=True),
    sa.Column("row_id", CodePointText, primary_key=True),
    # The revision that deleted the row.
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Index(None, "user_id", "resource", "revision", "row_id"),
    sqlite_with_rowid=False,
)


def revision_column() -> sa.Column[int]:
    """Make the column with the revision that last changed the row's JSON."""
    return sa.Column("revision", sa.BigInteger, nullable=False, server_default="0")


#: Has a single row: the version of the data derived from rows, see `derived`.
projection_version = sa.Table(
    "projection_version",
    metadata,
    sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
)

#: The exchange rates of each day, for all users.
exchange_rates = sa.Table(
    "exchange_rates",
    metadata,
    # The first second of the day.
    sa.Column("day", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("base", CodePointText, primary_key=True),
    # The value of one unit of the base, by currency: a JSON object with decimals as texts.
    sa.Column("rates", CodePointText, nullable=False),
    sqlite_with_rowid=False,
)

#: The state of the rates: a single row, or no row before the first rates.
exchange_rates_state = sa.Table(
    "exchange_rates_state",
    metadata,
    sa.Column("revision", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
    # Currency codes, separated by spaces.
    sa.Column("currencies", CodePointText, nullable=False),
    sa.Column("tag", sa.BigInteger, nullable=False),
)
