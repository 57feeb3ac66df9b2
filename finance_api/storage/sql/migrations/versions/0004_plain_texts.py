"""The searched texts of `records_by_date` have no accents; `db upgrade` writes them again.

SQLite gets indexes for lists of records by amount and by payee. Its index by date gets the columns
for filters by label and by import.

Revision: 0004_plain_texts
Follows: 0003_user_region
"""

import sqlalchemy as sa
from alembic import op

revision = "0004_plain_texts"
down_revision = "0003_user_region"

_BY_DATE = [
    *("user_id", sa.text("record_date DESC"), "id", "account_id", "category_id", "currency_code"),
    *("record_type", "record_state", "transfer_id", "amount", "payee", "label_ids", "import_id"),
]


def upgrade():
    for name in ("payee", "note", "names"):
        op.execute(f"ALTER TABLE records_by_date RENAME COLUMN {name}_folded TO {name}_plain")
    if op.get_bind().dialect.name == "sqlite":
        for name in ("amount", "payee"):
            op.create_index(f"ix_records_by_{name}", "records", ["user_id", name, "id"])
        op.drop_index("ix_records_by_date")
        op.create_index("ix_records_by_date", "records", _BY_DATE)
