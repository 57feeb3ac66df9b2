"""The first tables.

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TYPES = {"": TEXT, "+": TEXT, "#": sa.BigInteger(), "!": sa.Boolean()}


def columns(names):
    """names: separated by spaces, each with a suffix for its type.

    No suffix: text. +: text and its folded form. #: integer. !: boolean. ? after it: nullable.
    """
    found = []
    for word in names.split():
        name = word.rstrip("+#!?")
        type_, nullable = TYPES[word[len(name) :].rstrip("?")], word.endswith("?")
        for each in (name, f"{name}_folded") if "+" in word else (name,):
            found.append(sa.Column(each, type_, nullable=nullable, autoincrement=False))
    return found


def create_table(name, key, names, *first, unique=(), indexes=(), **options):
    """key, unique, indexes: names of columns, between spaces. first: other columns."""
    constraints = [sa.PrimaryKeyConstraint(*key.split(), name=f"pk_{name}")]
    if "user_id#" in names:
        user = sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=f"fk_{name}_user_id", ondelete="CASCADE"
        )
        constraints.append(user)
    for each in map(str.split, unique):
        constraints.append(sa.UniqueConstraint(*each, name=f"uq_{name}_{'_'.join(each)}"))
    op.create_table(name, *first, *columns(names), *constraints, **options)
    for each in map(str.split, indexes):
        op.create_index(f"ix_{name}_{'_'.join(each)}", name, each)


def create_data_table(name, names, more="", indexes=()):
    """A resource's table. more: columns after those that every resource has."""
    create_table(
        name,
        "user_id id",
        f"user_id# id {names} created_at# updated_at# source? source_id? {more}",
        unique=["user_id source source_id"],
        indexes=indexes,
    )


def create_users_and_credentials():
    create_table(
        "users",
        "id",
        "uuid email premium! enabled! password_hash? created_at# data_revision# data_changed_at#"
        " jwts_revoked_at#?",
        sa.Column("id", KEY, nullable=False),
        sa.Column("record_count", sa.BigInteger(), nullable=False, server_default="0"),
        unique=["email", "uuid"],
        sqlite_autoincrement=True,
    )
    create_table(
        "tokens",
        "id",
        "id user_id# name sha256 start scopes? created_at# expires_at#? last_used_at#?"
        " revoked_at#?",
        unique=["sha256"],
        indexes=["user_id"],
    )
    create_table(
        "jwts",
        "jti",
        "jti user_id#? issued_at#? expires_at# revoked_at#?",
        indexes=["user_id", "expires_at"],
    )
    create_table(
        "sessions",
        "sha256",
        "sha256 user_id# created_at# seen_at# user_agent",
        indexes=["user_id"],
    )
    create_table("usage", "user_id day", "user_id# day# requests#")


def create_data():
    create_data_table(
        "accounts",
        "name+ account_type currency_code initial_balance# balance# record_count#"
        " bank_account_number+? color+? archived! exclude_from_stats!",
        "bank_balance#? bank_balance_date#? statement_keys json",
    )
    create_data_table(
        "budgets",
        "name+? type currency_code? limit_amount#? category_ids account_ids label_ids"
        " start_date#? end_date#? closed!",
    )
    create_data_table(
        "categories", "name+ parent_id? group+? color+? archived! custom_category!", "json"
    )
    create_data_table("contacts", "name+", "extra?")
    create_data_table(
        "goals",
        "name+? note+? color+? target_amount#? saved_amount# currency_code? desired_date#? state",
    )
    create_data_table("hash_tags", "name+", "extra?")
    create_data_table("labels", "name+ color+? archived!", "json")
    create_data_table("magic_rules", "name+", "extra?")
    create_data_table("record_rules", "name+? keywords+ category_id? label_ids account_id?", "json")
    create_data_table(
        "records",
        "account_id account_name+ amount# currency_code record_date# category+? category_id?"
        " payee+? note+? labels+ label_ids record_type payment_type? record_state? transfer_id?",
        indexes=["user_id account_id"],
    )
    newest_first = ["user_id", sa.literal_column("record_date DESC"), "id"]
    op.create_index("ix_records_user_id_record_date_id", "records", newest_first)
    create_data_table(
        "standing_orders",
        "name+? type? account_id? category_id? amount#? currency_code? payee+? note+?"
        " payment_type? recurrence_rule+? start_date#? label_ids manual_payment!",
    )


def create_projection():
    create_table(
        "records_by_date",
        "user_id newest_first id",
        "user_id# newest_first# id search_key#? payee_folded? note_folded? json",
        sqlite_with_rowid=False,
    )
    create_unique_index("records_by_date", "user_id", "id")
    create_table(
        "record_anchors",
        "user_id position",
        "user_id# position# newest_first# id",
        sqlite_with_rowid=False,
    )
    create_table("projection_version", "version", "version#")
    if op.get_bind().dialect.name == "sqlite":
        create_unique_index("records_by_date", "user_id", "search_key")


def create_unique_index(table, *names):
    op.create_index(f"ix_{table}_{'_'.join(names)}", table, names, unique=True)


def upgrade():
    create_users_and_credentials()
    create_data()
    create_projection()
