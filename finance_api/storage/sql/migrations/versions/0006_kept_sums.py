"""Sums of the records, kept for each month.

Revision: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0004"

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def number(name):
    return sa.Column(name, sa.BigInteger(), nullable=False, autoincrement=False)


def text(name, *, nullable=False):
    return sa.Column(name, TEXT, nullable=nullable)


def flag(name):
    return sa.Column(name, sa.Boolean(), nullable=False)


def upgrade():
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
