"""Numbers of requests, by user, day and token.

Revision: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "token_usage",
        sa.Column("user_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("day", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("token_id", text, nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "day", "token_id", name="pk_token_usage"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_token_usage_user_id", ondelete="CASCADE"
        ),
    )
