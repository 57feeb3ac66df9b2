"""Rows as JSON objects; the records in their default order, and places in it. Rows follow in 0005.

Revision: 0004
"""

import logging

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

WITH_JSON = ("accounts", "categories", "labels", "record_rules")

logger = logging.getLogger(__name__)


def _add_extensions(connection: sa.Connection) -> bool:
    """Whether what an index for searching needs is there, or could be added."""
    try:
        with connection.begin_nested():
            for name in ("pg_trgm", "btree_gin"):
                connection.exec_driver_sql(f"CREATE EXTENSION IF NOT EXISTS {name}")
    except sa.exc.DBAPIError as error:
        logger.warning("searching in texts is slow without PostgreSQL's extensions: %s", error.orig)
        return False
    return True


def upgrade() -> None:
    op.add_column(
        "users", sa.Column("record_count", sa.BigInteger(), nullable=False, server_default="0")
    )
    for name in WITH_JSON:
        op.add_column(name, sa.Column("json", TEXT, nullable=False, server_default=""))
    op.create_table(
        "records_by_date",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("newest_first", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("search_key", sa.BigInteger(), nullable=True),
        sa.Column("payee_folded", TEXT, nullable=True),
        sa.Column("note_folded", TEXT, nullable=True),
        sa.Column("json", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_records_by_date_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "newest_first", "id", name="pk_records_by_date"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_records_by_date_user_id_id", "records_by_date", ["user_id", "id"], unique=True
    )
    op.create_table(
        "record_anchors",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("newest_first", sa.BigInteger(), nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_record_anchors_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "position", name="pk_record_anchors"),
        sqlite_with_rowid=False,
    )
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        op.create_index(
            "ix_records_by_date_user_id_search_key",
            "records_by_date",
            ["user_id", "search_key"],
            unique=True,
        )
    elif _add_extensions(connection):
        # By the user as well: the texts of others are not looked at.
        op.execute(
            "CREATE INDEX ix_records_by_date_search ON records_by_date USING gin"
            " (user_id, payee_folded gin_trgm_ops, note_folded gin_trgm_ops)"
        )
