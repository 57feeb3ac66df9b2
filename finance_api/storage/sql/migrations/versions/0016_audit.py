"""The audit log.

Revision: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade():
    # Text in the order of its code points on every database.
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", text, nullable=False),
        sa.Column("origin", text, nullable=False),
        sa.Column("user_id", sa.BigInteger()),
        sa.Column("detail", text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_audit_user_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_audit_user_id_at", "audit", ["user_id", "at"])
    op.create_index("ix_audit_at", "audit", ["at"])
