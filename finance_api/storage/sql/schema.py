"""Checks and upgrades the versions of the tables and of the data derived from rows."""

import logging
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.interface import LOCK_TIMEOUT_SECONDS
from finance_api.storage.sql import placement
from finance_api.storage.sql.connections.engine import writing
from finance_api.storage.sql.connections.unit import connect
from finance_api.storage.sql.room import Room
from finance_api.storage.sql.tables import projection_version, user_data

if TYPE_CHECKING:
    from alembic.config import Config

logger = logging.getLogger(__name__)

_MIGRATIONS = Path(__file__).parent / "migrations"

#: How long to wait for readers: longer than a query takes, less than PostgreSQL's deadlock_timeout.
_READERS_SECONDS = 0.5

_VERSIONS = "SELECT version_num, version FROM alembic_version CROSS JOIN projection_version"


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config


@lru_cache(maxsize=1)
def versions() -> tuple[str, ...]:
    """Return the versions of the tables, from the file names: alembic is slow to import."""
    files = sorted((_MIGRATIONS / "versions").glob("[0-9]*_*.py"))
    return tuple(file.stem for file in files)


def newest_version() -> str:
    """Return the version of the tables that this program uses."""
    return versions()[-1]


def get_version(connection: sa.Connection) -> str | None:
    """Return the version of the stored tables; None if there are no tables yet."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
    version: str | None = found.scalar_one_or_none()
    return version


def upgrade(engine: sa.Engine, room: Room) -> None:
    """Create or alter the tables, and rebuild outdated derived data, in one transaction.

    Waits for all writers to end, and makes new ones wait.
    """
    # Imported here, so that other commands start faster.
    from alembic import command

    from finance_api.storage.sql import indexes

    with suppress(StorageNotReady):
        check(engine, room)
        return
    database = engine.url.database
    if engine.dialect.name == "sqlite" and database and database != ":memory:":
        Path(database).parent.mkdir(0o700, parents=True, exist_ok=True)
        # SQLite gives its journal files the same mode as the database.
        Path(database).touch(0o600)
    config = _config()
    with writing(engine, alters=True).begin() as connection:
        _check_encoding(connection)
        found = get_version(connection)
        refuse_unknown(found)
        config.attributes["connection"] = connection
        if found is None:
            # Create the tables as declared: no migration creates them.
            indexes.metadata.create_all(connection, checkfirst=False)
            command.stamp(config, "head")
        elif found != newest_version():
            _lock_tables(connection)
            command.upgrade(config, "head")
            if placement.is_distributed(connection):
                list(placement.place_tables(connection))
        if _stored_version(connection) != room.version:
            rebuild_all(connection, room)


def rebuild_all(connection: sa.Connection, room: Room) -> None:
    """Rebuild every user's derived data, in a transaction that writes."""
    for user_id in connection.scalars(sa.select(user_data.c.user_id)).all():
        room.rebuild(connection, user_id)
    connection.execute(sa.delete(projection_version))
    connection.execute(sa.insert(projection_version).values(version=room.version))


def distribute(engine: sa.Engine, room: Room, *, dry_run: bool) -> Iterator[str]:
    """Distribute the tables, as `StorageBackend.distribute` says, in one transaction."""
    placement.check_database(engine.dialect.name)
    with connect(engine, engine.connect) as connection:
        placement.check_cluster(connection)
    check(engine, room)
    with connect(engine, engine.connect) as connection:
        names = [table.name for table in placement.tables_to_distribute(connection)]
    if dry_run:
        yield from (f"{name}: to be distributed by user_id" for name in names)
    elif names:
        with writing(engine, alters=True).begin() as connection:
            _lock_tables(connection)
            yield from placement.place_tables(connection)
        with engine.begin() as connection:
            # The planner has no statistics for the moved rows.
            connection.exec_driver_sql(f"ANALYZE {', '.join(names)}")


def refuse_unknown(found: str | None) -> None:
    """Raise StorageNotReady if this program does not know this version of the tables."""
    if found is not None and found not in versions():
        raise _of_another_version(found)


def _lock_tables(connection: sa.Connection) -> None:
    """Keep out readers until the transaction ends: older snapshots see rewritten tables as empty.

    Readers lock tables in different orders, so this gives up after a short wait and tries again.
    """
    preparer = connection.dialect.identifier_preparer
    names = ", ".join(map(preparer.quote, sa.inspect(connection).get_table_names()))
    if connection.dialect.name != "postgresql" or not names:
        return
    until = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(
                    f"SET LOCAL lock_timeout = {_READERS_SECONDS * 1000:.0f};"
                    f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"
                )
            return
        except StorageUnavailable:
            if time.monotonic() > until:
                raise


def _check_encoding(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise StorageNotReady(
                f"the database is in {encoding}, which cannot hold all text: make it with "
                "CREATE DATABASE … ENCODING 'UTF8'"
            )


def _warn_of_readers(engine: sa.Engine) -> None:
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database or not Path(database).exists():
        return
    if Path(database).stat().st_mode & stat.S_IRWXO:
        logger.warning("every user of this machine can read %s: chmod 600 it", database)


def check(engine: sa.Engine, room: Room) -> None:
    """Raise StorageNotReady unless tables and derived data have the versions of this program."""
    _warn_of_readers(engine)
    with connect(engine, engine.connect) as connection:
        _check_encoding(connection)
        try:
            found = get_version(connection)
        except DatabaseError as error:
            raise StorageNotReady(f"the database cannot be read: {error.orig}") from None
        if found is None:
            raise StorageNotReady("the database has no tables yet: run 'finance-api db upgrade'")
        if found != newest_version():
            raise _of_another_version(found)
        _check_derived(_stored_version(connection), room)


def check_writing(connection: sa.Connection, room: Room) -> None:
    """Raise StorageNotReady as `check` does, in a transaction that has the lock for writing.

    Until that transaction ends, no upgrade can begin.
    """
    for tables, derived in connection.exec_driver_sql(_VERSIONS):
        if tables != newest_version():
            raise _of_another_version(tables)
        _check_derived(derived, room)
        return
    raise StorageNotReady("the database has no version: run 'finance-api db upgrade'")


def _stored_version(connection: sa.Connection) -> int | None:
    """Return the version of the stored derived data; None before there is any."""
    return connection.execute(sa.select(projection_version.c.version)).scalar()


def _check_derived(found: int | None, room: Room) -> None:
    if found != room.version:
        raise StorageNotReady(
            f"the database's read model has version {'none' if found is None else found}, but "
            f"this program needs {room.version}: run 'finance-api db upgrade'"
        )


def _of_another_version(found: str) -> StorageNotReady:
    if found in versions():
        advice = "run 'finance-api db upgrade'"
    elif found[:4] <= newest_version()[:4]:
        # From before the first migration, whatever its number was.
        advice = (
            "they are too old to be upgraded. Export each user's data with the version that made "
            "them (finance-api dump EMAIL > FILE), and import the files into a new database with "
            "this version (finance-api import EMAIL FILE)"
        )
    else:
        advice = "use the newer version of the program, which made them"
    return StorageNotReady(
        f"the database's tables have version {found}, but this program needs {newest_version()}: "
        f"{advice}"
    )
