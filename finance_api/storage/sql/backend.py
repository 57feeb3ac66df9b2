"""The SQL storage of a process: its engines, and the units of work that it makes."""

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import transaction

from finance_api.resources.field import Resource
from finance_api.runtime.settings import SettingError
from finance_api.storage.errors import StorageNotReady
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    BackendState,
    Fault,
    Storage,
    StorageBackend,
    Totals,
    WritableStorage,
)
from finance_api.storage.sql import schema
from finance_api.storage.sql.backups import postgresql, sqlite
from finance_api.storage.sql.checking import find_faults
from finance_api.storage.sql.connections.engine import Server, make_engine, writing
from finance_api.storage.sql.connections.unit import ReadConnection, connect
from finance_api.storage.sql.read_model import ReadModel
from finance_api.storage.sql.roles.activity import SqlAudit, SqlLedger, SqlUploads, SqlUsage
from finance_api.storage.sql.roles.rates import SqlRates
from finance_api.storage.sql.roles.users import SqlUsers
from finance_api.storage.sql.room import Room
from finance_api.storage.sql.writing.preparing import PreparedRows, prepare
from finance_api.values import Row

#: PostgreSQL returns the sum as a numeric.
_TOTALS = "SELECT count(*), coalesce(sum(revision), 0) FROM user_data"

_BACKUPS: dict[str, Any] = {"sqlite": sqlite, "postgresql": postgresql}


def _parts(own: ReadConnection, replicated: ReadConnection) -> dict[str, Any]:
    """Make the parts of a unit of work. replicated: the connection of what a replica may serve."""
    return {
        "users": SqlUsers(own),
        "usage": SqlUsage(own),
        "uploads": SqlUploads(own),
        "audit": SqlAudit(own),
        "ledger": SqlLedger(replicated),
        "rates": SqlRates(replicated),
    }


class SqlBackend(StorageBackend):
    """A storage in SQLite or PostgreSQL.

    Uses SQLAlchemy Core, not its ORM: rows become JSON as they are, and an identity map, change
    tracking and lazy loading would cost several times as much as the query.

    read_url: the URL of a replica to read data from. Users and their credentials are always read
    from the database itself.
    read_model: whether to use the read model; without it, all is read from the rows.
    """

    def __init__(
        self, url: str, *, read_url: str = "", pool_size: int = 8, read_model: bool = True
    ) -> None:
        self.server = Server()
        self.engine = make_engine(url, server=self.server, pool_size=pool_size)
        self.read_engine = make_engine(
            url, for_reading=True, server=self.server, pool_size=pool_size
        )
        self.replica_engine: sa.Engine | None = None
        if read_url:
            self.replica_engine = make_engine(
                read_url, setting="sqlalchemy.read_url", for_reading=True, pool_size=pool_size
            )
            if self.replica_engine.dialect.name != self.engine.dialect.name:
                raise StorageNotReady(
                    f"sqlalchemy.read_url: {self.replica_engine.dialect.name} cannot be a replica "
                    f"of sqlalchemy.url, which is {self.engine.dialect.name}"
                )
        self.room = ReadModel(self.engine.dialect) if read_model else Room()

    def read(self, *, newest: bool = False) -> Storage:
        connections = [self.room.reading(self.read_engine)]
        if self.replica_engine is not None and not newest:
            connections.append(self.room.reading(self.replica_engine))

        def close() -> None:
            seconds = 0.0
            for connection in connections:
                connection.close()
                seconds += connection.take_seconds()
            if seconds:
                self.on_work("read", seconds)

        own, replicated = connections[0], connections[-1]
        data = self.room.reader(replicated)
        return Storage(**_parts(own, replicated), data=data, close=close)

    def write(
        self,
        tm: transaction.TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        started = time.monotonic()
        # Imported here, so that commands that only read start faster.
        import zope.sqlalchemy
        from sqlalchemy.orm import Session

        # Begin a transaction, because only its end returns the connection to the pool.
        tm.get()
        session = Session(writing(self.engine, lock_timeout_seconds), autoflush=False)
        # SQLAlchemy Core does not tell the session about changes.
        zope.sqlalchemy.register(session, "changed", transaction_manager=tm)
        connection = self.room.writing(connect(self.engine, session.connection))
        schema.check_writing(connection.sqlalchemy, self.room)
        data = self.room.writer(connection)
        # This hook runs once, before the commit, however much was written.
        tm.get().addBeforeCommitHook(data.finish)
        tm.get().addAfterCommitHook(self._note_commit, (started,))
        return WritableStorage(origin=origin, data=data, **_parts(connection, connection))

    def prepare_rows(self, user_id: int, resource: Resource, rows: Iterable[Row]) -> PreparedRows:
        return prepare(user_id, resource, rows)

    def _note_commit(self, is_done: bool, started: float) -> None:
        if is_done:
            self.on_work("write", time.monotonic() - started)

    @property
    def state(self) -> BackendState:
        engines = {"read": self.read_engine, "write": self.engine, "replica": self.replica_engine}
        pools = {name: engine.pool for name, engine in engines.items() if engine is not None}
        return BackendState(
            connections={
                name: (pool.checkedout(), pool.size() - pool.checkedout())  # type: ignore[attr-defined]
                for name, pool in pools.items()
            },
            is_away=self.server.circuit.state != "closed",
        )

    def totals(self) -> Totals:
        self.check()
        with connect(self.read_engine, self.read_engine.connect) as connection:
            ((users, revisions),) = connection.exec_driver_sql(_TOTALS)
        return Totals(users=users, revisions=int(revisions), projection_version=self.room.version)

    def check(self) -> None:
        schema.check(self.engine, self.room)
        if self.replica_engine is not None:
            schema.check(self.replica_engine, self.room)

    def upgrade(self) -> None:
        schema.upgrade(self.engine, self.room)

    def distribute(self, *, dry_run: bool = False) -> Iterator[str]:
        return schema.distribute(self.engine, self.room, dry_run=dry_run)

    def find_faults(self, *, repair: bool = False) -> Iterator[Fault]:
        return find_faults(self.engine, self.room, repair=repair)

    def back_up(self, path: Path) -> None:
        _BACKUPS[self.engine.dialect.name].back_up(self.engine, path)

    def restore(self, path: Path, now: int, *, revoke_tokens: bool = False) -> None:
        backups = _BACKUPS[self.engine.dialect.name]
        backups.restore(self.engine, self.room, path, now, revoke_tokens=revoke_tokens)

    def close(self) -> None:
        for engine in (self.engine, self.read_engine, self.replica_engine):
            if engine is not None:
                engine.dispose()


def from_settings(settings: Mapping[str, Any], *, read_model: bool = True) -> SqlBackend:
    """Open the database of ``sqlalchemy.url``. Raises SettingError."""
    if not settings["sqlalchemy.url"]:
        raise SettingError("sqlalchemy.url: the sql storage needs the URL of its database")
    return SqlBackend(
        settings["sqlalchemy.url"],
        read_url=settings["sqlalchemy.read_url"],
        pool_size=settings["sqlalchemy.pool_size"],
        read_model=read_model,
    )
