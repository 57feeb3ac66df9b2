"""JSON Web Tokens and their revocation; how much of the API each user has used.

Revision: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("users", sa.Column("jwts_revoked_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "jwts",
        sa.Column("jti", TEXT, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("issued_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_jwts_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("jti", name="pk_jwts"),
    )
    op.create_index("ix_jwts_user_id", "jwts", ["user_id"], unique=False)
    op.create_index("ix_jwts_expires_at", "jwts", ["expires_at"], unique=False)
    op.create_table(
        "usage",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_usage_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "day", name="pk_usage"),
    )
