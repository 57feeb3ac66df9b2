"""`records_by_date` on SQLite, with the index for searching: FTS5 with trigrams.

The index holds no text of its own: to delete a row from it takes what was indexed. And it writes
its buffer out at each row whose key is below the last one's. So many rows are indexed in one
statement, in their order.
"""

import json
from array import array

from sqlalchemy import Connection, text

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.sql.bulk import insert_rows
from finance_api.storage.sql.projection import search_keys
from finance_api.storage.sql.projection.records_by_date import (
    DateKey,
    ProjectedRecord,
    RecordsByDate,
)
from finance_api.storage.sql.projection.search_keys import day_of, first_key
from finance_api.storage.sql.tables import records_by_date

#: So many new records are indexed together.
_BATCH = 20_000
#: The index grows by segments, each of which is searched. So each unit of work also merges some
#: pages of them, which takes a few milliseconds at least.
_MERGED_PAGES = 64
_RECORDS_PER_MERGED_PAGE = 16

_MERGE = text("INSERT INTO record_search (record_search, rank) VALUES ('merge', :pages)")
_INDEX_NEW = text(
    "INSERT INTO record_search (rowid, payee_folded, note_folded)"
    " SELECT search_key, payee_folded, note_folded FROM json_each(:keys) AS keys"
    " CROSS JOIN records_by_date"
    " ON records_by_date.user_id = :user AND records_by_date.search_key = keys.value"
)
_UNINDEX = (
    "INSERT INTO record_search (record_search, rowid, payee_folded, note_folded)"
    " SELECT 'delete', search_key, payee_folded, note_folded"
)
_OF_POSITIONS = (
    "FROM records_by_date WHERE user_id = :user AND (newest_first, id) IN (SELECT"
    " json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:date_keys))"
)
_UNINDEX_SOME = text(f"{_UNINDEX} {_OF_POSITIONS} ORDER BY search_key")
_DELETE = text(f"DELETE {_OF_POSITIONS}")
_UNINDEX_USER = text(f"{_UNINDEX} FROM records_by_date WHERE user_id = :user ORDER BY search_key")
#: The highest keys that are taken from some low ones on.
_HIGHEST = text(
    "SELECT value, (SELECT max(search_key) FROM records_by_date"
    " WHERE user_id = :user AND search_key BETWEEN value AND value + :more) FROM json_each(:lowest)"
)


def unindex_user(connection: Connection, user_id: int) -> None:
    """Removes a user's records from the index, before they are deleted."""
    connection.execute(_UNINDEX_USER, {"user": user_id})


class SqliteRecordsByDate(RecordsByDate):
    """Each record gets a search key."""

    def __init__(self, connection: Connection, user_id: int) -> None:
        super().__init__(connection, user_id)
        # The next key of each day, and of the overflow.
        self._next_keys: dict[int, int] = {}
        self._next_overflow: int | None = None
        self._not_indexed = array("q")
        self._indexed = 0

    def _insert(self, records: list[ProjectedRecord]) -> None:
        keys = self._keys([day_of(record.newest_first) for record in records])
        rows = [
            (self.user_id, record.newest_first, record.id, key, *record[2:])
            for key, record in zip(keys, records, strict=True)
        ]
        insert_rows(self.connection, records_by_date, rows)
        self._not_indexed.extend(keys)
        if len(self._not_indexed) >= _BATCH:
            self._index()

    def _flush(self) -> None:
        self._index()
        if self._indexed:
            pages = _MERGED_PAGES + self._indexed // _RECORDS_PER_MERGED_PAGE
            self.connection.execute(_MERGE, {"pages": pages})
        self._indexed = 0

    def _delete(self, date_keys: list[DateKey]) -> None:
        # What is not in the index yet cannot be removed from it.
        self._index()
        values = {"user": self.user_id, "date_keys": json.dumps(date_keys)}
        self.connection.execute(_UNINDEX_SOME, values)
        self.connection.execute(_DELETE, values)

    def _index(self) -> None:
        if self._not_indexed:
            keys = json.dumps(sorted(self._not_indexed))
            self.connection.execute(_INDEX_NEW, {"user": self.user_id, "keys": keys})
            self._indexed += len(self._not_indexed)
            self._not_indexed = array("q")

    def _keys(self, days: list[int]) -> list[int]:
        """A key of each of these days."""
        self._find_next_keys(sorted(set(days).difference(self._next_keys)))
        keys = []
        for day in days:
            key = self._next_keys[day]
            if key < first_key(self.user_id, day + 1):
                self._next_keys[day] = key + 1
            else:
                key = self._overflow_key()
            keys.append(key)
        return keys

    def _find_next_keys(self, days: list[int]) -> None:
        lowest = {first_key(self.user_id, day): day for day in days}
        for low, highest in self._highest(list(lowest), first_key(0, 1) - 1):
            self._next_keys[lowest[low]] = low if highest is None else highest + 1

    def _overflow_key(self) -> int:
        low, high = search_keys.overflow_keys(self.user_id)
        if self._next_overflow is None:
            ((_, highest),) = self._highest([low], high - low)
            self._next_overflow = low if highest is None else highest + 1
        key = self._next_overflow
        if key > high:
            raise StorageNotReady("SQLite cannot take so many records of one day")
        self._next_overflow += 1
        return key

    def _highest(self, lowest: list[int], more: int) -> list[tuple[int, int | None]]:
        values = {"user": self.user_id, "lowest": json.dumps(lowest), "more": more}
        return [(low, highest) for low, highest in self.connection.execute(_HIGHEST, values)]
