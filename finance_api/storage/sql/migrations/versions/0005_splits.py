"""Split records: the table `splits` for wholes, and the column `records.split_id` for parts.

Revision: 0005_splits
Follows: 0004_plain_texts
"""

import sqlalchemy as sa
from alembic import op

revision = "0005_splits"
down_revision = "0004_plain_texts"

_NEEDED = ("account_id", "amount", "record_date", "created_at", "updated_at")
_NUMBERS = (
    *("amount", "record_date", "value_date", "original_amount"),
    *("import_id", "created_at", "updated_at"),
)
_COLUMNS = (
    *("id", "account_id", "amount", "record_date", "payee", "payee_folded", "note"),
    *("note_folded", "payment_type", "record_state", "value_date", "counterparty_account"),
    *("counterparty_account_folded", "reference", "reference_folded", "original_amount"),
    *("original_currency_code", "import_id", "created_at", "updated_at", "source", "source_id"),
    *("further_sources", "stated", "set_by_hand"),
)


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "splits",
        sa.Column("user_id", sa.BigInteger, nullable=False),
        *(
            sa.Column(
                name,
                sa.BigInteger if name in _NUMBERS else text,
                nullable=name not in ("id", *_NEEDED),
            )
            for name in _COLUMNS
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_splits"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_splits_user_id_source_source_id"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_data.user_id"], name="fk_splits_user_id", ondelete="CASCADE"
        ),
    )
    op.add_column("records", sa.Column("split_id", text))
    is_part = sa.text("split_id IS NOT NULL")
    op.create_index(
        "ix_records_splits",
        "records",
        ["user_id", "split_id"],
        sqlite_where=is_part,
        postgresql_where=is_part,
    )
