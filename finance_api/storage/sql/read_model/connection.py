"""A connection that reads through the driver itself, and reads JSON rows with their state."""

import time
from collections.abc import Callable, Generator, Hashable, Iterator
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.sql import Executable

from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage.errors import NotFound, StorageDamaged, StorageUnavailable
from finance_api.storage.interface import STREAMED_ROWS, DataState, RecordSum
from finance_api.storage.sql.connections.failures import raise_unavailable
from finance_api.storage.sql.connections.unit import (
    HAS_OWN_SESSION,
    IS_CLUSTER,
    Query,
    ReadConnection,
    ResultRow,
    WriteConnection,
    connect,
)
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.read_model.counting import Comparisons
from finance_api.storage.sql.read_model.drivers import SqlCache, SqliteDriver
from finance_api.storage.sql.read_model.shortening import whole
from finance_api.storage.sql.tables import STATE_COLUMNS, user_data

if TYPE_CHECKING:
    from finance_api.storage.sql.read_model.libpq import PostgresqlDriver

    Driver = SqliteDriver | PostgresqlDriver
else:
    Driver = SqliteDriver

T = TypeVar("T")

_OWN = user_data.c.user_id == USER


def with_state(
    database: str, build: Callable[..., sa.Select[Any]], shape: tuple[Any, ...]
) -> Executable:
    """Select the state of the data and the JSON rows of ``build``; see `SqliteDriver.lines`.

    A single query sees a single state, even outside a transaction.
    """
    rows = build(database, *shape).subquery("rows")
    (row,) = rows.c
    if database == "sqlite":
        # SQLite's driver takes a lock for each row, so all rows come joined in one. They keep the
        # order of ``build``: if it has a limit, SQLite cannot drop its ORDER BY; if it has none, it
        # must select the rows in order anyway. The result is bytes, like the response.
        joined = sa.select(
            sa.cast(sa.func.group_concat(row, "\n"), sa.LargeBinary)
        ).scalar_subquery()
        return sa.select(*STATE_COLUMNS, joined).where(_OWN)
    # PostgreSQL joins texts more slowly than it sends rows, so each row has the state. If there are
    # no JSON rows, a single row has only the state. PostgreSQL can do this join only as a
    # nested loop, which keeps the order.
    joined_rows = user_data.outerjoin(rows, sa.true())
    return sa.select(*STATE_COLUMNS, row).select_from(joined_rows).where(_OWN)


#: The key of a pooled connection's driver in its ``info``.
DRIVER = "finance_api_driver"


def driver_of(pooled: sa.PoolProxiedConnection, database: str, *, prepares: bool) -> Driver:
    """Return the driver of a pooled connection. prepares: whether it may prepare SQL."""
    info = pooled.info
    driver: Driver | None = info.get(DRIVER)
    if driver is None:
        connection = cast(Any, pooled.driver_connection)
        if database == "sqlite":
            driver = SqliteDriver(connection)
        else:
            # Imported here, so that psycopg is needed only with PostgreSQL.
            from finance_api.storage.sql.read_model.libpq import PostgresqlDriver

            driver = PostgresqlDriver(connection, prepares=prepares and info[HAS_OWN_SESSION])
        driver.is_cluster = bool(info.get(IS_CLUSTER))
        info[DRIVER] = driver
    return driver


class FastConnection(ReadConnection):
    """A `ReadConnection` that runs SQL on the driver itself."""

    def __init__(self, engine: sa.Engine, cache: SqlCache, comparisons: Comparisons) -> None:
        super().__init__(engine)
        self._cache = cache
        self._comparisons = comparisons
        self._pooled: sa.PoolProxiedConnection | None = None
        self._driver: Driver | None = None
        self._in_snapshot = False
        self._stream: Generator[bytes, None, None] | None = None
        #: The ids that searches have found in the snapshot; None if too many. See `finding.py`.
        self.found_ids: dict[Hashable, list[str] | None] = {}
        #: The sums of records that were added up in the snapshot.
        self.sums: dict[Hashable, dict[tuple[Any, ...], RecordSum]] = {}

    @property
    def driver(self) -> Driver:
        self._check_open()
        if self._driver is None:
            self._pooled = connect(self._engine, self._engine.raw_connection)
            self._driver = driver_of(self._pooled, self.database, prepares=True)
        return self._driver

    def check_numbers(self, user_id: int) -> None:
        """Raise StorageDamaged if parts of the read model have different numbers of records.

        In a unit of work that writes, they may differ until its end.
        """
        if not self.writes:
            self._comparisons.check(self, user_id)

    @property
    def is_cluster(self) -> bool:
        return self.driver.is_cluster

    def begin_snapshot(self) -> None:
        """Read all data from one unchanging state from here on."""
        if not self._in_snapshot:
            self._work(lambda driver: driver.begin_snapshot())
            self._in_snapshot = True

    def fetch(self, build: Query, *shape: Any, values: dict[str, Any]) -> list[ResultRow]:
        """Return the rows of a query."""
        sql = self._cache.get(build, *shape)
        found: list[ResultRow] = self._work(methodcaller("rows", sql, values))
        return found

    def fetch_lines(
        self, build: Callable[..., sa.Select[Any]], *shape: Any, values: dict[str, Any]
    ) -> tuple[DataState, bytes]:
        """Return the state of a user's data, and the JSON rows of ``build``, one per line.

        Raises NotFound if there is no such user.
        """
        sql = self._cache.get(with_state, build, shape)

        def work(driver: Driver) -> tuple[ResultRow, bytes] | None:
            found = driver.lines(sql, values)
            if found is not None:
                check_text(found[1])
            return found

        found = self._work(work)
        if found is None:
            raise NotFound("there is no such user")
        state, lines = found
        return DataState(*state), whole(lines)

    def stream(
        self, build: Callable[..., sa.Select[Any]], *shape: Any, values: dict[str, Any]
    ) -> Iterator[bytes]:
        """Yield lines of text, as `SqliteDriver.stream` does."""
        self.begin_snapshot()
        sql = self._cache.get(build, *shape)
        driver = self.driver
        self._stream = driver.stream(sql, values, STREAMED_ROWS)
        try:
            for lines in self._stream:
                check_text(lines)
                yield whole(lines)
        except Exception as error:
            self._fail(driver, error)

    def close(self) -> None:
        """End the snapshot and return the connection to the pool; harmless if already done."""
        pooled, driver = self._pooled, self._driver
        self._is_closed = True
        if pooled is None or driver is None:
            return
        self._pooled = self._driver = None
        if self._stream is not None:
            # Somebody may still hold its iterator.
            self._stream.close()
        if self._in_snapshot and pooled.is_valid:
            try:
                driver.end_snapshot()
            except driver.failures as error:
                pooled.invalidate(error)
        pooled.close()

    def _work(self, work: Callable[[Driver], T]) -> T:
        started = time.monotonic()
        driver = self.driver
        try:
            return work(driver)
        except Exception as error:
            self._fail(driver, error)
        finally:
            self._seconds += time.monotonic() - started

    def _fail(self, driver: Driver, error: Exception) -> NoReturn:
        """Raise the error that fits, and close the connection if it cannot be used again."""
        if isinstance(error, (StorageUnavailable, TookTooLong)):
            self._invalidate(None)
        if not isinstance(error, (driver.failures, UnicodeDecodeError)):
            raise error
        dialect = self._engine.dialect
        is_disconnect = dialect.is_disconnect(error, driver.connection, None)  # type: ignore[arg-type]
        if is_disconnect:
            self._invalidate(error)
        raise_unavailable(error, dialect, is_disconnect=is_disconnect)
        raise error

    def _invalidate(self, error: Exception | None) -> None:
        """Close the connection for good. error: the driver's error, if that ended it."""
        if self._pooled is not None and self._pooled.is_valid:
            self._pooled.invalidate(error)


class FastWriteConnection(WriteConnection, FastConnection):
    """A `WriteConnection` whose reads run on the driver itself."""

    def __init__(
        self, connection: sa.Connection, cache: SqlCache, comparisons: Comparisons
    ) -> None:
        super().__init__(connection, cache, comparisons)
        self._driver: Driver = driver_of(connection.connection, self.database, prepares=False)
        self._in_snapshot = True

    @property
    def driver(self) -> Driver:
        # Writing has no time limit.
        return self._driver

    def _invalidate(self, error: Exception | None) -> None:
        self.sqlalchemy.invalidate(error)


def check_text(lines: bytes) -> None:
    """Raise UnicodeDecodeError or StorageDamaged for text from a damaged database page.

    Nothing else looks at these bytes before they are sent.
    """
    lines.decode()
    if b"\0" in lines:
        raise StorageDamaged("a text contains a NUL character")
