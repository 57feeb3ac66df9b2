"""Which process works at an upload.

Revision: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade():
    # Text in the order of its code points on every database.
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.add_column("uploads", sa.Column("worker", text, nullable=False, server_default=""))
