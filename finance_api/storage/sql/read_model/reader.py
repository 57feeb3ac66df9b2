"""Reads a user's data from the read model, where that is faster."""

from finance_api.storage.sql.read_model.changes import ListedChangeReader
from finance_api.storage.sql.read_model.lists import ListReader
from finance_api.storage.sql.read_model.sums import StoredSumReader
from finance_api.storage.sql.reading import SqlDataReader


class FastDataReader(ListReader, StoredSumReader, ListedChangeReader, SqlDataReader):
    """A `SqlDataReader` that reads what the read model has."""
