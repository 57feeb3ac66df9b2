"""One run: read all changes, then store them in one transaction."""

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from finance_api.clients.mirror.source import Source, SourceError, StartOver, parse_page
from finance_api.clients.mirror.tables import (
    TABLES,
    Table,
    create_statements,
    drop_statements,
    quoted,
)

#: Marks a file as a mirror, in the header of SQLite: FINM.
_APPLICATION_ID = 0x46494E4D
_START = "0"
#: How often a run starts over before it gives up.
_STARTS = 3
_BUSY_SECONDS = 60
_STATE = (
    "CREATE TABLE mirror_state (since TEXT, revision INTEGER, updatedAt DATETIME, source TEXT, "
    "tables TEXT)"
)


class MirrorRefused(Exception):
    """The file cannot be used as a mirror; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """put, deleted: numbers of rows. unknown: types of the service that have no table."""

    put: int
    deleted: int
    revision: int
    started_over: bool
    unknown: frozenset[str]


def update(path: Path, source: Source) -> Outcome:
    """Bring the file up to date. A killed run leaves it as it was.

    Raises MirrorRefused and SourceError.
    """
    try:
        return _update(path, source)
    except (sqlite3.Error, OSError) as error:
        raise MirrorRefused(f"{path} cannot be written: {error}") from None


def _update(path: Path, source: Source) -> Outcome:
    with closing(_opened(path)) as file, TemporaryFile() as pages:
        since = _position(file, source)
        begin = _read(source, since or _START, pages)
        with file:
            file.execute("BEGIN IMMEDIATE")
            if _position(file, source) != since:
                raise MirrorRefused(f"{path} was updated by another run meanwhile")
            return _store(file, source, pages, is_new=since is None or begin == _START)


def _opened(path: Path) -> sqlite3.Connection:
    with suppress(FileExistsError):
        # Nobody else may read it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    file = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        (mark,) = file.execute("PRAGMA application_id").fetchone()
        (objects,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        file.close()
        raise MirrorRefused(f"{path} cannot be read as a SQLite file ({error})") from None
    if mark != _APPLICATION_ID and (mark or objects):
        file.close()
        raise MirrorRefused(f"{path} is a database but not a mirror: name another file")
    return file


def _fingerprint(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


_TABLES = _fingerprint(*create_statements())


def _position(file: sqlite3.Connection, source: Source) -> str | None:
    """Return where the last run ended; None if it was for another token, service or version."""
    if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'mirror_state'").fetchone():
        return None
    since, owner, tables = file.execute("SELECT since, source, tables FROM mirror_state").fetchone()
    is_same = (owner, tables) == (_fingerprint(source.base, source.token), _TABLES)
    return str(since) if is_same else None


def _read(source: Source, since: str, pages: IO[bytes]) -> str:
    """Write all pages to the file, one on each line. Return the position of the first one."""
    for _ in range(_STARTS):
        pages.seek(0)
        pages.truncate()
        try:
            _read_from(source, since, pages)
        except StartOver:
            since = _START
        else:
            return since
    raise SourceError("the data keeps changing while it is read: try again later")


def _read_from(source: Source, since: str, pages: IO[bytes]) -> None:
    has_more = True
    while has_more:
        body = source.read_page(since)
        page = parse_page(body)
        pages.write(body.replace(b"\n", b" ") + b"\n")
        since, has_more = page["next"], page["hasMore"]


def _store(file: sqlite3.Connection, source: Source, pages: IO[bytes], *, is_new: bool) -> Outcome:
    """Store the pages, in the transaction that the caller began."""
    if is_new:
        file.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        for statement in (*drop_statements(), *create_statements()):
            file.execute(statement)
    columns = {table.name: _columns_in(file, table.name) for table in TABLES.values()}
    put = deleted = 0
    unknown = set()
    for page in _pages(pages):
        for change in page["changes"]:
            table = TABLES.get(change["type"])
            if table is None:
                unknown.add(change["type"])
            elif change["op"] == "put":
                _put(file, table, table.row(change["data"]), columns[table.name])
                put += 1
            else:
                gone = file.execute(table.deletion, (change["id"],))
                deleted += gone.rowcount
    state = (page["next"], int(page["revision"]), _fingerprint(source.base, source.token), _TABLES)
    file.execute("DROP TABLE IF EXISTS mirror_state")
    file.execute(_STATE)
    file.execute("INSERT INTO mirror_state VALUES (?, ?, datetime('now'), ?, ?)", state)
    return Outcome(put, deleted, int(page["revision"]), is_new, frozenset(unknown))


def _pages(pages: IO[bytes]) -> Iterator[dict[str, Any]]:
    pages.seek(0)
    for line in pages:
        yield parse_page(line)


def _columns_in(file: sqlite3.Connection, table: str) -> set[str]:
    return {name for _, name, *_ in file.execute(f"PRAGMA table_info({table})")}


def _put(file: sqlite3.Connection, table: Table, row: Mapping[str, Any], columns: set[str]) -> None:
    for name in row.keys() - columns:
        # A newer service has more fields.
        file.execute(f"ALTER TABLE {table.name} ADD COLUMN {quoted(name)}")
        columns.add(name)
    file.execute(table.insertion(row), tuple(row.values()))
