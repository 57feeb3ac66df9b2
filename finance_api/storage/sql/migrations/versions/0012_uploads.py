"""Files that wait to be imported.

Revision: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade():
    # Text in the order of its code points on every database.
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "uploads",
        sa.Column("user_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("id", text, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("state", text, nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("alive_at", sa.BigInteger(), nullable=False),
        sa.Column("options", text, nullable=False),
        sa.Column("outcome", text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_uploads"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_uploads_user_id", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "upload_pieces",
        sa.Column("user_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("upload_id", text, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "upload_id", "number", name="pk_upload_pieces"),
        sa.ForeignKeyConstraint(
            ["user_id", "upload_id"],
            ["uploads.user_id", "uploads.id"],
            name="fk_upload_pieces_user_id",
            ondelete="CASCADE",
        ),
    )
