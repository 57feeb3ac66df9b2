"""Reading a user's data: the fast read path. Every query is bound to the user.

`SqlDataReader` is the only entry. docs/decisions/fast-reads.md says what each part buys, measured.

pages: lists, as the JSON stored at import. by_date: SQL of the list of records in its default
order, with anchors for deep pages, and searches. rows: whole rows. sums: sums of records, from
those stored for each month or from the rows. changes: changes by revision. conditions: filters and
order as SQL.
"""

from finance_api.storage.sql.reading.changes import ChangeReader
from finance_api.storage.sql.reading.pages import PageReader
from finance_api.storage.sql.reading.rows import RowReader
from finance_api.storage.sql.reading.sums import SumReader


class SqlDataReader(PageReader, RowReader, SumReader, ChangeReader):
    """`DataReader` on SQLite and PostgreSQL."""
