"""Reads a user's data: the fast read path. Every query is limited to one user.

Import only `SqlDataReader`. docs/decisions/fast-reads.md has measurements of what each part saves.

rows: lists, from the stored JSON, and whole rows. by_date: SQL for searches, and for the list of
records in its default order, with anchors for deep pages. finding: the records that a search finds.
sums: sums of records, from the sums stored for each month or from the rows. changes: changes by
revision. conditions: filters and order as SQL.
"""

from finance_api.storage.sql.reading.changes import ChangeReader
from finance_api.storage.sql.reading.rows import RowReader
from finance_api.storage.sql.reading.sums import SumReader


class SqlDataReader(RowReader, SumReader, ChangeReader):
    """`DataReader` on SQLite and PostgreSQL."""
