"""An index for the other record of a transfer.

Revision: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade():
    is_transfer = sa.text("transfer_id IS NOT NULL")
    op.create_index(
        "ix_records_transfers",
        "records",
        ["user_id", "transfer_id"],
        sqlite_where=is_transfer,
        postgresql_where=is_transfer,
    )
