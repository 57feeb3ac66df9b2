"""The revision of each row's newest change, and the states of the data.

Revision: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def number(name):
    return sa.Column(name, sa.BigInteger(), nullable=False, autoincrement=False)


def text(name):
    return sa.Column(name, TEXT, nullable=False)


def create_table(name, *columns, key):
    op.create_table(
        name,
        number("user_id"),
        *columns,
        sa.PrimaryKeyConstraint("user_id", *key, name=f"pk_{name}"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=f"fk_{name}_user_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )


def create_index(table, *columns):
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)


def upgrade():
    # The new version of the projection fills them; nobody has read a change before.
    op.drop_table("tombstones")
    create_table(
        "tombstones",
        text("resource"),
        text("row_id"),
        number("revision"),
        key=["resource", "row_id"],
    )
    create_index("tombstones", "user_id", "resource", "revision", "row_id")
    create_table(
        "data_states",
        number("revision"),
        number("changed_at"),
        number("tag"),
        key=["revision"],
    )
    for table in ("records_by_date", "accounts", "categories", "labels", "record_rules"):
        # SQLite adds no column that may not be NULL without a default; every row says it itself.
        column = sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0")
        op.add_column(table, column)
        create_index(table, "user_id", "revision", "id")
