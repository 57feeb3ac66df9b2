"""The first tables: users, their tokens, and a table for each resource.

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", KEY, nullable=False),
        sa.Column("uuid", TEXT, nullable=False),
        sa.Column("email", TEXT, nullable=False),
        sa.Column("premium", sa.Boolean(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("password_hash", TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("data_revision", sa.BigInteger(), nullable=False),
        sa.Column("data_changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
        sa.UniqueConstraint("uuid", name="uq_users_uuid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "accounts",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("account_type", TEXT, nullable=False),
        sa.Column("currency_code", TEXT, nullable=False),
        sa.Column("initial_balance", sa.BigInteger(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.Column("record_count", sa.BigInteger(), nullable=False),
        sa.Column("bank_account_number", TEXT, nullable=True),
        sa.Column("bank_account_number_folded", TEXT, nullable=True),
        sa.Column("color", TEXT, nullable=True),
        sa.Column("color_folded", TEXT, nullable=True),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("exclude_from_stats", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.Column("bank_balance", sa.BigInteger(), nullable=True),
        sa.Column("bank_balance_date", sa.BigInteger(), nullable=True),
        sa.Column("statement_keys", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_accounts_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_accounts"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_accounts_user_id_source_source_id"
        ),
    )
    op.create_table(
        "budgets",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("name_folded", TEXT, nullable=True),
        sa.Column("type", TEXT, nullable=False),
        sa.Column("currency_code", TEXT, nullable=True),
        sa.Column("limit_amount", sa.BigInteger(), nullable=True),
        sa.Column("category_ids", TEXT, nullable=False),
        sa.Column("account_ids", TEXT, nullable=False),
        sa.Column("label_ids", TEXT, nullable=False),
        sa.Column("start_date", sa.BigInteger(), nullable=True),
        sa.Column("end_date", sa.BigInteger(), nullable=True),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_budgets_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_budgets"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_budgets_user_id_source_source_id"
        ),
    )
    op.create_table(
        "categories",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("parent_id", TEXT, nullable=True),
        sa.Column("group", TEXT, nullable=True),
        sa.Column("group_folded", TEXT, nullable=True),
        sa.Column("color", TEXT, nullable=True),
        sa.Column("color_folded", TEXT, nullable=True),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("custom_category", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_categories_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_categories"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_categories_user_id_source_source_id"
        ),
    )
    op.create_table(
        "contacts",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.Column("extra", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_contacts_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_contacts"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_contacts_user_id_source_source_id"
        ),
    )
    op.create_table(
        "goals",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("name_folded", TEXT, nullable=True),
        sa.Column("note", TEXT, nullable=True),
        sa.Column("note_folded", TEXT, nullable=True),
        sa.Column("color", TEXT, nullable=True),
        sa.Column("color_folded", TEXT, nullable=True),
        sa.Column("target_amount", sa.BigInteger(), nullable=True),
        sa.Column("saved_amount", sa.BigInteger(), nullable=False),
        sa.Column("currency_code", TEXT, nullable=True),
        sa.Column("desired_date", sa.BigInteger(), nullable=True),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_goals_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_goals"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_goals_user_id_source_source_id"
        ),
    )
    op.create_table(
        "hash_tags",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.Column("extra", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_hash_tags_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_hash_tags"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_hash_tags_user_id_source_source_id"
        ),
    )
    op.create_table(
        "labels",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("color", TEXT, nullable=True),
        sa.Column("color_folded", TEXT, nullable=True),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_labels_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_labels"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_labels_user_id_source_source_id"
        ),
    )
    op.create_table(
        "magic_rules",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.Column("extra", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_magic_rules_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_magic_rules"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_magic_rules_user_id_source_source_id"
        ),
    )
    op.create_table(
        "record_rules",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("name_folded", TEXT, nullable=True),
        sa.Column("keywords", TEXT, nullable=False),
        sa.Column("keywords_folded", TEXT, nullable=False),
        sa.Column("category_id", TEXT, nullable=True),
        sa.Column("label_ids", TEXT, nullable=False),
        sa.Column("account_id", TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_record_rules_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_record_rules"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_record_rules_user_id_source_source_id"
        ),
    )
    op.create_table(
        "records",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("account_id", TEXT, nullable=False),
        sa.Column("account_name", TEXT, nullable=False),
        sa.Column("account_name_folded", TEXT, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("currency_code", TEXT, nullable=False),
        sa.Column("record_date", sa.BigInteger(), nullable=False),
        sa.Column("category", TEXT, nullable=True),
        sa.Column("category_folded", TEXT, nullable=True),
        sa.Column("category_id", TEXT, nullable=True),
        sa.Column("payee", TEXT, nullable=True),
        sa.Column("payee_folded", TEXT, nullable=True),
        sa.Column("note", TEXT, nullable=True),
        sa.Column("note_folded", TEXT, nullable=True),
        sa.Column("labels", TEXT, nullable=False),
        sa.Column("labels_folded", TEXT, nullable=False),
        sa.Column("label_ids", TEXT, nullable=False),
        sa.Column("record_type", TEXT, nullable=False),
        sa.Column("payment_type", TEXT, nullable=True),
        sa.Column("record_state", TEXT, nullable=True),
        sa.Column("transfer_id", TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_records_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_records"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_records_user_id_source_source_id"
        ),
    )
    op.create_index(
        "ix_records_user_id_account_id", "records", ["user_id", "account_id"], unique=False
    )
    op.create_index(
        "ix_records_user_id_record_date_id",
        "records",
        ["user_id", sa.literal_column("record_date DESC"), "id"],
        unique=False,
    )
    op.create_table(
        "standing_orders",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("name_folded", TEXT, nullable=True),
        sa.Column("type", TEXT, nullable=True),
        sa.Column("account_id", TEXT, nullable=True),
        sa.Column("category_id", TEXT, nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("currency_code", TEXT, nullable=True),
        sa.Column("payee", TEXT, nullable=True),
        sa.Column("payee_folded", TEXT, nullable=True),
        sa.Column("note", TEXT, nullable=True),
        sa.Column("note_folded", TEXT, nullable=True),
        sa.Column("payment_type", TEXT, nullable=True),
        sa.Column("recurrence_rule", TEXT, nullable=True),
        sa.Column("recurrence_rule_folded", TEXT, nullable=True),
        sa.Column("start_date", sa.BigInteger(), nullable=True),
        sa.Column("label_ids", TEXT, nullable=False),
        sa.Column("manual_payment", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=True),
        sa.Column("source_id", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_standing_orders_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_standing_orders"),
        sa.UniqueConstraint(
            "user_id", "source", "source_id", name="uq_standing_orders_user_id_source_source_id"
        ),
    )
    op.create_table(
        "tokens",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("start", TEXT, nullable=False),
        sa.Column("scopes", TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_tokens_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("sha256", name="uq_tokens_sha256"),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"], unique=False)
