"""Links of saved questions: the table `question_links`.

Revision: 0009_question_links
Follows: 0008_orders
"""

import sqlalchemy as sa
from alembic import op

revision = "0009_question_links"
down_revision = "0008_orders"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "question_links",
        sa.Column("id", text, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("question_id", text, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("sha256", text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("expires_at", "last_used_at", "revoked_at")),
        sa.PrimaryKeyConstraint("id", name="pk_question_links"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_question_links_user_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("sha256", name="uq_question_links_sha256"),
    )
    op.create_index("ix_question_links_user_id", "question_links", ["user_id"])
