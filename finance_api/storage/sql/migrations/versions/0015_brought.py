"""What files brought of records, and the day from which an account's balance is unexplained.

Revision: 0015_brought
Follows: 0014_rule_payee
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0015_brought"
down_revision = "0014_rule_payee"


def upgrade() -> None:
    for table in ("records", "splits"):
        op.add_column(table, sa.Column("brought", CodePointText))
    op.add_column("accounts", sa.Column("unexplained_since", sa.BigInteger()))
    differs = sa.text("brought IS NOT NULL")
    op.create_index(
        "ix_records_brought",
        "records",
        ["user_id", "id"],
        sqlite_where=differs,
        postgresql_where=differs,
    )
