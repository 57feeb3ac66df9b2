"""Accounts name the recurring payments that their owner does not want to see.

Revision: 0019_ignored_payments
Follows: 0018_book_state
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0019_ignored_payments"
down_revision = "0018_book_state"


def upgrade() -> None:
    ignored = sa.Column("ignored_payments", CodePointText, nullable=False, server_default="")
    op.add_column("accounts", ignored)
