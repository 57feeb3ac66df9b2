"""What is kept for answers, for rows of before; SQLite's index for searching, in the list's order.

Revision: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_SEARCH = """
CREATE VIRTUAL TABLE record_search USING fts5(
    payee_folded, note_folded,
    content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
)
"""


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        # There may be one whose keys are in the order in which records were stored.
        for table in ("record_anchors", "records_by_date"):
            op.execute(f"DELETE FROM {table}")  # noqa: S608 (a table's name)
        op.execute("DROP TABLE IF EXISTS record_search")
        op.execute(_SEARCH)
        # Two parts of one size are merged as soon as there is time for it; the default is four.
        op.execute("INSERT INTO record_search (record_search, rank) VALUES ('usermerge', 2)")
    elif connection.execute(sa.text("SELECT 1 FROM records_by_date LIMIT 1")).first():
        return
    # Through the program's own code: what it prepares is defined there.
    from finance_api.storage.sql.projection.rebuilding import rebuild_all

    rebuild_all(connection)
