"""Reads a user's data from the tables of the resources. Every query is limited to one user.

rows: lists and whole rows. sums: sums of records. changes: changes by revision. conditions: filters
and order as SQL.
"""

from finance_api.storage.sql.reading.changes import ChangeReader
from finance_api.storage.sql.reading.rows import RowReader
from finance_api.storage.sql.reading.sums import SumReader


class SqlDataReader(RowReader, SumReader, ChangeReader):
    """`DataReader` on SQLite and PostgreSQL."""
