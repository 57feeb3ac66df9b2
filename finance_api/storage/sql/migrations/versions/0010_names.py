"""SQLite gets indexes for lists of accounts, categories and labels by name.

Revision: 0010_names
Follows: 0009_question_links
"""

from alembic import op

revision = "0010_names"
down_revision = "0009_question_links"


def upgrade():
    if op.get_bind().dialect.name == "sqlite":
        for table in ("accounts", "categories", "labels"):
            op.create_index(f"ix_{table}_by_name", table, ["user_id", "name", "id"])
