"""The tables, except those of the resources, and the parameters that many queries bind.

`data_tables` has the tables of the resources. Every primary key and index of a user's data begins
with the user, so that the tables can be distributed by user over several machines as they are.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
)

from finance_api.query.parse import MAX_OPERAND_CHARACTERS
from finance_api.storage.interface.data import new_tag
from finance_api.values.time import UTC

#: Text in the order of its code points: SQLite's default, PostgreSQL's "C".
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
    # The state of the user's data; it changes with every import.
    Column("data_revision", BigInteger, nullable=False, default=0),
    Column("data_changed_at", BigInteger, nullable=False),
    # The number of records; see record_anchors.
    Column("record_count", BigInteger, nullable=False, default=0, server_default="0"),
    Column("jwts_revoked_at", BigInteger),
    Column("data_tag", BigInteger, nullable=False, default=new_tag, server_default="0"),
    Column("time_zone", CodePointText, nullable=False, default=UTC, server_default=UTC),
    Column("base_currency", CodePointText),
    # Never reuse the key of a deleted user.
    sqlite_autoincrement=True,
)

#: The columns with the fields of `DataState`.
STATE_COLUMNS = (users.c.data_revision, users.c.data_changed_at, users.c.data_tag)

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


#: The audit log. user_id: NULL if no user is known.
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
)


def owner_column() -> Column[int]:
    """Make the column of the user, with which every key of a user's rows begins."""
    return Column(
        "user_id",
        BigInteger,
        ForeignKey("users.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )


usage = Table(
    "usage",
    metadata,
    owner_column(),
    # The day's first second.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("requests", BigInteger, nullable=False),
)

#: The same, by token.
token_usage = Table(
    "token_usage",
    metadata,
    owner_column(),
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("token_id", CodePointText, primary_key=True),
    Column("requests", BigInteger, nullable=False),
)


#: Files that wait to be imported: `storage.interface.uploads`.
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
    # JSON objects.
    Column("options", CodePointText, nullable=False),
    Column("outcome", CodePointText, nullable=False),
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
)


#: The history of a user's data: `storage.interface.history`.
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
    # JSON.
    Column("details", CodePointText, nullable=False),
)

#: Rows as they were before an entry of the history.
before_images = Table(
    "before_images",
    metadata,
    owner_column(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("resource", CodePointText, primary_key=True),
    Column("row_id", CodePointText, primary_key=True),
    # The whole row as JSON; NULL: there was none.
    Column("row", CodePointText),
    sqlite_with_rowid=False,
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
    sqlite_with_rowid=False,
)
Index(None, transfer_proposals.c.user_id, transfer_proposals.c.in_id)
Index(
    None,
    transfer_proposals.c.user_id,
    transfer_proposals.c.day,
    transfer_proposals.c.out_id,
)

#: The states of a user's data that are remembered, the present one too: see `DataState`.
data_states = Table(
    "data_states",
    metadata,
    owner_column(),
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("tag", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

#: One row for each deleted row, for readers of changes.
tombstones = Table(
    "tombstones",
    metadata,
    owner_column(),
    Column("resource", CodePointText, primary_key=True),
    Column("row_id", CodePointText, primary_key=True),
    # The revision that deleted it.
    Column("revision", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
Index(
    None,
    tombstones.c.user_id,
    tombstones.c.resource,
    tombstones.c.revision,
    tombstones.c.row_id,
)


def revision_column() -> Column[int]:
    """Make the column of the revision that last changed the row's JSON."""
    return Column("revision", BigInteger, nullable=False, server_default="0")


#: Exchange rates of a day, for all users.
exchange_rates = Table(
    "exchange_rates",
    metadata,
    # Its first second.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("base", CodePointText, primary_key=True),
    # The value of one unit of the base by currency: a JSON object of decimals as text.
    Column("rates", CodePointText, nullable=False),
    sqlite_with_rowid=False,
)

#: The state of the rates: one row, or none before the first rates.
exchange_rates_state = Table(
    "exchange_rates_state",
    metadata,
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("changed_at", BigInteger, nullable=False),
    # Between blanks.
    Column("currencies", CodePointText, nullable=False),
    Column("tag", BigInteger, nullable=False),
)

#: The records in the default order, newest first: each as the JSON object of a response, and the
#: texts that are searched most.
records_by_date = Table(
    "records_by_date",
    metadata,
    owner_column(),
    # The record's date, negated: so that both parts of the order ascend, and a position in it can
    # be compared as a whole.
    Column("newest_first", BigInteger, primary_key=True, autoincrement=False),
    Column("id", CodePointText, primary_key=True),
    Column("payee_folded", CodePointText),
    Column("note_folded", CodePointText),
    Column("json", CodePointText, nullable=False),
    # The names of category, labels and account.
    Column("names_folded", CodePointText, nullable=False, server_default=""),
    revision_column(),
    sqlite_with_rowid=False,
)
Index(None, records_by_date.c.user_id, records_by_date.c.id, unique=True)
Index(None, records_by_date.c.user_id, records_by_date.c.revision, records_by_date.c.id)
#: The texts that a search reads, without the JSON. Only on SQLite: PostgreSQL allows no long
#: texts in an index.
Index(
    "ix_records_by_date_searched",
    *records_by_date.primary_key.columns,
    records_by_date.c.payee_folded,
    records_by_date.c.note_folded,
    records_by_date.c.names_folded,
).ddl_if(dialect="sqlite")

#: The distance between anchors.
ANCHOR_INTERVAL = 256

#: Every 256th record in the order of records_by_date, counted from its end: new records mostly come
#: at its beginning, and change no position that is counted from there.
record_anchors = Table(
    "record_anchors",
    metadata,
    owner_column(),
    # The number of records after it.
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("newest_first", BigInteger, nullable=False),
    Column("id", CodePointText, nullable=False),
    sqlite_with_rowid=False,
)

#: Characters of a payee in a key: more than any filter can ask for. PostgreSQL allows no long texts
#: in keys.
PAYEE_KEY_CHARACTERS = MAX_OPERAND_CHARACTERS + 1

#: The groupings of the sums in `record_sums`, beside the month. Each grouping has sums of its own,
#: so that a coarse summary reads few of them.
GRAINS: tuple[frozenset[str], ...] = (
    frozenset(),
    frozenset({"accountId"}),
    frozenset({"categoryId"}),
    frozenset({"accountId", "categoryId"}),
    frozenset({"accountId", "categoryId", "payee"}),
)

#: Sums of the records of each month, by what `GRAINS` says, currency and kind.
record_sums = Table(
    "record_sums",
    metadata,
    owner_column(),
    # The place in GRAINS.
    Column("grain", BigInteger, primary_key=True, autoincrement=False),
    # The beginning of the payee; "" without a payee, or in a grain that is not by payee.
    Column("payee_key", CodePointText, primary_key=True),
    # Its first second.
    Column("month", BigInteger, primary_key=True, autoincrement=False),
    # Distinguishes the sums of a month, because their other columns may be NULL.
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # NULL without one, or in a grain that is not by it.
    Column("account_id", CodePointText),
    Column("category_id", CodePointText),
    Column("payee", CodePointText),
    Column("currency_code", CodePointText, nullable=False),
    Column("record_type", CodePointText, nullable=False),
    Column("is_void", Boolean, nullable=False),
    Column("is_transfer", Boolean, nullable=False),
    # The sums of the high and of the low halves of the amounts; see `sums`.
    Column("amount_high", BigInteger, nullable=False),
    Column("amount_low", BigInteger, nullable=False),
    Column("number_of_records", BigInteger, nullable=False),
    # The first and last recordDate.
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

#: For sums of some categories. SQLite is as fast without it.
Index(
    "ix_record_sums_category",
    record_sums.c.user_id,
    record_sums.c.grain,
    record_sums.c.category_id,
).ddl_if(dialect="postgresql")

#: One row: the version of the projection, see `writing.rebuilding`.
projection_version = Table(
    "projection_version",
    metadata,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
)


def number_parameter(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger())


def text_parameter(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=CodePointText)


USER = number_parameter("user")
LIMIT = number_parameter("limit")
OFFSET = number_parameter("offset")
#: A limit that no list reaches.
NO_LIMIT = 2**62
#: A JSON list of ids.
IDS = text_parameter("ids")
