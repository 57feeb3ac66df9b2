"""The SQL storage as the process holds it: engine, schema version, units of work."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import transaction
import zope.sqlalchemy
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from zope.sqlalchemy.datamanager import STATUS_ACTIVE, STATUS_CHANGED

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Storage, StorageBackend
from finance_api.storage.sql import engine as engines
from finance_api.storage.sql import schema
from finance_api.storage.sql.storage import SqlStorage

T = TypeVar("T")

#: After a failed attempt to connect, how long nobody tries again; then one at a time does.
_REST_SECONDS = 1.0
_IMPATIENT_SECONDS = 1


class SqlBackend(StorageBackend):
    """SQLite or PostgreSQL, by the URL.

    SQLAlchemy Core, not its ORM: rows go to JSON as they are, and an identity map, change
    tracking and lazy loading would cost several times what the query does and serve nothing here.
    """

    def __init__(self, url: str, *, pool_size: int = 8, statement_seconds: int = 5) -> None:
        self.engine = engines.make_engine(
            url, pool_size=pool_size, statement_seconds=statement_seconds
        )
        self._reading = engines.reading(self.engine)
        self._writing = engines.writing(self.engine)
        self._impatient = engines.writing(self.engine, _IMPATIENT_SECONDS)
        self._failed_at: float | None = None
        self._probing = threading.Lock()

    def connect(
        self, tm: transaction.TransactionManager, *, writing: bool = False, patient: bool = True
    ) -> Storage:
        engine = self._reading
        if writing:
            engine = self._writing if patient else self._impatient
        # Without a transaction nobody would give the connection back.
        tm.get()
        session = Session(engine, autoflush=False)
        # Core statements do not tell the session that they changed something: a writer says so.
        zope.sqlalchemy.register(
            session,
            initial_state=STATUS_CHANGED if writing else STATUS_ACTIVE,
            transaction_manager=tm,
        )
        return SqlStorage(self._connected(session.connection))

    def check(self) -> None:
        self._connected(lambda: schema.check(self._reading))

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
        self.engine.dispose()
