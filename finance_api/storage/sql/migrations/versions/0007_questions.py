"""Saved questions: the table `questions`.

Revision: 0007_questions
Follows: 0006_goal_links
"""

import sqlalchemy as sa
from alembic import op

revision = "0007_questions"
down_revision = "0006_goal_links"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "questions",
        sa.Column("id", text, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("address", text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
        sa.UniqueConstraint("user_id", "name", name="uq_questions_user_id_name"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_questions_user_id", ondelete="CASCADE"
        ),
    )
