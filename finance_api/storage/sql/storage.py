"""One unit of work on a database connection."""

import math
from collections.abc import Sequence

from sqlalchemy import Connection

from finance_api.query.model import Query
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, JsonPage
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.drivers import driver_of
from finance_api.storage.sql.json_rows import JsonRows
from finance_api.storage.sql.jwts import Jwts
from finance_api.storage.sql.readers import Reader, Readers
from finance_api.storage.sql.reading import DataReading
from finance_api.storage.sql.sessions import Sessions
from finance_api.storage.sql.tokens import Tokens
from finance_api.storage.sql.usage import Usage
from finance_api.storage.sql.users import Users
from finance_api.storage.sql.writing import DataWriting


class SqlStorage(Users, Tokens, Jwts, Sessions, Usage, DataReading, DataWriting, JsonRows):
    """The parts of the contract, on one connection that is in a transaction that writes."""

    def __init__(self, connection: Connection, statements: StatementCache) -> None:
        self.connection = connection
        self.driver: Driver = driver_of(connection, math.inf)
        self.statements = statements
        self._listed_by_user = {}

    @property
    def data(self) -> Connection:
        return self.connection

    @property
    def data_driver(self) -> Driver:
        return self.driver

    def begin_snapshot(self) -> None:
        """A transaction that writes is one already."""

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        # What this unit of work has written is listed, too.
        self.rebuild_anchors()
        return super().list_json(user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        self.rebuild_anchors()
        return super().get_json(user_id, resource, ids)


class ReadingSqlStorage(SqlStorage):
    """The same for reading.

    copies: readers of a copy of the database, from which data is then read.
    """

    def __init__(
        self, readers: Readers, statements: StatementCache, copies: Readers | None = None
    ) -> None:
        self.statements = statements
        self._listed_by_user = {}
        self._readers: Readers | None = readers
        self._copies = copies
        self._reader = readers.take()
        self._data_reader = None if copies is not None else self._reader
        self.connection = self._reader.connection
        self.driver = self._reader.driver

    @property
    def data_reader(self) -> Reader:
        """The reader of data."""
        if self._data_reader is None:
            assert self._copies is not None
            self._data_reader = self._copies.take()
        return self._data_reader

    @property
    def data(self) -> Connection:
        return self.data_reader.connection

    @property
    def data_driver(self) -> Driver:
        return self.data_reader.driver

    def begin_snapshot(self) -> None:
        self.data_reader.begin_snapshot()

    def close(self) -> None:
        if self._readers is None:
            return
        self._readers.give_back(self._reader)
        if self._copies is not None and self._data_reader is not None:
            self._copies.give_back(self._data_reader)
        self._readers = None
