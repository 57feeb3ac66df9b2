"""Exchange rates.

Revision: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade():
    # Text in the order of its code points on every database.
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "exchange_rates",
        sa.Column("day", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("base", text, nullable=False),
        sa.Column("rates", text, nullable=False),
        sa.PrimaryKeyConstraint("day", "base", name="pk_exchange_rates"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "exchange_rates_state",
        sa.Column("revision", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("currencies", text, nullable=False),
        sa.Column("tag", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_exchange_rates_state"),
    )
