"""The connections of units of work that read, and of those that write."""

from typing import Any

from sqlalchemy import Connection, CursorResult, Engine, PoolProxiedConnection
from sqlalchemy.sql import Executable

from finance_api.runtime.time_limit import check_time
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.engine import connect
from finance_api.storage.sql.statements import StatementConnection


class ReadConnection(StatementConnection):
    """A connection that only reads, taken from its engine's pool when it is first needed."""

    def __init__(self, engine: Engine, statements: StatementCache) -> None:
        super().__init__(engine.dialect, statements)
        self.engine = engine
        self._pooled: PoolProxiedConnection | None = None
        self._driver: Driver | None = None
        self._in_snapshot = False

    @property
    def driver(self) -> Driver:
        check_time()
        driver = self._driver
        if driver is None:
            self._pooled = connect(self.engine, self.engine.raw_connection)
            driver = self._driver = self._pooled.info[Driver.INFO]
        return driver

    def begin_snapshot(self) -> None:
        if not self._in_snapshot:
            self._run(lambda driver: driver.begin_snapshot())
            self._in_snapshot = True

    def _invalidate(self, error: Exception | None) -> None:
        if self._pooled is not None and self._pooled.is_valid:
            self._pooled.invalidate(error)

    def close(self) -> None:
        """Gives it back to the pool, which ends the snapshot; harmless if that is done."""
        pooled, driver = self._pooled, self._driver
        if pooled is None or driver is None:
            return
        self._pooled = None
        self._end_stream()
        if self._in_snapshot and pooled.is_valid:
            try:
                driver.end_snapshot()
            except driver.failures as error:
                pooled.invalidate(error)
        pooled.close()


class WriteConnection(StatementConnection):
    """A connection in a transaction that writes, which is a snapshot already."""

    def __init__(self, connection: Connection, statements: StatementCache) -> None:
        super().__init__(connection.dialect, statements)
        self.sqlalchemy = connection
        self._driver: Driver = connection.info[Driver.INFO]

    @property
    def driver(self) -> Driver:
        return self._driver

    def begin_snapshot(self) -> None:
        """There is one from the beginning."""

    def _invalidate(self, error: Exception | None) -> None:
        self.sqlalchemy.invalidate(error)

    def execute(self, statement: Executable, values: Any = None) -> CursorResult[Any]:
        """Runs a statement of SQLAlchemy Core."""
        return self.sqlalchemy.execute(statement, values)
