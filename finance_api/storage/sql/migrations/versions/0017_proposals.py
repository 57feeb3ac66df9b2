"""Proposed pairs of records are transfers or duplicates.

The table is altered in place, so that it stays on the machines that have it.

Revision: 0017_proposals
Follows: 0016_limit_overrides
"""

import sqlalchemy as sa
from alembic import op

from finance_api.storage.sql.tables import CodePointText

revision = "0017_proposals"
down_revision = "0016_limit_overrides"

_SQLITE = {"sqlite_with_rowid": False}


def upgrade() -> None:
    for columns in ("in_id", "day_out_id"):
        name = f"ix_transfer_proposals_user_id_{columns}"
        op.drop_index(name, table_name="transfer_proposals")
    op.rename_table("transfer_proposals", "proposals")
    with op.batch_alter_table("proposals", table_kwargs=_SQLITE) as table:
        table.alter_column("out_id", new_column_name="first_id")
        table.alter_column("in_id", new_column_name="second_id")
        kind = sa.Column("kind", CodePointText, nullable=False, server_default="transfer")
        table.add_column(kind)
    with op.batch_alter_table("proposals", table_kwargs=_SQLITE) as table:
        table.drop_constraint("pk_transfer_proposals", type_="primary")
        table.create_primary_key("pk_proposals", ["user_id", "kind", "first_id"])
    for columns in (["kind", "second_id"], ["kind", "day", "first_id"]):
        name = "_".join(["ix_proposals_user_id", *columns])
        op.create_index(name, "proposals", ["user_id", *columns])
