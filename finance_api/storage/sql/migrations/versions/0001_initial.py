"""The first tables.

Revision: 0001_initial
"""

import sqlalchemy as sa
from alembic import op

revision = "0001_initial"
down_revision = None

# Text in the order of its code points on every database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TYPES = {"": TEXT, "+": TEXT, "#": sa.BigInteger(), "!": sa.Boolean()}


def with_default(name, type_, default):
    return sa.Column(name, type_, nullable=False, server_default=default)


def revision_column():
    return with_default("revision", sa.BigInteger(), "0")


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
        create_index(name, *each)


def create_index(table, *names, **options):
    op.create_index(f"ix_{table}_{'_'.join(names)}", table, names, **options)


def create_data_table(name, names, more="", *columns, indexes=()):
    """A resource's table. more: columns after those that every resource has."""
    create_table(
        name,
        "user_id id",
        f"user_id# id {names} created_at# updated_at# source? source_id? {more}",
        *columns,
        unique=["user_id source source_id"],
        indexes=indexes,
    )


def create_changing_table(name, names, more="", *columns):
    """The table of a resource whose rows have their JSON and the revision of its last change."""
    indexes = ["user_id revision id"]
    create_data_table(name, names, f"{more} json", revision_column(), *columns, indexes=indexes)


def create_users_and_credentials():
    create_table(
        "users",
        "id",
        "uuid email premium! enabled! password_hash? created_at# data_revision# data_changed_at#"
        " jwts_revoked_at#? base_currency?",
        sa.Column("id", KEY, nullable=False),
        with_default("record_count", sa.BigInteger(), "0"),
        with_default("data_tag", sa.BigInteger(), "0"),
        with_default("time_zone", TEXT, "UTC"),
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
    create_table(
        "audit",
        "id",
        "at# action origin user_id#? detail",
        sa.Column("id", KEY, nullable=False),
        indexes=["user_id at", "at"],
    )
    create_table("usage", "user_id day", "user_id# day# requests#")
    create_table("token_usage", "user_id day token_id", "user_id# day# token_id requests#")


def create_data():
    create_changing_table(
        "accounts",
        "name+ account_type currency_code initial_balance# balance# record_count#"
        " bank_account_number+? color+? archived! exclude_from_stats!",
        "bank_balance#? bank_balance_date#? statement_keys last_record_date#?"
        " own_initial_balance#? set_by_hand?",
        with_default("unexplained", sa.BigInteger(), "0"),
    )
    create_data_table(
        "budgets",
        "name+? type currency_code? limit_amount#? category_ids account_ids label_ids"
        " start_date#? end_date#? closed!",
    )
    create_changing_table(
        "categories",
        "name+ parent_id? group+? color+? archived! custom_category!",
        "kind?",
        with_default("kind_is_derived", sa.Boolean(), sa.true()),
    )
    create_data_table("contacts", "name+", "extra?")
    create_data_table(
        "goals",
        "name+? note+? color+? target_amount#? saved_amount# currency_code? desired_date#? state",
    )
    create_data_table("hash_tags", "name+", "extra?")
    create_changing_table("labels", "name+ color+? archived!")
    create_data_table("magic_rules", "name+", "extra?")
    create_changing_table("record_rules", "name+? keywords+ category_id? label_ids account_id?")
    create_records()
    create_data_table(
        "standing_orders",
        "name+? type? account_id? category_id? amount#? currency_code? payee+? note+?"
        " payment_type? recurrence_rule+? start_date#? label_ids manual_payment!",
    )


def create_records():
    create_data_table(
        "records",
        "account_id account_name+ amount# currency_code record_date# category+? category_id?"
        " payee+? note+? labels+ label_ids record_type payment_type? record_state? transfer_id?",
        "value_date#? original_amount#? import_id#? counterparty_account+? reference+?"
        " original_currency_code? further_sources? stated? set_by_hand? category_by_rule!?",
        indexes=["user_id account_id"],
    )
    is_transfer = sa.text("transfer_id IS NOT NULL")
    op.create_index(
        "ix_records_transfers",
        "records",
        ["user_id", "transfer_id"],
        sqlite_where=is_transfer,
        postgresql_where=is_transfer,
    )
    by_date = ["user_id", sa.text("record_date DESC"), "id"]
    summed = ["account_id", "category_id", "currency_code", "record_type", "record_state"]
    summed += ["transfer_id", "amount"]
    if is_sqlite():
        op.create_index("ix_records_by_date", "records", [*by_date, *summed, "payee"])
        create_index("records", "user_id")
    else:
        name = "ix_records_by_date_including"
        op.create_index(name, "records", by_date, postgresql_include=summed)


def create_history():
    create_table(
        "history",
        "user_id number",
        "user_id# number# at# action by revision# undone_at#? pruned! details",
    )
    create_table(
        "before_images",
        "user_id number resource row_id",
        "user_id# number# resource row_id row?",
        sqlite_with_rowid=False,
    )
    create_table(
        "tombstones",
        "user_id resource row_id",
        "user_id# resource row_id revision#",
        indexes=["user_id resource revision row_id"],
        sqlite_with_rowid=False,
    )
    create_table(
        "data_states",
        "user_id revision",
        "user_id# revision# changed_at# tag#",
        sqlite_with_rowid=False,
    )
    create_table(
        "transfer_proposals",
        "user_id out_id",
        "user_id# out_id in_id day# by_number!",
        indexes=["user_id in_id", "user_id day out_id"],
        sqlite_with_rowid=False,
    )


def create_uploads():
    create_table(
        "uploads",
        "user_id id",
        "user_id# id name size# created_at# state step# alive_at# options outcome",
        with_default("worker", TEXT, ""),
    )
    number = {"nullable": False, "autoincrement": False}
    op.create_table(
        "upload_pieces",
        sa.Column("user_id", sa.BigInteger(), **number),
        sa.Column("upload_id", TEXT, nullable=False),
        sa.Column("number", sa.BigInteger(), **number),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "upload_id", "number", name="pk_upload_pieces"),
        sa.ForeignKeyConstraint(
            ["user_id", "upload_id"],
            ["uploads.user_id", "uploads.id"],
            name="fk_upload_pieces_user_id",
            ondelete="CASCADE",
        ),
    )


def create_rates():
    create_table("exchange_rates", "day base", "day# base rates", sqlite_with_rowid=False)
    create_table("exchange_rates_state", "revision", "revision# changed_at# currencies tag#")


def create_projection():
    create_table(
        "records_by_date",
        "user_id newest_first id",
        "user_id# newest_first# id payee_folded? note_folded? json",
        with_default("names_folded", TEXT, ""),
        revision_column(),
        indexes=["user_id revision id"],
        sqlite_with_rowid=False,
    )
    create_index("records_by_date", "user_id", "id", unique=True)
    create_table(
        "record_anchors",
        "user_id position",
        "user_id# position# newest_first# id",
        sqlite_with_rowid=False,
    )
    create_table(
        "record_sums",
        "user_id grain payee_key month number",
        "user_id# grain# payee_key month# number# account_id? category_id? payee? currency_code"
        " record_type is_void! is_transfer! amount_high# amount_low# number_of_records# first#"
        " last#",
        sqlite_with_rowid=False,
    )
    create_table("projection_version", "version", "version#")
    if is_sqlite():
        searched = ["user_id", "newest_first", "id", "payee_folded", "note_folded", "names_folded"]
        op.create_index("ix_records_by_date_searched", "records_by_date", searched)
    else:
        of_grain = ["user_id", "grain", "category_id"]
        op.create_index("ix_record_sums_category", "record_sums", of_grain)


def is_sqlite():
    return op.get_bind().dialect.name == "sqlite"


def upgrade():
    create_users_and_credentials()
    create_data()
    create_history()
    create_uploads()
    create_rates()
    create_projection()
