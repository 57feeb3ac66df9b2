"""The SQL storage as the process holds it: engines, schema version, units of work."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import transaction
import zope.sqlalchemy
from sqlalchemy import Engine
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from zope.sqlalchemy.datamanager import STATUS_CHANGED

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Storage, StorageBackend
from finance_api.storage.sql import engine as engines
from finance_api.storage.sql import schema
from finance_api.storage.sql.driver import Statements
from finance_api.storage.sql.readers import Readers
from finance_api.storage.sql.storage import ReadingSqlStorage, SqlStorage

T = TypeVar("T")

#: After a failed attempt to connect, how long nobody tries again; then one at a time does.
_REST_SECONDS = 1.0
_IMPATIENT_SECONDS = 1


class SqlBackend(StorageBackend):
    """SQLite or PostgreSQL, by the URL.

    SQLAlchemy Core, not its ORM: rows go to JSON as they are, and an identity map, change
    tracking and lazy loading would cost several times what the query does and serve nothing here.

    read_url: of a copy of the database that data is read from; who may read it, the database
    itself is asked.
    """

    def __init__(
        self, url: str, *, read_url: str = "", pool_size: int = 8, statement_seconds: int = 5
    ) -> None:
        def engine(url: str, *, for_reading: bool) -> Engine:
            return engines.make_engine(
                url,
                pool_size=pool_size,
                statement_seconds=statement_seconds,
                for_reading=for_reading,
            )

        def readers(url: str) -> Readers:
            # A restart of the database takes the connections for writing away as well.
            return Readers(
                engine(url, for_reading=True), pool_size, statement_seconds, self.engine.dispose
            )

        self.engine = engine(url, for_reading=False)
        self.readers = readers(url)
        self.copies = readers(read_url) if read_url else None
        self._writing = engines.writing(self.engine)
        self._impatient = engines.writing(self.engine, _IMPATIENT_SECONDS)
        self._statements = Statements(self.engine.dialect)
        self._failed_at: float | None = None
        self._probing = threading.Lock()

    def read(self) -> Storage:
        return self._connected(
            lambda: ReadingSqlStorage(self.readers, self._statements, self.copies)
        )

    def write(self, tm: transaction.TransactionManager, *, patient: bool = True) -> Storage:
        # Without a transaction nobody would give the connection back.
        tm.get()
        session = Session(self._writing if patient else self._impatient, autoflush=False)
        # Core statements do not tell the session that they changed something.
        zope.sqlalchemy.register(session, initial_state=STATUS_CHANGED, transaction_manager=tm)
        connection = self._connected(session.connection)
        storage = SqlStorage(connection, self._statements)
        # Last of all, so that it is done once however much was written.
        tm.get().addBeforeCommitHook(storage.settle_places)
        return storage

    def check(self) -> None:
        self._connected(lambda: schema.check(self.engine))
        if self.copies is not None:
            # By one of those that are read with: the pool has no more than they.
            reader = self.copies.take()
            try:
                schema.check_connection(reader.connection)
            finally:
                self.copies.give_back(reader)

    def _connected(self, connect: Callable[[], T]) -> T:
        """What ``connect`` returns; a database that is away is asked seldom, and by one thread.

        The others would wait as long as connecting may take, and find out the same.
        """
        if self._failed_at is None:
            return self._attempt(connect)
        if time.monotonic() - self._failed_at < _REST_SECONDS or not self._probing.acquire(False):
            raise StorageUnavailable("the database does not answer")
        try:
            return self._attempt(connect)
        finally:
            self._probing.release()

    def _attempt(self, connect: Callable[[], T]) -> T:
        try:
            connected = connect()
        except PoolTimeout as error:
            raise StorageUnavailable("every database connection is in use") from error
        except StorageUnavailable as error:
            # Another writer's lock says nothing about the database.
            if not engines.is_locked(error.__cause__):
                self._failed_at = time.monotonic()
            raise
        self._failed_at = None
        return connected

    def upgrade(self) -> None:
        schema.upgrade(self.engine)

    def close(self) -> None:
        self.readers.close()
        if self.copies is not None:
            self.copies.close()
        self.engine.dispose()
