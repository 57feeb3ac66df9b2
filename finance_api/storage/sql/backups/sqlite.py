"""Backups of SQLite: each is a database file, made by SQLite's online backup."""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa

from finance_api.storage.errors import StorageLocked, StorageNotReady, StorageUnavailable
from finance_api.storage.interface import LOCK_TIMEOUT_SECONDS
from finance_api.storage.sql import schema
from finance_api.storage.sql.backups import new_file, present_queries, sql_after
from finance_api.storage.sql.connections.engine import make_engine
from finance_api.storage.sql.room import Room

#: Number of pages to copy before credentials are handled; every database of ours has more pages.
_PAGES = 16


def back_up(engine: sa.Engine, path: Path) -> None:
    source = _file_of(engine)
    if not source.exists():
        raise StorageNotReady(f"there is no database file {source}")
    _refuse_itself(source, path)
    with new_file(path) as part:
        _copy(source, part)
        _check(part)


def restore(engine: sa.Engine, room: Room, path: Path, now: int, *, revoke_tokens: bool) -> None:
    target = _file_of(engine)
    _refuse_itself(target, path)
    _check(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # `_bring_in` copies the content of this file into the database.
    descriptor, name = tempfile.mkstemp(".part", f"{target.name}.", target.parent)
    os.close(descriptor)
    staged = Path(name)
    try:
        _copy(path, staged)
        url = engine.url.set(database=str(staged)).render_as_string(hide_password=False)
        upgraded = make_engine(url, pool_size=1)
        try:
            schema.upgrade(upgraded, room)
        finally:
            upgraded.dispose()
        _bring_in(staged, target, now, revoke_tokens=revoke_tokens)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{staged}{suffix}").unlink(missing_ok=True)


def _bring_in(staged: Path, target: Path, now: int, *, revoke_tokens: bool) -> None:
    """Replace the content of ``target`` with that of ``staged``, in a single transaction.

    SQLite writes the pages like any other change: open connections see only old pages or only new
    pages.
    """
    if not target.exists():
        os.close(os.open(target, os.O_CREAT, 0o600))
    with (
        closing(sqlite3.connect(staged, isolation_level=None)) as source,
        closing(sqlite3.connect(target, timeout=LOCK_TIMEOUT_SECONDS)) as live,
    ):
        try:
            _set_page_size(live, _page_size(source))
            live.execute("PRAGMA journal_mode = WAL")
            if (size := _page_size(live)) != _page_size(source):
                # An existing database keeps its page size.
                source.execute("PRAGMA journal_mode = DELETE")
                _set_page_size(source, size)
                source.execute("VACUUM")
            version = _version(live)
            schema.refuse_unknown(version)
            if version is not None:
                source.execute("ATTACH ? AS present", (str(target),))
                for name, query in present_queries("present.").items():
                    source.execute(f"CREATE TEMP VIEW {name} AS {query}")
        except sqlite3.DatabaseError as error:
            raise StorageNotReady(
                f"{target} cannot be read ({error}), so it is not known which tokens were "
                f"revoked; to restore without it, move it away with its -wal and -shm files"
            ) from error
        has_present = version is not None
        commands = sql_after(now, has_present=has_present, revoke_tokens=revoke_tokens)

        def keep_credentials(status: int, remaining: int, total: int) -> None:
            if status & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StorageLocked
            # The target is locked from the first step to the last, so that nothing can be revoked
            # meanwhile. The copy includes changes made through the source's own connection.
            while commands:
                source.execute(commands.pop(0))

        try:
            source.backup(live, pages=_PAGES, progress=keep_credentials)
        except sqlite3.Error as error:
            raise StorageUnavailable(f"{target} cannot be written: {error}") from error


def _file_of(engine: sa.Engine) -> Path:
    return Path(engine.url.database or ":memory:")


def _refuse_itself(database: Path, path: Path) -> None:
    if path.exists() and database.exists() and path.samefile(database):
        raise StorageNotReady(f"{path} is the database itself")


def _opened(path: Path) -> sqlite3.Connection:
    """Open an existing file."""
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True)


def _copy(path: Path, to: Path) -> None:
    """Copy one state of the database, even if it is written to meanwhile."""
    try:
        with closing(_opened(path)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)
            # Without a journal, everything is in one file.
            target.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise StorageUnavailable(f"{path} cannot be copied to {to}: {error}") from error


def _check(path: Path) -> None:
    """Raise StorageNotReady unless the database is complete and its version is known."""
    try:
        with closing(_opened(path)) as database:
            version = _version(database)
            if version is None:
                raise StorageNotReady(
                    f"{path} is not a backup of finance-api: it has none of its tables"
                )
            schema.refuse_unknown(version)
            (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # SQLite's messages can contain bytes of damaged pages.
        raise StorageNotReady(f"{path} is not an intact SQLite database: {error}") from error
    if found != "ok":
        raise StorageNotReady(f"{path} is damaged: {found}")


def _page_size(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA page_size").fetchone()[0])


def _set_page_size(database: sqlite3.Connection, size: int) -> None:
    """Set the page size of an empty database, or of a database that is vacuumed right after."""
    database.execute(f"PRAGMA page_size = {size}")


def _version(database: sqlite3.Connection) -> str | None:
    """Return the version of the tables; None if the database has no tables of ours."""
    named = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
    if database.execute(named).fetchone() is None:
        return None
    found = database.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if found is None else str(found[0])
