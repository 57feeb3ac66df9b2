"""The bank's text of payees that were changed.

Revision: 0013_original_payee
Follows: 0012_initial
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0013_original_payee"
down_revision = "0012_initial"


def upgrade() -> None:
    for table in ("records", "splits"):
        for name in ("original_payee", "original_payee_folded"):
            op.add_column(table, sa.Column(name, CodePointText))
