"""A random tag beside each user's revision.

Revision: 0003
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

users = sa.table("users", sa.column("id"), sa.column("data_tag"))


def upgrade():
    # SQLite adds no column that may not be NULL without a default; no user keeps it.
    column = sa.Column("data_tag", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("users", column)
    connection = op.get_bind()
    ids = connection.scalars(sa.select(users.c.id)).all()
    if ids:
        connection.execute(
            sa.update(users)
            .where(users.c.id == sa.bindparam("user"))
            .values(data_tag=sa.bindparam("tag")),
            [{"user": user, "tag": secrets.randbits(64) - 2**63} for user in ids],
        )
