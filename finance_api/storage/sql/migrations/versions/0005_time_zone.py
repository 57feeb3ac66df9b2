"""The time zone of each user.

Revision: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    column = sa.Column("time_zone", text, nullable=False, server_default="UTC")
    op.add_column("users", column)
