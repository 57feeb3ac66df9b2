"""The tables, except those of the resources.

`data_tables` has the tables of the resources.

The ``info`` of each table says where Citus keeps it. A `DISTRIBUTED` table has users' data: each of
its keys and indexes begins with ``user_id``, and all rows of a user are on one machine. A `LOCAL`
table is on the coordinator. No query may mix the two kinds.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from finance_api.query.errors import MAX_OPERAND_CHARACTERS
from finance_api.values.time import UTC

#: Text sorted by code points: SQLite's default, and PostgreSQL's collation "C".
CodePointText = Text().with_variant(Text(collation="C"), "postgresql")

#: A key that the database assigns.
AutoKey = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: The ``info`` of a table; see above.
LOCAL = {"placement": "local"}
DISTRIBUTED = {"placement": "distributed"}

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
    Column("jwts_revoked_at", BigInteger),
    Column("time_zone", CodePointText, nullable=False, default=UTC, server_default=UTC),
    Column("base_currency", CodePointText),
    Column("region", CodePointText),
    # Never reuse the id of a deleted user.
    sqlite_autoincrement=True,
    info=LOCAL,
)

#: What changes with a user's data; one row for each user. A distributed table cannot refer to
#: `users`, so the other tables with users' data refer to this one.
user_data = Table(
    "user_data",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("revision", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("tag", BigInteger, nullable=False),
    # The number of records; see record_anchors.
    Column("record_count", BigInteger, nullable=False, server_default="0"),
    info=DISTRIBUTED,
)

#: The columns for the fields of `DataState`.
STATE_COLUMNS = (user_data.c.revision, user_data.c.changed_at, user_data.c.tag)

tokens = Table(
    "tokens",
    metadata,
    Column("id", CodePointText, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("name", CodePointText, nullable=False),
    Column("sha256", CodePointText, nullable=False, unique=True),
    Column("start", CodePointText, nullable=False),
    # Paths of resources, separated by spaces; NULL means all resources.
    Column("scopes", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index(None, "user_id"),
    info=LOCAL,
)

#: Links of saved questions. They outlast their question, so that they are answered with 410.
question_links = Table(
    "question_links",
    metadata,
    Column("id", CodePointText, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("question_id", CodePointText, nullable=False),
    Column("name", CodePointText, nullable=False),
    Column("sha256", CodePointText, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index(None, "user_id"),
    info=LOCAL,
)

jwts = Table(
    "jwts",
    metadata,
    Column("jti", CodePointText, primary_key=True),
    # NULL if another issuer issued it.
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE")),
    Column("issued_at", BigInteger),
    Column("expires_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index(None, "user_id"),
    Index(None, "expires_at"),
    info=LOCAL,
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
    info=LOCAL,
)

#: Saved questions. A question is found with its user, whom only `LOCAL` tables can refer to.
questions = Table(
    "questions",
    metadata,
    Column("id", CodePointText, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("name", CodePointText, nullable=False),
    Column("address", CodePointText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("user_id", "name"),
    info=LOCAL,
)


#: The audit log. user_id: NULL if the user is unknown.
audit = Table(
    "audit",
    metadata,
    Column("id", AutoKey, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("action", CodePointText, nullable=False),
    Column("origin", CodePointText, nullable=False),
    Column("user_id", BigInteger, ForeignKey("users.id", ondelete="CASCADE")),
    Column("detail", CodePointText, nullable=False),
    Index(None, "user_id", "at"),
    Index(None, "at"),
    info=LOCAL,
)


def owner_column(refers_to: str = "user_data.user_id") -> Column[int]:
    """Make the column of the user. It comes first in every key of the tables with users' rows."""
    return Column(
        "user_id",
        BigInteger,
        ForeignKey(refers_to, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )


usage = Table(
    "usage",
    metadata,
    owner_column("users.id"),
    # The first second of the day.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("requests", BigInteger, nullable=False),
    info=LOCAL,
)

#: The numbers of requests by user, day and token.
token_usage = Table(
    "token_usage",
    metadata,
    owner_column("users.id"),
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("token_id", CodePointText, primary_key=True),
    Column("requests", BigInteger, nullable=False),
    info=LOCAL,
)


#: Files that wait to be imported: `storage.interface.activity`.
uploads = Table(
    "uploads",
    metadata,
    owner_column(),
    Column("id", CodePointText, primary_key=True),
    Column("name", CodePointText, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("state", CodePointText, nullable=False),
    Column("step", BigInteger, nullable=False),
    Column("alive_at", BigInteger, nullable=False),
    Column("worker", CodePointText, nullable=False, server_default=""),
    # Options and outcome are JSON objects.
    Column("options", CodePointText, nullable=False),
    Column("outcome", CodePointText, nullable=False),
    info=DISTRIBUTED,
)

#: The content of uploads.
upload_pieces = Table(
    "upload_pieces",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("upload_id", CodePointText, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    ForeignKeyConstraint(
        ["user_id", "upload_id"], ["uploads.user_id", "uploads.id"], ondelete="CASCADE"
    ),
    info=DISTRIBUTED,
)


#: The history of users' data: `storage.interface.activity`.
history = Table(
    "history",
    metadata,
    owner_column(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("action", CodePointText, nullable=False),
    Column("by", CodePointText, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("undone_at", BigInteger),
    Column("pruned", Boolean, nullable=False),
    # A JSON object.
    Column("details", CodePointText, nullable=False),
    info=DISTRIBUTED,
)

#: Rows as they were before a change in the history.
before_images = Table(
    "before_images",
    metadata,
    owner_column(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("resource", CodePointText, primary_key=True),
    Column("row_id", CodePointText, primary_key=True),
    # The whole row as JSON; NULL if there was none.
    Column("row", CodePointText),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: Pairs of records that look like transfers: `storage.interface.TransferProposal`.
transfer_proposals = Table(
    "transfer_proposals",
    metadata,
    owner_column(),
    Column("out_id", CodePointText, primary_key=True),
    Column("in_id", CodePointText, nullable=False),
    Column("day", BigInteger, nullable=False),
    Column("by_number", Boolean, nullable=False),
    Index(None, "user_id", "in_id"),
    Index(None, "user_id", "day", "out_id"),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: The states of users' data that are still stored, including the current one: see `DataState`.
data_states = Table(
    "data_states",
    metadata,
    owner_column(),
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("tag", BigInteger, nullable=False),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: One row for each deleted row, so that clients can read deletions.
tombstones = Table(
    "tombstones",
    metadata,
    owner_column(),
    Column("resource", CodePointText, primary_key=True),
    Column("row_id", CodePointText, primary_key=True),
    # The revision that deleted the row.
    Column("revision", BigInteger, nullable=False),
    Index(None, "user_id", "resource", "revision", "row_id"),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)


def revision_column() -> Column[int]:
    """Make the column with the revision that last changed the row's JSON."""
    return Column("revision", BigInteger, nullable=False, server_default="0")


#: The exchange rates of each day, for all users.
exchange_rates = Table(
    "exchange_rates",
    metadata,
    # The first second of the day.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("base", CodePointText, primary_key=True),
    # The value of one unit of the base, by currency: a JSON object with decimals as texts.
    Column("rates", CodePointText, nullable=False),
    sqlite_with_rowid=False,
    info=LOCAL,
)

#: The state of the rates: a single row, or no row before the first rates.
exchange_rates_state = Table(
    "exchange_rates_state",
    metadata,
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("changed_at", BigInteger, nullable=False),
    # Currency codes, separated by spaces.
    Column("currencies", CodePointText, nullable=False),
    Column("tag", BigInteger, nullable=False),
    info=LOCAL,
)

#: The records in default order, newest first: each as the JSON object of a response, with the
#: texts that are searched most.
records_by_date = Table(
    "records_by_date",
    metadata,
    owner_column(),
    # The record's date, negated. So both columns of the order ascend, and a position in the list
    # can be compared as a whole.
    Column("newest_first", BigInteger, primary_key=True, autoincrement=False),
    Column("id", CodePointText, primary_key=True),
    # Without case and accents, see `values.text.plain`.
    Column("payee_plain", CodePointText),
    Column("note_plain", CodePointText),
    Column("json", CodePointText, nullable=False),
    # The names of category, labels and account, likewise.
    Column("names_plain", CodePointText, nullable=False, server_default=""),
    revision_column(),
    Index(None, "user_id", "id", unique=True),
    Index(None, "user_id", "revision", "id"),
    # The texts that a search reads, without the JSON. Only SQLite has this index: PostgreSQL allows
    # no long texts in an index.
    Index(
        "ix_records_by_date_searched",
        *("user_id", "newest_first", "id", "payee_plain", "note_plain", "names_plain"),
    ).ddl_if("sqlite"),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: The number of records between one anchor and the next.
ANCHOR_INTERVAL = 256

#: Every 256th record in the order of records_by_date, counted from the end of the list. New records
#: mostly come at its beginning, so they leave most positions unchanged.
record_anchors = Table(
    "record_anchors",
    metadata,
    owner_column(),
    # The number of records after this one in the list.
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("newest_first", BigInteger, nullable=False),
    Column("id", CodePointText, nullable=False),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: Number of characters of a payee in a key: more than a filter can contain. PostgreSQL allows no
#: long texts in keys.
PAYEE_KEY_CHARACTERS = MAX_OPERAND_CHARACTERS + 1

#: What the sums in `record_sums` are grouped by, besides the month. Each grouping has its own sums,
#: so that a coarse summary reads only a few. They are written in this order, which is that of the
#: primary key, so that its pages are filled.
GRAINS: tuple[frozenset[str], ...] = (
    frozenset({"accountId", "categoryId", "payee"}),
    frozenset({"categoryId"}),
    frozenset({"accountId"}),
    frozenset(),
)

#: Sums of each month's records, grouped as in `GRAINS`, and by currency, kind and flags.
record_sums = Table(
    "record_sums",
    metadata,
    owner_column(),
    # The index in GRAINS.
    Column("grain", BigInteger, primary_key=True, autoincrement=False),
    # The beginning of the payee; "" if there is no payee, or if the grain does not have payees.
    Column("payee_key", CodePointText, primary_key=True),
    # The first second of the month.
    Column("month", BigInteger, primary_key=True, autoincrement=False),
    # Distinguishes the sums of a month; their other columns may be NULL, so they cannot be a key.
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # NULL if the records have none, or if the grain does not group by it. So are the next two.
    Column("account_id", CodePointText),
    Column("category_id", CodePointText),
    Column("payee", CodePointText),
    Column("currency_code", CodePointText, nullable=False),
    Column("record_type", CodePointText, nullable=False),
    Column("is_void", Boolean, nullable=False),
    Column("is_transfer", Boolean, nullable=False),
    # The sums of the amounts' high halves and low halves; see `sums`.
    Column("amount_high", BigInteger, nullable=False),
    Column("amount_low", BigInteger, nullable=False),
    Column("number_of_records", BigInteger, nullable=False),
    # The recordDate of the first and of the last record.
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    # For reading the sums of some categories. SQLite is as fast without this index.
    Index("ix_record_sums_category", "user_id", "grain", "category_id").ddl_if("postgresql"),
    sqlite_with_rowid=False,
    info=DISTRIBUTED,
)

#: Has a single row: the version of the projection, see `writing.rebuilding`.
projection_version = Table(
    "projection_version",
    metadata,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    info=LOCAL,
)
