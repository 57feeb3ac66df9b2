"""Pairs of records that look like transfers.

Revision: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade():
    # Text in the order of its code points on every database.
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "transfer_proposals",
        sa.Column("user_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("out_id", text, nullable=False),
        sa.Column("in_id", text, nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("by_number", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "out_id", name="pk_transfer_proposals"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_transfer_proposals_user_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    for columns in (["user_id", "in_id"], ["user_id", "day", "out_id"]):
        name = f"ix_transfer_proposals_{'_'.join(columns)}"
        op.create_index(name, "transfer_proposals", columns)
