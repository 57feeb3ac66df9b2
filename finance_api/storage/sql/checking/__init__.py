"""Finds faults of the database: wrong derived data, and references to rows that do not exist.

Reads in pages, or lets the database count. Reads each user's data in one snapshot.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DatabaseError, NotSupportedError, ProgrammingError

from finance_api.storage.errors import StorageError
from finance_api.storage.interface import NO_VALUE, REPAIR, RESTORE, Fault, after_repair
from finance_api.storage.sql.checking.rows import (
    faults_of,
    orphans_of,
    orphans_without_user,
    repair_user,
    without_counterpart,
)
from finance_api.storage.sql.connections.engine import writing
from finance_api.storage.sql.connections.unit import connect
from finance_api.storage.sql.placement import faults_of_places
from finance_api.storage.sql.tables import user_data, users

#: Report a disk with less free space than this.
MIN_FREE_BYTES = 100 << 20

_Check = Callable[[Connection, bool], Iterator[Fault]]


def find_faults(engine: Engine, *, repair: bool) -> Iterator[Fault]:
    """Do what `StorageBackend.find_faults` says."""
    yield from _disk(engine)
    for check in (_file, _layout, without_counterpart, orphans_without_user):
        yield from _checked(engine, check, repair)
    try:
        with connect(engine, engine.connect) as connection:
            known = connection.execute(select(users.c.id, users.c.email).order_by(users.c.id)).all()
            stored = set(connection.scalars(select(user_data.c.user_id)))
    except (StorageError, *NO_VALUE) as error:
        yield Fault.unreadable(error)
        return
    for user_id, email in known:
        if user_id in stored:
            yield from _checked(engine, _of_user(user_id, email), repair)


def _checked(engine: Engine, check: _Check, repair: bool) -> Iterator[Fault]:
    """Run a check in one snapshot or transaction; yield its faults, and one if it cannot read."""
    try:
        if not repair:
            with _snapshot(engine) as connection:
                found = list(check(connection, False))
        else:
            with writing(engine).begin() as connection:
                found = list(check(connection, True))
    except (StorageError, *NO_VALUE) as error:
        found = [Fault.unreadable(error)]
    except (ProgrammingError, NotSupportedError):
        # The SQL is at fault, not the data.
        raise
    except DatabaseError as error:
        found = [Fault("unreadable", f"the database cannot be read: {error.orig}", RESTORE)]
    yield from found


def _snapshot(engine: Engine) -> Connection:
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    connection = connect(engine, engine.connect)
    if engine.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    return connection


def _of_user(user_id: int, email: str) -> _Check:
    def check(connection: Connection, repair: bool) -> Iterator[Fault]:
        found = [*faults_of(connection, user_id, email), *orphans_of(connection, user_id, email)]
        if not repair or not any(fault.command == REPAIR for fault in found):
            yield from found
            return
        try:
            with connection.begin_nested():
                repair_user(connection, user_id)
        except NO_VALUE:
            # A row's value is impossible for its field, so rebuilding fails; see `_made` in `rows`.
            yield from found
            return
        left = [*faults_of(connection, user_id, email), *orphans_of(connection, user_id, email)]
        yield from after_repair(found, left)

    return check


def _disk(engine: Engine) -> Iterator[Fault]:
    """Check the free space of the disk with SQLite's file; PostgreSQL may run elsewhere."""
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database or database == ":memory:":
        return
    folder = Path(database).absolute().parent
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        yield Fault("disk", f"only {free >> 20} MiB are free in {folder}", f"df -h {folder}")


def _file(connection: Connection, repair: bool) -> Iterator[Fault]:
    """Run SQLite's checks of its file; PostgreSQL has none that every role may run."""
    if connection.dialect.name != "sqlite":
        return
    found = _integrity(connection)
    if repair and found and all("index" in message for message in found):
        connection.exec_driver_sql("REINDEX")
        left = _integrity(connection)
        yield from (_index_fault(m).as_repaired() for m in found if m not in left)
        found = left
    for message in found:
        if "index" in message:
            yield _index_fault(message)
        else:
            yield Fault("file", f"the database's file is damaged: {message}", RESTORE)


def _layout(connection: Connection, repair: bool) -> Iterator[Fault]:
    yield from faults_of_places(connection)


def _index_fault(message: str) -> Fault:
    return Fault("index", f"an index of the database is damaged: {message}", REPAIR)


def _integrity(connection: Connection) -> list[str]:
    found = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
    return [" ".join(message.split()) for message in found if message != "ok"]
