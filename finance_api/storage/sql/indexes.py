"""Indexes, most of them on records; some have options for PostgreSQL.

They are in a separate module because such an option imports SQLAlchemy's PostgreSQL dialect.
Only `schema.upgrade` and migrations need the indexes; they import `metadata` from here.
"""

import sqlalchemy as sa

from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.storage.sql.data_tables import DATA_TABLES, has_long_payee
from finance_api.storage.sql.tables import metadata

__all__ = ["metadata"]

_records = DATA_TABLES[RECORDS.name]

# For the default order and ranges of dates. Sums read only this index: it has all their columns.
_by_date = (_records.user_id, _records.columns["recordDate"].desc(), _records.columns["id"])
_summed = [
    _records.columns[name]
    for name in (
        *("accountId", "categoryId", "currencyCode"),
        *("recordType", "recordState", "transferId", "amount"),
    )
]
# Only for SQLite: PostgreSQL allows no long texts in an index. The import's id is for filters.
_further = [_records.columns[name] for name in ("payee", "labelIds", "importId")]
sa.Index("ix_records_by_date", *_by_date, *_summed, *_further).ddl_if(dialect="sqlite")
sa.Index(
    "ix_records_by_date_including",
    *_by_date,
    postgresql_include=[column.name for column in _summed],
).ddl_if(dialect="postgresql")
# The texts that a search reads. Only for SQLite, likewise.
sa.Index("ix_records_searched", *_by_date, *_records.plain.values()).ddl_if(dialect="sqlite")
# For lists in the order of amounts or of payees.
_payee = _records.columns["payee"]
sa.Index(
    "ix_records_by_amount", _records.user_id, _records.columns["amount"], _records.columns["id"]
)
_by_payee = _records.user_id, _payee, _records.columns["id"]
sa.Index("ix_records_by_payee", *_by_payee).ddl_if(dialect="sqlite")
sa.Index("ix_records_by_short_payee", *_by_payee, postgresql_where=~has_long_payee(_payee)).ddl_if(
    dialect="postgresql"
)
sa.Index("ix_records_long_payee", _records.user_id, postgresql_where=has_long_payee(_payee)).ddl_if(
    dialect="postgresql"
)
sa.Index(None, _records.user_id, _records.columns["accountId"])
# For finding the records of a transfer, the parts of a split, and the records that differ from what
# files brought. Few records have a value of the first field; the second one is in the index.
for _plural, _field, _indexed in (
    ("transfers", "transferId", "transferId"),
    ("splits", "splitId", "splitId"),
    ("brought", "brought", "id"),
):
    _has_value = _records.columns[_field].is_not(None)
    sa.Index(
        f"ix_records_{_plural}",
        _records.user_id,
        _records.columns[_indexed],
        sqlite_where=_has_value,
        postgresql_where=_has_value,
    )
#: For reading all records of a user in their physical order. Only SQLite needs it: PostgreSQL reads
#: in that order with any index.
sa.Index(None, _records.user_id).ddl_if(dialect="sqlite")
#: For lists in order of name. PostgreSQL does not allow long names in an index: it sorts them.
for _table in (DATA_TABLES[resource.name].table for resource in (ACCOUNTS, CATEGORIES, LABELS)):
    sa.Index(f"ix_{_table.name}_by_name", _table.c.user_id, _table.c.name, _table.c.id).ddl_if(
        dialect="sqlite"
    )
