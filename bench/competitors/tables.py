"""The competitors' tables: normalised, with the usual indexes."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("user_id", Integer, nullable=False),
    Column("active", Boolean, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("user_id", Integer, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("currency_code", String(3), nullable=False),
    # Ten-thousandths, like the amounts of records.
    Column("initial_balance", BigInteger, nullable=False),
)

categories = Table(
    "categories",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("user_id", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("parent_id", String(36)),
    Column("group_name", Text),
    Column("color", Text),
    Column("archived", Boolean, nullable=False),
    Column("custom_category", Boolean, nullable=False),
    Column("created_at", DateTime, nullable=False),
    Column("updated_at", DateTime, nullable=False),
    Index("ix_categories_user_name", "user_id", "name"),
)

_SUMMED = ("amount", "record_state", "transfer_id")
records = Table(
    "records",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("user_id", Integer, nullable=False),
    Column("account_id", String(36), ForeignKey("accounts.id"), nullable=False),
    Column("category_id", String(36), ForeignKey("categories.id")),
    # Ten-thousandths: SQLite stores Numeric as a binary float, which is not exact.
    Column("amount", BigInteger, nullable=False),
    Column("record_date", DateTime, nullable=False),
    Column("payee", Text),
    Column("note", Text),
    # Names and ids, joined by commas.
    Column("labels", Text, nullable=False),
    Column("label_ids", Text, nullable=False),
    Column("payment_type", String(16)),
    Column("record_state", String(16)),
    Column("transfer_id", String(36)),
    Column("created_at", DateTime, nullable=False),
    Column("updated_at", DateTime, nullable=False),
    Index("ix_records_user_date", "user_id", text("record_date DESC"), "id"),
    Index("ix_records_user_account", "user_id", "account_id"),
    Index("ix_records_user_category", "user_id", "category_id"),
    # Queries for sums read only this index and the next.
    Index("ix_records_sums", "user_id", "account_id", "category_id", "record_date", *_SUMMED),
    Index(
        "ix_records_payee_sums",
        *("user_id", "payee", "account_id", "category_id", "record_date"),
        *_SUMMED,
    ),
)

#: PostgreSQL's index for substrings, which ILIKE uses automatically.
TRIGRAM_INDEX = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX ix_records_note_trgm ON records USING gin (note gin_trgm_ops)",
)
