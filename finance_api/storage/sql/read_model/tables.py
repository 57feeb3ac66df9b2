"""The tables of the read model."""

import sqlalchemy as sa

from finance_api.query.errors import MAX_OPERAND_CHARACTERS
from finance_api.storage.sql.tables import CodePointText, metadata, owner_column

#: The records in default order, newest first: each as the JSON object of a response.
records_by_date = sa.Table(
    "records_by_date",
    metadata,
    owner_column(),
    # The record's date, negated. So both columns of the order ascend, and a position in the list
    # can be compared as a whole.
    sa.Column("newest_first", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("id", CodePointText, primary_key=True),
    sa.Column("json", CodePointText, nullable=False),
    sa.Index(None, "user_id", "id", unique=True),
    sqlite_with_rowid=False,
)

#: The number of records between one anchor and the next.
ANCHOR_INTERVAL = 256

#: Every 256th record in the order of records_by_date, counted from the end of the list. New records
#: mostly come at the beginning, so they leave most positions unchanged.
record_anchors = sa.Table(
    "record_anchors",
    metadata,
    owner_column(),
    # The number of records after this one in the list.
    sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("newest_first", sa.BigInteger, nullable=False),
    sa.Column("id", CodePointText, nullable=False),
    sqlite_with_rowid=False,
)

#: Number of characters of a payee in a key: more than a filter can contain. PostgreSQL allows no
#: long texts in keys.
PAYEE_KEY_CHARACTERS = MAX_OPERAND_CHARACTERS + 1

#: The fields by which the sums in `record_sums` are grouped, besides the month. Each grouping has
#: its own sums, so that a coarse summary reads only a few. Sums are written in this order, which is
#: that of the primary key, so that the table's pages are filled.
GRAINS: tuple[frozenset[str], ...] = (
    frozenset({"accountId", "categoryId", "payee"}),
    frozenset({"categoryId"}),
    frozenset({"accountId"}),
    frozenset(),
)

#: Sums of each month's records, grouped as in `GRAINS`, and by currency, type and flags.
record_sums = sa.Table(
    "record_sums",
    metadata,
    owner_column(),
    # The position in GRAINS.
    sa.Column("grain", sa.BigInteger, primary_key=True, autoincrement=False),
    # The beginning of the payee; "" if there is no payee, or if the grain does not have payees.
    sa.Column("payee_key", CodePointText, primary_key=True),
    # The first second of the month.
    sa.Column("month", sa.BigInteger, primary_key=True, autoincrement=False),
    # Distinguishes the sums of a month: the other columns may be NULL, so they cannot be keys.
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    # This and the next two columns are NULL if the records have no value, or if the grain omits it.
    sa.Column("account_id", CodePointText),
    sa.Column("category_id", CodePointText),
    sa.Column("payee", CodePointText),
    sa.Column("currency_code", CodePointText, nullable=False),
    sa.Column("record_type", CodePointText, nullable=False),
    sa.Column("is_void", sa.Boolean, nullable=False),
    sa.Column("is_transfer", sa.Boolean, nullable=False),
    # The sums of the amounts' high halves and low halves; see `sums`.
    sa.Column("amount_high", sa.BigInteger, nullable=False),
    sa.Column("amount_low", sa.BigInteger, nullable=False),
    sa.Column("number_of_records", sa.BigInteger, nullable=False),
    # The recordDate of the first and of the last record.
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
    # For reading the sums of some categories. SQLite is as fast without this index.
    sa.Index("ix_record_sums_category", "user_id", "grain", "category_id").ddl_if("postgresql"),
    sqlite_with_rowid=False,
)

READ_MODEL = (record_anchors, records_by_date, record_sums)
