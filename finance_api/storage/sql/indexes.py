"""The indexes of records, some with options of PostgreSQL.

By themselves, since naming such an option imports all that SQLAlchemy has for PostgreSQL. Only
migrations need indexes: they take `metadata` from here.
"""

from sqlalchemy import Index

from finance_api.resources import RECORDS
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.tables import metadata

__all__ = ["metadata"]

_records = DATA_TABLES[RECORDS.name]

# The default order, and every range of dates in it, with what sums are made of: they read no rows.
_by_date = (_records.user_id, _records.columns["recordDate"].desc(), _records.columns["id"])
_summed = [
    _records.columns[name]
    for name in (
        "accountId",
        "categoryId",
        "currencyCode",
        "recordType",
        "recordState",
        "transferId",
        "amount",
    )
]
# PostgreSQL has no long texts in an index.
Index("ix_records_by_date", *_by_date, *_summed, _records.columns["payee"]).ddl_if(dialect="sqlite")
Index(
    "ix_records_by_date_including",
    *_by_date,
    postgresql_include=[column.name for column in _summed],
).ddl_if(dialect="postgresql")
Index(None, _records.user_id, _records.columns["accountId"])
#: The two records of a transfer.
_is_transfer = _records.columns["transferId"].is_not(None)
Index(
    "ix_records_transfers",
    _records.user_id,
    _records.columns["transferId"],
    sqlite_where=_is_transfer,
    postgresql_where=_is_transfer,
)
#: All of a user's, in the order in which they lie. Of SQLite alone: PostgreSQL reads in that order
#: whatever an index finds.
Index(None, _records.user_id).ddl_if(dialect="sqlite")
