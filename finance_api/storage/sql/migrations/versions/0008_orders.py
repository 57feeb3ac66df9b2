"""PostgreSQL gets indexes for lists of records by amount and by payee, as SQLite has.

Revision: 0008_orders
Follows: 0007_questions
"""

import sqlalchemy as sa
from alembic import op

revision = "0008_orders"
down_revision = "0007_questions"

_LENGTH = "least(coalesce(length(payee), 0), 501)"


def upgrade():
    if op.get_bind().dialect.name != "postgresql":
        return
    op.create_index("ix_records_by_amount", "records", ["user_id", "amount", "id"])
    for name, columns, which in (
        ("ix_records_by_short_payee", ["user_id", "payee", "id"], f"{_LENGTH} != 501"),
        ("ix_records_long_payee", ["user_id"], f"{_LENGTH} = 501"),
    ):
        op.create_index(name, "records", columns, postgresql_where=sa.text(which))
