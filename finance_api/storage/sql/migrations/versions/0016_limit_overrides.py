"""Budgets have limits of single periods.

Revision: 0016_limit_overrides
Follows: 0015_brought
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0016_limit_overrides"
down_revision = "0015_brought"


def upgrade() -> None:
    op.add_column(
        "budgets", sa.Column("limit_overrides", CodePointText, nullable=False, server_default="")
    )
