"""Pools of database connections, and the settings of each connection."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError, NoSuchModuleError

from finance_api.runtime.circuit_breaker import CircuitBreaker, CircuitOpen
from finance_api.runtime.time_limit import seconds_left
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.interface import LOCK_TIMEOUT_SECONDS
from finance_api.storage.sql import placement
from finance_api.storage.sql.connections.failures import READ_ONLY, codes_of, raise_unavailable
from finance_api.storage.sql.connections.unit import HAS_OWN_SESSION, IS_CLUSTER

#: Time limit for connecting, and for waiting until a pooled connection is free.
CONNECT_SECONDS = 3

#: Execution options of a unit of work that writes: how long it waits for another writer, and
#: whether it alters tables, which keeps out all other writers on PostgreSQL.
LOCK_TIMEOUT = "finance_api_lock_timeout_seconds"
ALTERS = "finance_api_alters"
# The key of a lock: any number that nothing else in the database uses for one.
_ALTERING_LOCK = 7_146_300_211
#: SQL that takes the lock exclusively, until the transaction ends.
LOCK_ALTERING = f"SELECT pg_advisory_xact_lock({_ALTERING_LOCK})"

_IDLE_SECONDS = 5
#: psycopg prepares SQL after this many runs; the number is psycopg's default.
_PREPARE_THRESHOLD = 5
#: Page cache of each SQLite connection that writes.
_WRITING_CACHE_KIB = 65_536
#: Page cache of each SQLite connection that reads; every write empties it. The file is not mapped
#: into memory, because SQLite drops the mapping after each write. That takes milliseconds for a
#: large file.
_READING_CACHE_KIB = 2_048
#: Number of steps of SQLite's virtual machine between two checks of the time limit.
_PROGRESS_STEPS = 20_000
_USED_AT = "finance_api_used_at"
_GENERATION = "finance_api_generation"


def make_engine(
    url_text: str,
    *,
    setting: str = "sqlalchemy.url",
    pool_size: int,
    for_reading: bool = False,
    server: "Server | None" = None,
) -> sa.Engine:
    """Make an engine for SQLite or PostgreSQL, without connecting yet.

    setting: the name of the setting whose value is ``url_text``.
    for_reading: whether connections only read. If so, they have a transaction only for a snapshot
    (`ReadConnection.begin_snapshot`).
    server: the database server, if several engines connect to it.
    Raises StorageNotReady for a URL that cannot be used.
    """
    try:
        url = make_url(url_text)
        backend = url.get_backend_name()
        if backend == "sqlite":
            engine = _sqlite_engine(url, pool_size, for_reading)
        elif backend == "postgresql":
            server = server or Server()
            engine = _postgresql_engine(url, pool_size, for_reading, server)
        else:
            raise StorageNotReady(f"{setting}: {backend} is neither sqlite nor postgresql")
    except (ArgumentError, NoSuchModuleError) as error:
        raise StorageNotReady(f"{setting}: {error}") from None
    except ValueError:
        # Do not show SQLAlchemy's message, which contains the value.
        raise StorageNotReady(f"{setting}: a value after the ? is invalid") from None
    except ModuleNotFoundError as error:
        raise StorageNotReady(
            f"{setting}: the driver is missing ({error.name}); "
            "install finance-api with its extra postgresql"
        ) from None
    sa.event.listen(engine, "handle_error", _raise_if_unavailable)
    return engine


def _pool_options(pool_size: int, for_reading: bool) -> dict[str, Any]:
    options: dict[str, Any] = {"pool_size": pool_size, "max_overflow": 0, "pool_use_lifo": True}
    if for_reading:
        # `ReadConnection.close` ends the snapshot, if there is one.
        options["pool_reset_on_return"] = None
    return {**options, "hide_parameters": True}


def _sqlite_engine(url: URL, pool_size: int, for_reading: bool) -> sa.Engine:
    engine = sa.create_engine(
        url,
        pool_timeout=CONNECT_SECONDS if for_reading else LOCK_TIMEOUT_SECONDS,
        **_pool_options(pool_size, for_reading),
    )

    @sa.event.listens_for(engine, "do_connect")
    def refuse_missing(dialect: Any, record: Any, args: Any, options: Any) -> None:
        # A missing file is an error; SQLite would create an empty one.
        if url.database and url.database != ":memory:" and not Path(url.database).exists():
            raise StorageNotReady(
                f"there is no database file {url.database}: run 'finance-api db upgrade'"
            )

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # Keep the driver from beginning transactions by itself; see "begin" below.
        connection.isolation_level = None
        # For new files. A page of 4,096 bytes had 4 rows of `records_by_date`, and a quarter of it
        # was empty: importing 250,000 records took 29.1 s instead of 26.3, and 520 MB, not 483.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if for_reading:
            # Refuse accidental writes.
            connection.execute("PRAGMA query_only = ON")
            connection.execute(f"PRAGMA cache_size = -{_READING_CACHE_KIB}")
        else:
            # A large import uses the same pages again and again.
            connection.execute(f"PRAGMA cache_size = -{_WRITING_CACHE_KIB}")
        connection.set_progress_handler(lambda: seconds_left() <= 0, _PROGRESS_STEPS)

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        if for_reading:
            return
        lock_timeout_seconds = connection.get_execution_options().get(LOCK_TIMEOUT)
        if lock_timeout_seconds is None:
            connection.exec_driver_sql("BEGIN")
            return
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {lock_timeout_seconds * 1000}")
        # Take the write lock at once: a transaction that began by reading could not wait for it.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


class Server:
    """A database server, which may be unavailable.

    circuit: the circuit breaker for connecting. generation: a number that rises when the server
    closes a connection. The server has then usually closed all connections, so older ones are not
    used again.
    """

    def __init__(self) -> None:
        self.circuit = CircuitBreaker(Exception)
        self.generation = 0


def _postgresql_engine(url: URL, pool_size: int, for_reading: bool, server: Server) -> sa.Engine:
    # Imported here, so that psycopg is needed only with PostgreSQL.
    from finance_api.storage.sql.connections.postgresql import ask

    engine = sa.create_engine(
        url,
        isolation_level="AUTOCOMMIT" if for_reading else None,
        pool_timeout=CONNECT_SECONDS,
        **_pool_options(pool_size, for_reading),
        connect_args={
            "client_encoding": "UTF8",
            "connect_timeout": CONNECT_SECONDS,
            # Notice when a database stops answering, instead of waiting for it.
            "keepalives_idle": 10,
            "keepalives_interval": 2,
            "keepalives_count": 3,
            "tcp_user_timeout": 5_000,
            # The read model prepares SQL that reads; for SQL that writes, see below.
            "prepare_threshold": None,
        },
    )

    def ask_process(connection: Any) -> int:
        return int(ask(connection, b"SELECT pg_backend_pid()") or 0)

    _watch_server(engine, server, ask_process)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # A pooler gives clients process ids that PostgreSQL's processes do not have.
        is_own = ask_process(connection) == connection.pgconn.backend_pid
        record.info[HAS_OWN_SESSION] = is_own
        record.info[IS_CLUSTER] = ask(connection, placement.IS_CLUSTER) == b"t"
        if is_own and not for_reading:
            # Behind a pooler, psycopg's names of prepared statements would clash with other
            # clients' names. If nothing is prepared, importing changed records takes twice as long.
            connection.prepare_threshold = _PREPARE_THRESHOLD

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        options = connection.get_execution_options()
        if LOCK_TIMEOUT in options:
            mode = "" if options.get(ALTERS) else "_shared"
            connection.exec_driver_sql(
                "SET LOCAL statement_timeout = 0;"
                f"SET LOCAL lock_timeout = {options[LOCK_TIMEOUT] * 1000};"
                f"SELECT pg_advisory_xact_lock{mode}({_ALTERING_LOCK})"
            )
            if connection.info[IS_CLUSTER]:
                connection.exec_driver_sql(placement.BEFORE_WRITING)

    return engine


def _watch_server(engine: sa.Engine, server: Server, ping: Callable[[Any], object]) -> None:
    """Connect through the circuit breaker, and do not use connections that may be lost."""

    @sa.event.listens_for(engine, "do_connect")
    def connect_through_circuit(dialect: Any, record: Any, args: Any, options: Any) -> Any:
        try:
            return server.circuit.call(lambda: dialect.connect(*args, **options))
        except CircuitOpen:
            raise StorageUnavailable("the database does not answer") from None

    @sa.event.listens_for(engine, "connect")
    def note_generation(connection: Any, record: Any) -> None:
        record.info[_GENERATION] = server.generation

    @sa.event.listens_for(engine, "checkin")
    def note_use(connection: Any, record: Any) -> None:
        record.info[_USED_AT] = time.monotonic()

    @sa.event.listens_for(engine, "checkout")
    def refuse_lost(connection: Any, record: Any, proxy: Any) -> None:
        used_at = record.info.get(_USED_AT)
        if used_at is None:
            # The connection is new. If it were refused after an old one, SQLAlchemy would fail.
            return
        if record.info[_GENERATION] != server.generation:
            raise DisconnectionError
        # An idle connection may predate a database restart; checking costs a round trip.
        if time.monotonic() - used_at > _IDLE_SECONDS:
            try:
                ping(connection)
            except Exception as error:
                raise DisconnectionError from error

    @sa.event.listens_for(engine, "invalidate")
    def note_loss(connection: Any, record: Any, error: BaseException | None) -> None:
        if error is not None and record.info[_GENERATION] == server.generation:
            server.generation += 1


def writing(
    engine: sa.Engine, lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS, *, alters: bool = False
) -> sa.Engine:
    """Return the engine with options for units of work that write; see LOCK_TIMEOUT."""
    return engine.execution_options(**{LOCK_TIMEOUT: lock_timeout_seconds, ALTERS: alters})


def _raise_if_unavailable(context: ExceptionContext) -> None:
    """Raise the fitting error if the database cannot answer now; faulty SQL keeps its error."""
    error = context.original_exception
    # This makes SQLAlchemy close the connection; the next one may reach the new primary.
    context.is_disconnect |= READ_ONLY in codes_of(error)
    raise_unavailable(error, context.dialect, is_disconnect=context.is_disconnect)
