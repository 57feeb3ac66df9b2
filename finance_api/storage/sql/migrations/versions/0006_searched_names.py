"""The names that are searched beside payee and note; the upgrade rebuilds the projection after it.

Revision: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    column = sa.Column("names_folded", text, nullable=False, server_default="")
    op.add_column("records_by_date", column)
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_records_by_date_searched")
        op.create_index(
            "ix_records_by_date_searched",
            "records_by_date",
            ["user_id", "newest_first", "id", "payee_folded", "note_folded", "names_folded"],
        )
