"""The column `users.region`: the region whose formats of numbers and dates the pages use.

Revision: 0003_user_region
Follows: 0002_user_data
"""

import sqlalchemy as sa
from alembic import op

revision = "0003_user_region"
down_revision = "0002_user_data"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.add_column("users", sa.Column("region", text))
