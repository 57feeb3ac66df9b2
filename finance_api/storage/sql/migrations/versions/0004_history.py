"""The history of each user's data, and what records and accounts gain from statements.

Revision: 0004
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

NUMBERS = {
    "records": ["value_date", "original_amount", "import_id"],
    "accounts": ["last_record_date", "own_initial_balance"],
}
TEXTS = {
    "records": [
        "counterparty_account",
        "counterparty_account_folded",
        "reference",
        "reference_folded",
        "original_currency_code",
        "further_sources",
        "stated",
        "set_by_hand",
    ],
    "accounts": ["set_by_hand"],
}

users = sa.table("users", sa.column("id"), sa.column("data_revision"), sa.column("data_changed_at"))
accounts = sa.table(
    "accounts",
    *map(sa.column, ("user_id", "id", "bank_balance", "bank_balance_date", "statement_keys")),
)
history = sa.table(
    "history",
    *map(sa.column, ("user_id", "number", "at", "action", "by", "revision", "pruned", "details")),
)


def create_table(name, *columns, key):
    op.create_table(
        name,
        sa.Column("user_id", sa.BigInteger(), nullable=False, autoincrement=False),
        *columns,
        sa.PrimaryKeyConstraint("user_id", *key, name=f"pk_{name}"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=f"fk_{name}_user_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=name == "history",
    )


def number(name, *, nullable=False):
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def text(name, *, nullable=False):
    return sa.Column(name, TEXT, nullable=nullable)


def create_tables():
    create_table(
        "history",
        number("number"),
        number("at"),
        text("action"),
        text("by"),
        number("revision"),
        number("undone_at", nullable=True),
        sa.Column("pruned", sa.Boolean(), nullable=False),
        text("details"),
        key=["number"],
    )
    create_table(
        "before_images",
        number("number"),
        text("resource"),
        text("row_id"),
        text("row", nullable=True),
        key=["number", "resource", "row_id"],
    )
    create_table(
        "tombstones",
        text("resource"),
        text("row_id"),
        number("revision"),
        number("at"),
        key=["resource", "row_id"],
    )


def keep_bank_balances(connection):
    """What statements told before there was a history stands in a first entry of it."""
    told = (
        sa.select(users.c.data_revision, users.c.data_changed_at, *accounts.c)
        .join_from(users, accounts, users.c.id == accounts.c.user_id)
        .where(accounts.c.bank_balance_date.is_not(None))
        .order_by(accounts.c.user_id, accounts.c.id)
    )
    facts, entries = {}, {}
    for revision_, changed_at, user, account, balance, day, _ in connection.execute(told).all():
        fact = {"accountId": account, "source": "ofx", "closing": [day, balance]}
        facts.setdefault(user, []).append(fact)
        entries[user] = {"user_id": user, "number": 1, "at": changed_at, "action": "upgrade"}
        entries[user] |= {"by": "command", "revision": revision_, "pruned": False}
    for user, entry in entries.items():
        details = json.dumps({"accounts": facts[user]}, separators=(",", ":"))
        connection.execute(sa.insert(history).values(**entry, details=details))


def upgrade():
    create_tables()
    for table in ("records", "accounts"):
        for name in NUMBERS[table]:
            op.add_column(table, number(name, nullable=True))
        for name in TEXTS[table]:
            op.add_column(table, text(name, nullable=True))
    op.add_column("records", sa.Column("category_by_rule", sa.Boolean(), nullable=True))
    # SQLite adds no column that may not be NULL without a default; every row says it itself.
    unexplained = sa.Column("unexplained", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("accounts", unexplained)
    connection = op.get_bind()
    keep_bank_balances(connection)
    connection.execute(
        sa.text(
            "UPDATE accounts SET last_record_date = (SELECT max(record_date) FROM records"
            " WHERE records.user_id = accounts.user_id AND records.account_id = accounts.id)"
        )
    )
    # Its day: the remainder of a time before 1970 is negative.
    connection.execute(
        sa.text(
            "UPDATE accounts SET last_record_date = last_record_date"
            " - ((last_record_date % 86400) + 86400) % 86400"
        )
    )
