"""Searches read the user's own records: what they needed before goes, and SQLite reads faster.

Revision: 0002
"""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE IF EXISTS record_search")
        op.drop_index("ix_records_by_date_user_id_search_key")
        op.create_index(
            "ix_records_by_date_searched",
            "records_by_date",
            ["user_id", "newest_first", "id", "payee_folded", "note_folded"],
        )
        op.create_index("ix_records_user_id", "records", ["user_id"])
    else:
        # The extensions pg_trgm and btree_gin stay: others may use them.
        op.execute("DROP INDEX IF EXISTS ix_records_by_date_search")
    op.drop_column("records_by_date", "search_key")
