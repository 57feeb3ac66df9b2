"""Indexes that PostgreSQL has options for; `tables` has the others.

By itself, since naming an option of PostgreSQL imports all that SQLAlchemy has for it. Only
migrations need every index: they take `metadata` from here.
"""

from sqlalchemy import Index

from finance_api.resources import RECORDS
from finance_api.storage.sql.tables import DATA_TABLES, RECORDS_BY_DATE, SUMMED, metadata

__all__ = ["metadata"]

_records = DATA_TABLES[RECORDS.name]

Index(
    "ix_records_by_date_including",
    *RECORDS_BY_DATE,
    postgresql_include=[column.name for column in SUMMED],
).ddl_if(dialect="postgresql")

#: The two records of a transfer.
_is_transfer = _records.columns["transferId"].is_not(None)
Index(
    "ix_records_transfers",
    _records.user_id,
    _records.columns["transferId"],
    sqlite_where=_is_transfer,
    postgresql_where=_is_transfer,
)
