"""Record rules give payees, and can compare the whole payee.

Revision: 0014_rule_payee
Follows: 0013_original_payee
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0014_rule_payee"
down_revision = "0013_original_payee"


def upgrade() -> None:
    for name in ("payee", "payee_folded"):
        op.add_column("record_rules", sa.Column(name, CodePointText))
    whole = sa.Column("whole_payee", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("record_rules", whole)
