"""Sums of the records by payee too.

Revision: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def number(name):
    return sa.Column(name, sa.BigInteger(), nullable=False, autoincrement=False)


def text(name, *, nullable=False):
    return sa.Column(name, TEXT, nullable=nullable)


def upgrade():
    # It is filled anew, with the projection.
    op.drop_table("record_sums")
    op.create_table(
        "record_sums",
        number("user_id"),
        number("grain"),
        text("payee_key"),
        number("month"),
        number("number"),
        text("account_id", nullable=True),
        text("category_id", nullable=True),
        text("payee", nullable=True),
        text("currency_code"),
        text("record_type"),
        sa.Column("is_void", sa.Boolean(), nullable=False),
        sa.Column("is_transfer", sa.Boolean(), nullable=False),
        number("amount_high"),
        number("amount_low"),
        number("number_of_records"),
        number("first"),
        number("last"),
        sa.PrimaryKeyConstraint(
            "user_id", "grain", "payee_key", "month", "number", name="pk_record_sums"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_record_sums_user_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        of_grain = ["user_id", "grain", "category_id"]
        op.create_index("ix_record_sums_category", "record_sums", of_grain)
        return
    op.drop_index("ix_records_by_date", "records")
    by_date = ["user_id", sa.text("record_date DESC"), "id"]
    summed = ["account_id", "category_id", "currency_code", "record_type", "record_state"]
    columns = [*by_date, *summed, "transfer_id", "amount", "payee"]
    op.create_index("ix_records_by_date", "records", columns)
