"""The connection of a unit of work: everything runs through SQLAlchemy."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql import Executable

from finance_api.runtime.time_limit import check_time, seconds_left
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import STREAMED_ROWS
from finance_api.storage.sql.connections.failures import raise_unavailable
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.tables import STATE_COLUMNS, user_data

ResultRow = tuple[Any, ...]
#: A query, or a function that makes it from the database's name and a shape.
Query = Executable | Callable[..., Executable]

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


#: Begins a snapshot. On PostgreSQL it takes a lock before the snapshot sees anything, to keep out
#: upgrades that rewrite tables: rewritten tables look empty to older snapshots.
BEGIN_SNAPSHOT = {
    "sqlite": "BEGIN",
    "postgresql": "LOCK TABLE alembic_version IN ACCESS SHARE MODE",
}


#: The keys of a pooled connection's ``info``: whether no pooler shares its session, and whether
#: tables may be on several machines (see `placement`). SQLite's connections do not have them.
HAS_OWN_SESSION = "finance_api_has_own_session"
IS_CLUSTER = "finance_api_is_cluster"


class ReadConnection:
    """A connection that only reads, taken from the engine's pool at first use.

    database: sqlite or postgresql. writes: whether the unit of work writes. Every method may raise
    StorageUnavailable or TookTooLong.
    A ``build`` function makes the SQL from the name of the database and a shape. ``values`` are
    the values to bind, by name: the names of `sql.parameters`, or p0, p1 ... of
    `reading.conditions`.
    """

    writes = False

    def __init__(self, engine: sa.Engine) -> None:
        self.database = engine.dialect.name
        self._engine = engine
        self._connection: sa.Connection | None = None
        self._is_closed = False
        self._seconds = 0.0

    def _check_open(self) -> None:
        """Raise an error if the time limit or the unit of work has ended."""
        check_time()
        if self._is_closed:
            # The connection may already serve another unit of work.
            raise RuntimeError("the unit of work has ended")

    def _open(self) -> sa.Connection:
        """Return a connection in a snapshot, whose next SQL ends with the time limit."""
        self._check_open()
        if self._connection is None:
            engine = self._engine
            if self.database == "postgresql":
                engine = engine.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            self._connection = connect(self._engine, engine.connect)
            self._connection.exec_driver_sql(BEGIN_SNAPSHOT[self.database])
        left = max(0, seconds_left())
        if self.database == "postgresql" and left < math.inf:
            self._connection.exec_driver_sql(f"SET LOCAL statement_timeout = {left * 1000 + 1:.0f}")
        return self._connection

    @property
    def is_cluster(self) -> bool:
        """Whether no query may join users with their data; see `placement`."""
        return bool(self._open().info.get(IS_CLUSTER))

    def begin_snapshot(self) -> None:
        """Read all data from one unchanging state from here on."""
        self._open()

    def _run(self, build: Query, shape: tuple[Any, ...], values: Any) -> sa.CursorResult[Any]:
        query = build(self.database, *shape) if callable(build) else build
        return self._open().execute(query, values)

    def fetch(self, build: Query, *shape: Any, values: dict[str, Any]) -> list[ResultRow]:
        """Return the rows of a query."""
        started = time.monotonic()
        try:
            return [tuple(row) for row in self._run(build, shape, values)]
        finally:
            self._seconds += time.monotonic() - started

    def read(self, build: Query, *shape: Any, values: dict[str, Any]) -> list[ResultRow]:
        """Return the rows of a query, from the same state as whatever is read later."""
        self.begin_snapshot()
        return self.fetch(build, *shape, values=values)

    def stream_rows(
        self, build: Callable[..., Executable], *shape: Any, values: dict[str, Any]
    ) -> Iterator[list[ResultRow]]:
        """Yield the rows of a query, several at a time."""
        query = build(self.database, *shape).execution_options(yield_per=STREAMED_ROWS)
        with closing(self._run(query, (), values)) as found:
            for rows in found.partitions():
                yield [tuple(row) for row in rows]

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
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class WriteConnection(ReadConnection):
    """A connection in a transaction that writes. The transaction is a snapshot already."""

    writes = True

    def __init__(self, connection: sa.Connection, *further: Any) -> None:
        super().__init__(connection.engine, *further)
        self._connection: sa.Connection = connection

    def _open(self) -> sa.Connection:
        # Writing has no time limit.
        return self._connection

    @property
    def sqlalchemy(self) -> sa.Connection:
        return self._connection


class Part:
    """The part of a unit of work for one role. Only a `WriteConnection` lets it write."""

    def __init__(self, connection: ReadConnection) -> None:
        self.connection = connection
