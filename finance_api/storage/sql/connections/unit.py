"""The connection of a unit of work: drivers, and SQL that is compiled once for each shape.

SQLAlchemy compiles the SQL, but running it through SQLAlchemy would take longer than most queries.
"""

import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from operator import methodcaller
from typing import Any, ClassVar, NoReturn, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql import Executable

from finance_api.runtime.time_limit import TookTooLong, check_time, seconds_left
from finance_api.storage.errors import NotFound, StorageDamaged, StorageUnavailable
from finance_api.storage.interface import STREAMED_ROWS, DataState
from finance_api.storage.sql.connections.failures import raise_unavailable
from finance_api.storage.sql.data_tables import whole
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.tables import STATE_COLUMNS, user_data

#: Maximum number of shapes whose SQL is cached. Clients determine the shapes by their filters.
_CACHED_SHAPES = 1_000

#: Number of steps of SQLite's virtual machine between two checks of the time limit.
_PROGRESS_STEPS = 20_000

ResultRow = tuple[Any, ...]
#: A query, or a function that makes it from the database's name and a shape.
Query = Executable | Callable[..., Executable]


class CompiledSql:
    """The text of a query and the order of its parameters. Raises TypeError for SQL that writes."""

    def __init__(self, query: Executable, dialect: sa.Dialect) -> None:
        # Refuse to write: PostgreSQL's own protection costs a round trip or changes the session.
        if query.is_insert or query.is_update or query.is_delete:
            raise TypeError("a read-only connection cannot write")
        compiled = query.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.text = str(compiled)
        # A search reads all texts of a user. The best plan depends on their number, so PostgreSQL
        # must not plan it for the average user.
        self.is_prepared = "strpos(" not in self.text
        self._fixed = {k: v for k, v in compiled.params.items() if v is not None}
        self._positions: list[str] | None = compiled.positiontup

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """Return the parameters as the driver takes them.

        values: the values to bind, by name; unused names are ignored.
        """
        given = {**self._fixed, **values} if self._fixed else values
        return given if self._positions is None else [given[name] for name in self._positions]


class SqlCache:
    """The SQL for one kind of database; each query is compiled when it is first used."""

    def __init__(self, dialect: sa.Dialect) -> None:
        @lru_cache(maxsize=_CACHED_SHAPES)
        def compiled(build: Query, shape: tuple[Hashable, ...]) -> CompiledSql:
            query = build(dialect.name, *shape) if callable(build) else build
            return CompiledSql(query, dialect)

        self._compiled = compiled

    def get(self, build: Query, *shape: Hashable) -> CompiledSql:
        """Return the SQL of a query, or of ``build(database, *shape)``.

        database: sqlite or postgresql.
        """
        return self._compiled(build, shape)


class Driver(ABC):
    """Runs SQL on one of the driver's connections, in that connection's current transaction.

    Each pooled connection has a `Driver`, in the ``info`` of its record in the pool.
    connection: the DB-API connection. failures: the driver's errors; every method may raise them.
    Raises TookTooLong when a `time_limit` ends while SQL runs. Do not use the connection after
    TookTooLong or StorageUnavailable.
    """

    #: The key of the driver in the connection's ``info``.
    INFO: ClassVar = "finance_api_driver"

    failures: ClassVar[type[Exception]]
    connection: Any
    #: Whether tables may be distributed, see `sql.tables`.
    has_citus = False

    @abstractmethod
    def rows(self, sql: CompiledSql, values: Mapping[str, Any]) -> list[ResultRow]: ...

    @abstractmethod
    def lines(self, sql: CompiledSql, values: Mapping[str, Any]) -> tuple[ResultRow, bytes] | None:
        """Run SQL of `with_state`: return the state of the data, and the JSON rows.

        The rows are one per line; the last line has no line end. Returns None if there
        is no state.
        """

    @abstractmethod
    def stream(
        self, sql: CompiledSql, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        """Yield the selected texts as lines, up to ``rows`` lines at a time, inside a snapshot.

        Other SQL may run meanwhile, but no second stream. Closing the iterator ends the query.
        """

    @abstractmethod
    def begin_snapshot(self) -> None:
        """Begin a transaction that sees one unchanging state, on a connection that reads."""

    @abstractmethod
    def end_snapshot(self) -> None:
        """End the transaction of `begin_snapshot`."""


class SqliteDriver(Driver):
    """Runs SQL through the standard library's driver, sqlite3."""

    failures = sqlite3.Error

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.set_progress_handler(self._is_late, _PROGRESS_STEPS)

    def _is_late(self) -> bool:
        return seconds_left() <= 0

    def rows(self, sql: CompiledSql, values: Mapping[str, Any]) -> list[ResultRow]:
        try:
            cursor = self.connection.execute(sql.text, sql.parameters(values))
            rows: list[ResultRow] = cursor.fetchall()
        except sqlite3.OperationalError as error:
            _raise_if_interrupted(error)
            raise
        return rows

    def lines(self, sql: CompiledSql, values: Mapping[str, Any]) -> tuple[ResultRow, bytes] | None:
        # There is one row, in which all JSON rows are joined.
        for *state, lines in self.rows(sql, values):
            return tuple(state), lines or b""
        return None

    def stream(
        self, sql: CompiledSql, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        try:
            with closing(self.connection.cursor()) as cursor:
                cursor.execute(sql.text, sql.parameters(values))
                while found := cursor.fetchmany(rows):
                    yield "\n".join([text for (text,) in found]).encode()
        except sqlite3.OperationalError as error:
            _raise_if_interrupted(error)
            raise

    def begin_snapshot(self) -> None:
        self.connection.execute("BEGIN")

    def end_snapshot(self) -> None:
        self.connection.rollback()


def _raise_if_interrupted(error: sqlite3.OperationalError) -> None:
    """Raise TookTooLong if the progress handler interrupted SQLite."""
    # Errors that the driver itself raises have no code.
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
        raise TookTooLong from error


T = TypeVar("T")


def connect(engine: sa.Engine, open_connection: Callable[[], T]) -> T:
    """Open a connection of the engine. Raises StorageUnavailable, also if none is free."""
    try:
        return open_connection()
    except PoolTimeout as error:
        raise StorageUnavailable("every database connection is in use") from error
    except engine.dialect.loaded_dbapi.Error as error:
        raise_unavailable(error, engine.dialect, is_disconnect=False)
        raise


_OWN = user_data.c.user_id == USER
STATE_OF_USER = sa.select(*STATE_COLUMNS).where(_OWN)


def with_state(
    database: str, build: Callable[..., sa.Select[Any]], shape: tuple[Any, ...]
) -> Executable:
    """Select the state of the data and the JSON rows of ``build``; see `Driver.lines`.

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


class ReadConnection:
    """A connection that only reads, taken from the engine's pool at first use.

    database: sqlite or postgresql. writes: whether the unit of work writes. Every method may raise
    StorageUnavailable or TookTooLong.
    A ``build`` function makes the SQL from the name of the database and a shape. ``values`` are
    the values to bind, by name: the names of `sql.parameters`, or p0, p1 ... of
    `reading.conditions`.
    """

    writes = False

    def __init__(self, engine: sa.Engine, cache: SqlCache) -> None:
        self.database = engine.dialect.name
        self._engine = engine
        self._cache = cache
        self._pooled: sa.PoolProxiedConnection | None = None
        self._driver: Driver | None = None
        self._is_closed = False
        self._in_snapshot = False
        self._stream: Generator[bytes, None, None] | None = None
        self._seconds = 0.0
        #: The ids that searches have found in the snapshot; None if too many. See `finding.py`.
        self.found_ids: dict[Hashable, list[str] | None] = {}

    @property
    def driver(self) -> Driver:
        check_time()
        if self._driver is None:
            if self._is_closed:
                # The connection may already serve another unit of work.
                raise RuntimeError("the unit of work has ended")
            self._pooled = connect(self._engine, self._engine.raw_connection)
            self._driver = self._pooled.info[Driver.INFO]
        return self._driver

    @property
    def has_citus(self) -> bool:
        return self.driver.has_citus

    def begin_snapshot(self) -> None:
        """Read all data from one unchanging state from here on."""
        if not self._in_snapshot:
            self._run(lambda driver: driver.begin_snapshot())
            self._in_snapshot = True

    def fetch(self, build: Query, *shape: Any, values: dict[str, Any]) -> list[ResultRow]:
        """Return the rows of a query."""
        sql = self._cache.get(build, *shape)
        found: list[ResultRow] = self._run(methodcaller("rows", sql, values))
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
                _check_text(found[1])
            return found

        found = self._run(work)
        if found is None:
            raise NotFound("there is no such user")
        state, lines = found
        return DataState(*state), whole(lines)

    def stream(
        self, build: Callable[..., sa.Select[Any]], *shape: Any, values: dict[str, Any]
    ) -> Iterator[bytes]:
        """Yield lines of text, as `Driver.stream` does."""
        self.begin_snapshot()
        sql = self._cache.get(build, *shape)
        driver = self.driver
        self._stream = driver.stream(sql, values, STREAMED_ROWS)
        try:
            for lines in self._stream:
                _check_text(lines)
                yield whole(lines)
        except Exception as error:
            self._fail(driver, error)

    @property
    def sqlalchemy(self) -> sa.Connection:
        """The connection of SQLAlchemy, for writing."""
        raise TypeError("a read-only unit of work cannot write")

    def execute(self, query: Executable, values: Any = None) -> sa.CursorResult[Any]:
        """Run SQL of SQLAlchemy Core, in a unit of work that writes."""
        return self.sqlalchemy.execute(query, values)

    def take_seconds(self) -> float:
        """Return the time spent in the database since the last call, in seconds.

        Waiting for a connection counts.
        """
        seconds, self._seconds = self._seconds, 0.0
        return seconds

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

    def _run(self, work: Callable[[Driver], T]) -> T:
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


class WriteConnection(ReadConnection):
    """A connection in a transaction that writes. The transaction is a snapshot already."""

    writes = True

    def __init__(self, connection: sa.Connection, cache: SqlCache) -> None:
        super().__init__(connection.engine, cache)
        self._sqlalchemy = connection
        self._driver: Driver = connection.info[Driver.INFO]
        self._in_snapshot = True

    @property
    def driver(self) -> Driver:
        # Writing has no time limit.
        return self._driver

    @property
    def sqlalchemy(self) -> sa.Connection:
        return self._sqlalchemy

    def _invalidate(self, error: Exception | None) -> None:
        self.sqlalchemy.invalidate(error)


class Part:
    """The part of a unit of work for one role. Only a `WriteConnection` lets it write."""

    def __init__(self, connection: ReadConnection) -> None:
        self.connection = connection


def _check_text(lines: bytes) -> None:
    """Raise UnicodeDecodeError or StorageDamaged for text from a damaged database page.

    Nothing else looks at these bytes before they are sent.
    """
    lines.decode()
    if b"\0" in lines:
        raise StorageDamaged("a text contains a NUL character")
