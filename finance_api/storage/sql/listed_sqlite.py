"""`listed_records` on SQLite, with the index for searching: FTS5 with trigrams.

The index holds no text of its own: to forget a row it has to be told what it held. Many rows are
told in one statement: for each one, or for each of a trigger, it would write out what it has.
"""

import json

from sqlalchemy import Connection, func, select, text

from finance_api.storage.sql.bulk import insert_rows
from finance_api.storage.sql.listed_writing import Entry, ListedRecords, Place
from finance_api.storage.sql.searching import KEYS_OF_A_USER
from finance_api.storage.sql.tables import listed_records

#: After so many new records it pays to bring the whole index in order, which takes seconds for a
#: million records.
_MANY = 10_000

_OPTIMIZE = text("INSERT INTO record_search (record_search) VALUES ('optimize')")
_INDEX_NEW = text(
    "INSERT INTO record_search (rowid, payee_folded, note_folded)"
    " SELECT search_key, payee_folded, note_folded FROM listed_records"
    " WHERE user_id = :user AND search_key BETWEEN :first AND :last"
)
_FORGET = (
    "INSERT INTO record_search (record_search, rowid, payee_folded, note_folded)"
    " SELECT 'delete', search_key, payee_folded, note_folded"
)
_PLACES = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:places)"
_FORGET_SOME = text(
    f"{_FORGET} FROM listed_records WHERE user_id = :user AND (newest_first, id) IN ({_PLACES})"
)
_DELETE = text(
    f"DELETE FROM listed_records WHERE user_id = :user AND (newest_first, id) IN ({_PLACES})"  # noqa: S608
)
_FORGET_ALL = text(f"{_FORGET} FROM listed_records WHERE user_id = :user")


def forget_user(connection: Connection, user_id: int) -> None:
    """Takes a user's records out of the index, before they are deleted."""
    connection.execute(_FORGET_ALL, {"user": user_id})


class SqliteListedRecords(ListedRecords):
    """Each record gets a search key; those of a user are neighbours."""

    def __init__(self, connection: Connection, user_id: int) -> None:
        super().__init__(connection, user_id)
        self._next_key: int | None = None
        self._indexed = 0

    def insert(self, entries: list[Entry]) -> None:
        first = self._keys(len(entries))
        rows = [
            (self.user_id, entry.newest_first, entry.id, key, *entry[2:])
            for key, entry in enumerate(entries, start=first)
        ]
        insert_rows(self.connection, listed_records, rows)
        added = {"user": self.user_id, "first": first, "last": first + len(rows) - 1}
        self.connection.execute(_INDEX_NEW, added)
        self._indexed += len(rows)

    def finish(self) -> None:
        if self._indexed >= _MANY:
            # The index is in many parts now, each of which is searched.
            self.connection.execute(_OPTIMIZE)
        self._indexed = 0

    def delete(self, places: list[Place]) -> None:
        values = {"user": self.user_id, "places": json.dumps(places)}
        self.connection.execute(_FORGET_SOME, values)
        self.connection.execute(_DELETE, values)

    def _keys(self, number: int) -> int:
        """The first of so many keys in a row."""
        if self._next_key is None:
            columns = listed_records.c
            newest = self.connection.execute(
                select(func.max(columns.search_key)).where(columns.user_id == self.user_id)
            ).scalar_one()
            self._next_key = self.user_id * KEYS_OF_A_USER if newest is None else int(newest) + 1
        first = self._next_key
        self._next_key += number
        return first
