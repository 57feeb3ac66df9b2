"""The base currency of each user.

Revision: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.add_column("users", sa.Column("base_currency", text))
