"""The first tables.

Revision: 0001
"""

import logging

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

logger = logging.getLogger(__name__)

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

SEARCH_TABLE = """
CREATE VIRTUAL TABLE record_search USING fts5(
    payee_folded, note_folded,
    content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
)
"""

# By the user as well: the texts of others are not looked at.
SEARCH_INDEX = """
CREATE INDEX ix_records_by_date_search ON records_by_date
USING gin (user_id, payee_folded gin_trgm_ops, note_folded gin_trgm_ops)
"""


# Names of columns end with a question mark where the value can be missing.


def columns(kind, *names):
    return [
        sa.Column(name.rstrip("?"), kind, nullable=name.endswith("?"), autoincrement=False)
        for name in names
    ]


def text(*names):
    return columns(TEXT, *names)


def searched(*names):
    """Text with its folded form beside it."""
    return [
        column
        for name in names
        for column in text(name, f"{name}_folded" if name[-1] != "?" else f"{name[:-1]}_folded?")
    ]


def integer(*names):
    return columns(sa.BigInteger(), *names)


def boolean(*names):
    return columns(sa.Boolean(), *names)


def create_table(name, key, *parts, unique=(), indexes=(), has_user=True, **options):
    """key, unique, indexes: names of columns, between spaces."""
    constraints = [sa.PrimaryKeyConstraint(*key.split(), name=f"pk_{name}")]
    if has_user:
        constraints.append(
            sa.ForeignKeyConstraint(
                ["user_id"], ["users.id"], name=f"fk_{name}_user_id", ondelete="CASCADE"
            )
        )
    for names in map(str.split, unique):
        constraints.append(sa.UniqueConstraint(*names, name=f"uq_{name}_{'_'.join(names)}"))
    op.create_table(name, *(c for part in parts for c in part), *constraints, **options)
    for names in map(str.split, indexes):
        op.create_index(f"ix_{name}_{'_'.join(names)}", name, names)


def create_data_table(name, *parts, more=(), indexes=()):
    """A resource's table. more: columns after those that every resource has."""
    create_table(
        name,
        "user_id id",
        integer("user_id"),
        text("id"),
        *parts,
        integer("created_at", "updated_at"),
        text("source?", "source_id?"),
        *more,
        unique=["user_id source source_id"],
        indexes=indexes,
    )


def create_users_and_credentials():
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    create_table(
        "users",
        "id",
        [sa.Column("id", key, nullable=False)],
        text("uuid", "email"),
        boolean("premium", "enabled"),
        text("password_hash?"),
        integer("created_at", "data_revision", "data_changed_at"),
        [sa.Column("record_count", sa.BigInteger(), nullable=False, server_default="0")],
        integer("jwts_revoked_at?"),
        unique=["email", "uuid"],
        has_user=False,
        sqlite_autoincrement=True,
    )
    create_table(
        "tokens",
        "id",
        text("id"),
        integer("user_id"),
        text("name", "sha256", "start", "scopes?"),
        integer("created_at", "expires_at?", "last_used_at?", "revoked_at?"),
        unique=["sha256"],
        indexes=["user_id"],
    )
    create_table(
        "jwts",
        "jti",
        text("jti"),
        integer("user_id?", "issued_at?", "expires_at", "revoked_at?"),
        indexes=["user_id", "expires_at"],
    )
    create_table(
        "sessions",
        "sha256",
        text("sha256"),
        integer("user_id", "created_at", "seen_at"),
        text("user_agent"),
        indexes=["user_id"],
    )
    create_table("usage", "user_id day", integer("user_id", "day", "requests"))


def create_data():
    create_data_table(
        "accounts",
        searched("name"),
        text("account_type", "currency_code"),
        integer("initial_balance", "balance", "record_count"),
        searched("bank_account_number?", "color?"),
        boolean("archived", "exclude_from_stats"),
        more=[integer("bank_balance?", "bank_balance_date?"), text("statement_keys", "json")],
    )
    create_data_table(
        "budgets",
        searched("name?"),
        text("type", "currency_code?"),
        integer("limit_amount?"),
        text("category_ids", "account_ids", "label_ids"),
        integer("start_date?", "end_date?"),
        boolean("closed"),
    )
    create_data_table(
        "categories",
        searched("name"),
        text("parent_id?"),
        searched("group?", "color?"),
        boolean("archived", "custom_category"),
        more=[text("json")],
    )
    create_data_table(
        "goals",
        searched("name?", "note?", "color?"),
        integer("target_amount?", "saved_amount"),
        text("currency_code?"),
        integer("desired_date?"),
        text("state"),
    )
    create_data_table(
        "labels", searched("name", "color?"), boolean("archived"), more=[text("json")]
    )
    create_data_table(
        "record_rules",
        searched("name?", "keywords"),
        text("category_id?", "label_ids", "account_id?"),
        more=[text("json")],
    )
    create_data_table(
        "records",
        text("account_id"),
        searched("account_name"),
        integer("amount"),
        text("currency_code"),
        integer("record_date"),
        searched("category?"),
        text("category_id?"),
        searched("payee?", "note?", "labels"),
        text("label_ids", "record_type", "payment_type?", "record_state?", "transfer_id?"),
        indexes=["user_id account_id"],
    )
    op.create_index(
        "ix_records_user_id_record_date_id",
        "records",
        ["user_id", sa.literal_column("record_date DESC"), "id"],
    )
    create_data_table(
        "standing_orders",
        searched("name?"),
        text("type?", "account_id?", "category_id?"),
        integer("amount?"),
        text("currency_code?"),
        searched("payee?", "note?"),
        text("payment_type?"),
        searched("recurrence_rule?"),
        integer("start_date?"),
        text("label_ids"),
        boolean("manual_payment"),
    )
    for name in ("contacts", "hash_tags", "magic_rules"):
        create_data_table(name, searched("name"), more=[text("extra?")])


def create_projection():
    create_table(
        "records_by_date",
        "user_id newest_first id",
        integer("user_id", "newest_first"),
        text("id"),
        integer("search_key?"),
        text("payee_folded?", "note_folded?", "json"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_records_by_date_user_id_id", "records_by_date", ["user_id", "id"], unique=True
    )
    create_table(
        "record_anchors",
        "user_id position",
        integer("user_id", "position", "newest_first"),
        text("id"),
        sqlite_with_rowid=False,
    )
    create_table("projection_version", "version", integer("version"), has_user=False)
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        name = "ix_records_by_date_user_id_search_key"
        op.create_index(name, "records_by_date", ["user_id", "search_key"], unique=True)
        op.execute(SEARCH_TABLE)
        # Two segments of one size are merged as soon as possible; the default is four.
        op.execute("INSERT INTO record_search (record_search, rank) VALUES ('usermerge', 2)")
    elif add_extensions(connection):
        op.execute(SEARCH_INDEX)


def add_extensions(connection):
    """Whether the extensions that the search index needs are there, or could be added."""
    try:
        with connection.begin_nested():
            for name in ("pg_trgm", "btree_gin"):
                connection.exec_driver_sql(f"CREATE EXTENSION IF NOT EXISTS {name}")
    except sa.exc.DBAPIError as error:
        logger.warning("searching in texts is slow without PostgreSQL's extensions: %s", error.orig)
        return False
    return True


def upgrade():
    create_users_and_credentials()
    create_data()
    create_projection()
