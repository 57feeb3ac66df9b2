"""The database connections: what is set on each, and how their failures are told apart."""

import sqlite3
import time
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, InterfaceError, NoSuchModuleError, OperationalError

from finance_api.storage.errors import StorageNotReady, StorageUnavailable

#: How long a writer waits for another one, and how long connecting may take.
LOCK_WAIT_SECONDS = 30
CONNECT_SECONDS = 3

#: The execution option by which a unit of work says that it writes.
WRITING = "finance_api_writing"

# SQLite asks after so many steps of its machine whether to go on.
_PROGRESS_STEPS = 20_000


def make_engine(url_text: str, *, pool_size: int, statement_seconds: int) -> Engine:
    """An engine for SQLite or PostgreSQL; no connection is made yet.

    statement_seconds: a reading statement that takes longer is ended.
    Raises StorageNotReady for a URL that cannot be used.
    """
    try:
        url = make_url(url_text)
        backend = url.get_backend_name()
        if backend == "sqlite":
            engine = _sqlite_engine(url, pool_size, statement_seconds)
        elif backend == "postgresql":
            engine = _postgresql_engine(url, pool_size, statement_seconds)
        else:
            raise StorageNotReady(f"sqlalchemy.url: {backend} is neither sqlite nor postgresql")
    except (ArgumentError, NoSuchModuleError) as error:
        raise StorageNotReady(f"sqlalchemy.url: {error}") from None
    except ModuleNotFoundError as error:
        raise StorageNotReady(
            f"sqlalchemy.url: the driver is missing ({error.name}); "
            "install finance-api with its extra postgresql"
        ) from None
    event.listen(engine, "handle_error", _tell_unavailable)
    return engine


def _sqlite_engine(url: URL, pool_size: int, statement_seconds: int) -> Engine:
    engine = create_engine(
        url, connect_args={"timeout": LOCK_WAIT_SECONDS}, pool_size=pool_size, max_overflow=0
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # The driver is not to begin transactions of its own; see "begin" below.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writing = connection.get_execution_options().get(WRITING, False)
        # A writer takes its lock at once: one that began as a reader could not wait for another.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
        raw = connection.connection.dbapi_connection
        if writing:
            raw.set_progress_handler(None, 0)
        else:
            ends = time.monotonic() + statement_seconds
            raw.set_progress_handler(lambda: time.monotonic() > ends, _PROGRESS_STEPS)

    return engine


def _postgresql_engine(url: URL, pool_size: int, statement_seconds: int) -> Engine:
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=CONNECT_SECONDS,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            # A database that stopped answering is noticed, not waited for.
            "keepalives_idle": 10,
            "keepalives_interval": 2,
            "keepalives_count": 3,
            "tcp_user_timeout": 5_000,
            "options": f"-c statement_timeout={statement_seconds * 1000} "
            f"-c lock_timeout={LOCK_WAIT_SECONDS * 1000} -c timezone=UTC",
        },
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        if connection.get_execution_options().get(WRITING, False):
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")

    return engine


def reading(engine: Engine) -> Engine:
    """The same connections, for units of work that see one unchanging state and write nothing."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return engine


def writing(engine: Engine) -> Engine:
    """The same connections, for units of work that write."""
    return engine.execution_options(**{WRITING: True})


def _tell_unavailable(context: ExceptionContext) -> None:
    error = context.original_exception
    # SQLite's bare DatabaseError means a damaged file; its subclasses have meanings of their own.
    damaged = type(error) is sqlite3.DatabaseError
    failed = isinstance(context.sqlalchemy_exception, (OperationalError, InterfaceError))
    if context.is_disconnect or failed or damaged:
        raise StorageUnavailable(f"the database does not answer: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
