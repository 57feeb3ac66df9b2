"""The table `user_data`. It gets the columns of `users` that change with a user's data.

Other tables with users' data refer to `user_data`, so that Citus can distribute all by user.

Revision: 0002_user_data
Follows: 0001_initial
"""

import sqlalchemy as sa
from alembic import op

revision = "0002_user_data"
down_revision = "0001_initial"

_MOVED = ("data_revision", "data_changed_at", "data_tag", "record_count")
_REFERRING = (
    *("uploads", "history", "before_images", "transfer_proposals", "data_states", "tombstones"),
    *("records_by_date", "record_anchors", "record_sums", "records", "accounts", "categories"),
    *("budgets", "goals", "standing_orders", "labels", "record_rules", "contacts", "hash_tags"),
    "magic_rules",
)


def upgrade():
    op.create_table(
        "user_data",
        sa.Column("user_id", sa.BigInteger, autoincrement=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("tag", sa.BigInteger, nullable=False),
        sa.Column("record_count", sa.BigInteger, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("user_id", name="pk_user_data"),
    )
    op.execute(
        "INSERT INTO user_data (user_id, revision, changed_at, tag, record_count) "
        "SELECT id, data_revision, data_changed_at, data_tag, record_count FROM users"
    )
    if op.get_bind().dialect.name == "sqlite":
        _refer_on_sqlite()
    else:
        for table in _REFERRING:
            key = f"fk_{table}_user_id"
            op.drop_constraint(key, table)
            op.create_foreign_key(
                key, table, "user_data", ["user_id"], ["user_id"], ondelete="CASCADE"
            )
    for column in _MOVED:
        op.drop_column("users", column)


def _refer_on_sqlite():
    """Change the declarations, as https://www.sqlite.org/lang_altertable.html (section 7) says.

    SQLite cannot alter a foreign key, and copying a table would copy all of its rows.
    """
    connection = op.get_bind()
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    op.execute("PRAGMA writable_schema = ON")
    changed = sa.text(
        "UPDATE sqlite_schema SET sql = "
        "replace(sql, 'REFERENCES users (id)', 'REFERENCES user_data (user_id)') "
        "WHERE type = 'table' AND name IN :names"
    )
    op.execute(changed.bindparams(sa.bindparam("names", _REFERRING, expanding=True)))
    op.execute(f"PRAGMA schema_version = {version + 1}")
    op.execute("PRAGMA writable_schema = RESET")
