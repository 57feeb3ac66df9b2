"""What books last had of each object.

Revision: 0018_book_state
Follows: 0017_proposals
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0018_book_state"
down_revision = "0017_proposals"

_TABLES = (
    *("accounts", "categories", "labels", "splits", "records", "budgets", "goals"),
    *("standing_orders", "record_rules", "contacts", "hash_tags", "magic_rules"),
)


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("book_state", CodePointText))
