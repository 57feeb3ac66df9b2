"""Sums of the records, kept for each month; categories of income and of expenses.

Revision: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def number(name):
    return sa.Column(name, sa.BigInteger(), nullable=False, autoincrement=False)


def text(name, *, nullable=False):
    return sa.Column(name, TEXT, nullable=nullable)


def flag(name, **options):
    return sa.Column(name, sa.Boolean(), nullable=False, **options)


# Folded.
INCOME_GROUPS = frozenset(
    "income incomes earnings revenue revenues inflow inflows einkommen einnahmen einkünfte revenus "
    "ingresos entrate receitas inkomsten przychody příjmy bevételek inkomster indtægter inntekter "
    "tulot".split()
)

categories = sa.table(
    "categories", *map(sa.column, ("user_id", "id", "parent_id", "group_folded", "kind"))
)


def derive_kinds(connection):
    """By the group of the topmost category that has one."""
    rows = {(row.user_id, row.id): row for row in connection.execute(sa.select(categories)).all()}
    kinds = []
    for key, row in rows.items():
        group, seen = None, set()
        while row is not None and row.id not in seen:
            seen.add(row.id)
            group = group if row.group_folded is None else row.group_folded
            row = rows.get((row.user_id, row.parent_id))
        if group is not None:
            kind = "income" if group in INCOME_GROUPS else "expense"
            kinds.append({"of_user": key[0], "of_id": key[1], "new_kind": kind})
    if kinds:
        own = (
            categories.c.user_id == sa.bindparam("of_user"),
            categories.c.id == sa.bindparam("of_id"),
        )
        change = sa.update(categories).where(*own).values(kind=sa.bindparam("new_kind"))
        connection.execute(change, kinds)


def widen_index():
    """The index by date has what sums are made of."""
    op.drop_index("ix_records_user_id_record_date_id", "records")
    by_date = ["user_id", sa.text("record_date DESC"), "id"]
    summed = [
        "account_id",
        "category_id",
        "currency_code",
        "record_type",
        "record_state",
        "transfer_id",
        "amount",
    ]
    if op.get_bind().dialect.name == "sqlite":
        op.create_index("ix_records_by_date", "records", [*by_date, *summed])
    else:
        op.create_index(
            "ix_records_by_date_including", "records", by_date, postgresql_include=summed
        )


def upgrade():
    widen_index()
    op.add_column("categories", text("kind", nullable=True))
    # SQLite adds no column that may not be NULL without a default; every row says it itself.
    op.add_column("categories", flag("kind_is_derived", server_default=sa.true()))
    derive_kinds(op.get_bind())
    op.create_table(
        "record_sums",
        number("user_id"),
        number("grain"),
        number("month"),
        number("number"),
        text("account_id", nullable=True),
        text("category_id", nullable=True),
        text("currency_code"),
        text("record_type"),
        flag("is_void"),
        flag("is_transfer"),
        number("amount_high"),
        number("amount_low"),
        number("number_of_records"),
        number("first"),
        number("last"),
        sa.PrimaryKeyConstraint("user_id", "grain", "month", "number", name="pk_record_sums"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_record_sums_user_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_record_sums_user_id_grain_category_id",
        "record_sums",
        ["user_id", "grain", "category_id"],
    )
