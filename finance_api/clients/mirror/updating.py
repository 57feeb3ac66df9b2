"""A mirror's tables, and runs, which read all new changes and store them in one transaction."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from finance_api.clients.mirror.pages import PageRefused, parse_page
from finance_api.clients.mirror.source import Source, SourceError, StartOver
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.values.number import DECIMALS

#: Types that BI tools recognise. Lists are JSON arrays.
_TYPES = {
    Kind.NUMBER: "REAL",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.DATETIME: "DATETIME",
}
#: Suffix of the columns with exact amounts, in ten-thousandths.
_UNITS = "_units"


@dataclass(frozen=True)
class Table:
    resource: Resource

    @property
    def name(self) -> str:
        return str(self.resource.path).replace("-", "_")

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """Return the columns that every mirror has, and their types."""
        declared = {f.name: _type(f) for f in self.resource.fields}
        units = {f.name + _UNITS: "INTEGER" for f in self.resource.fields if f.is_money}
        return {**declared, "id": "TEXT PRIMARY KEY", **units}

    @cached_property
    def insertion(self) -> str:
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT OR REPLACE INTO {self.name} VALUES ({marks})"  # noqa: S608

    @property
    def definition(self) -> str:
        columns = ", ".join(f'"{name}" {type_}' for name, type_ in self.columns.items())
        return f"CREATE TABLE {self.name} ({columns})"

    def row(self, data: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the values of an object, by column. data: the object; its numbers are Decimals."""
        amounts = (data[field.name] for field in self.resource.fields if field.is_money)
        return (
            *(_stored(data[field.name], field) for field in self.resource.fields),
            *(None if amount is None else int(amount.scaleb(DECIMALS)) for amount in amounts),
        )


def _type(field: Field) -> str:
    if field.kind is Kind.NUMBER and not field.decimals:
        return "INTEGER"
    return "DECIMAL(19,4)" if field.is_money else _TYPES.get(field.kind, "TEXT")


def _stored(value: Any, field: Field) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False, default=float)
    if field.kind is Kind.DATETIME and value is not None:
        # The form that SQLite's functions and SQLAlchemy read, in UTC.
        return value.removesuffix("Z").replace("T", " ")
    return value


TABLES: Mapping[str, Table] = {str(r.path): Table(r) for r in PUBLIC_RESOURCES}

_INDEXES = {
    "records_by_date": "records (recordDate)",
    "records_by_account": "records (accountId, recordDate)",
    "records_by_category": "records (categoryId, recordDate)",
    "records_by_payee": "records (payee)",
}
_VIEWS = {
    # One row for each record, with names. counted: whether the API's sums include the record.
    "records_view": """
        WITH RECURSIVE tops (id, name) AS (
            SELECT id, name FROM categories
            WHERE parentId IS NULL OR parentId NOT IN (SELECT id FROM categories)
            UNION ALL
            SELECT categories.id, tops.name FROM categories JOIN tops ON parentId = tops.id
        )
        SELECT recordDate, substr(recordDate, 1, 7) AS month, accountName AS account, amount,
            records.currencyCode, payee, note, category, tops.name AS topCategory,
            (SELECT group_concat(value, ', ') FROM json_each(labels)) AS labels,
            recordType, paymentType, recordState,
            recordState IS NOT 'void' AND transferId IS NULL
                AND coalesce(excludeFromStats, 0) = 0 AS counted,
            amount_units, records.id, accountId, categoryId
        FROM records
        LEFT JOIN accounts ON accounts.id = accountId
        LEFT JOIN tops ON tops.id = categoryId""",
    "monthly_by_category": """
        SELECT month, category, topCategory, currencyCode, count(*) AS count,
            sum(max(amount_units, 0)) / 10000.0 AS income,
            sum(min(amount_units, 0)) / 10000.0 AS expense,
            sum(amount_units) / 10000.0 AS net
        FROM records_view WHERE counted
        GROUP BY month, categoryId, currencyCode""",
}

_REMOVAL = (
    *(f"DROP VIEW IF EXISTS {name}" for name in _VIEWS),
    *(f"DROP TABLE IF EXISTS {table.name}" for table in TABLES.values()),
)
_CREATION = (
    *(table.definition for table in TABLES.values()),
    *(f"CREATE INDEX {name} ON {columns}" for name, columns in _INDEXES.items()),
    *(f"CREATE VIEW {name} AS{query}" for name, query in _VIEWS.items()),
)

# -- runs -----------------------------------------------------------------------------------------

#: Marks a file as a mirror, in the header of SQLite: FINM.
_APPLICATION_ID = 0x46494E4D
_START = "0"
#: How many times a run starts reading before it gives up.
_STARTS = 3
#: The most pages of a run, and their most bytes.
MAX_PAGES = 20_000
MAX_BYTES = 8 * 2**30
_BUSY_SECONDS = 60
_STATE = (
    "CREATE TABLE mirror_state (since TEXT, revision INTEGER, updatedAt DATETIME, source TEXT, "
    "tables TEXT)"
)


class MirrorRefused(Exception):
    """The file cannot be used as a mirror; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """put, deleted: numbers of rows. unknown: types from the service that have no table here."""

    put: int
    deleted: int
    revision: int
    started_over: bool
    unknown: frozenset[str]


def update(path: Path, source: Source) -> Outcome:
    """Bring the file up to date. A killed run leaves the file as it was.

    Raises MirrorRefused and SourceError.
    """
    try:
        return _update(path, source)
    except PageRefused as error:
        raise SourceError(f"{source.base}: {error}") from None
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
        # Only the owner may read the file.
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


_TABLES = _fingerprint(*_CREATION)


def _position(file: sqlite3.Connection, source: Source) -> str | None:
    """Return where the last run ended; None if its token, service or tables were different."""
    if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'mirror_state'").fetchone():
        return None
    since, owner, tables = file.execute("SELECT since, source, tables FROM mirror_state").fetchone()
    is_same = (owner, tables) == (_fingerprint(source.base, source.token), _TABLES)
    return str(since) if is_same else None


def _read(source: Source, since: str, pages: IO[bytes]) -> str:
    """Write all pages to a file, one on each line. Return the position that reading began at."""
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
    for _ in range(MAX_PAGES):
        body = source.read_page(since)
        page = parse_page(body)
        pages.write(body.replace(b"\n", b" ") + b"\n")
        since = page["next"]
        if not page["hasMore"]:
            return
        if pages.tell() > MAX_BYTES:
            break
    raise SourceError(f"{source.base} sends more than {MAX_PAGES:,} pages or {MAX_BYTES:,} bytes")


def _store(file: sqlite3.Connection, source: Source, pages: IO[bytes], *, is_new: bool) -> Outcome:
    """Store the pages, in the transaction that the caller began."""
    if is_new:
        file.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        for statement in (*_REMOVAL, *_CREATION):
            file.execute(statement)
    put = deleted = 0
    unknown = set()
    for page in _pages(pages):
        for change in page["changes"]:
            table = TABLES.get(change["type"])
            if table is None:
                unknown.add(change["type"])
            elif change["op"] == "put":
                file.execute(table.insertion, table.row(change["data"]))
                put += 1
            else:
                deletion = f"DELETE FROM {table.name} WHERE id = ?"  # noqa: S608
                deleted += file.execute(deletion, (change["id"],)).rowcount
    state = (page["next"], int(page["revision"]), _fingerprint(source.base, source.token), _TABLES)
    file.execute("DROP TABLE IF EXISTS mirror_state")
    file.execute(_STATE)
    file.execute("INSERT INTO mirror_state VALUES (?, ?, datetime('now'), ?, ?)", state)
    return Outcome(put, deleted, int(page["revision"]), is_new, frozenset(unknown))


def _pages(pages: IO[bytes]) -> Iterator[dict[str, Any]]:
    pages.seek(0)
    for line in pages:
        yield parse_page(line)
