"""The import of one large file, compared with bare writing of the very same rows."""

import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from bench import data
from bench.ini import sqlite_url, write_ini
from bench.postgresql import Postgresql
from bench.prepare import program, remove_sqlite, run_program
from bench.processes import peak_bytes
from bench.workspace import PROJECT, Workspace

_EMAIL = "bulk@bench.example"
_CHUNK = 50_000
_POLL_SECONDS = 0.05
#: The table of the migrations that have run, which the upgrade itself fills.
_VERSION_TABLE = "alembic_version"
_NAMES = ("bulk_import", "bulk_bare")


@dataclass(frozen=True, slots=True)
class Bulk:
    """seconds: time of ``finance-api import``. bare_seconds: time of executemany or COPY.

    peak_bytes: the import's largest resident set.
    """

    records: int
    seconds: float
    bare_seconds: float
    peak_bytes: int

    @property
    def share(self) -> float:
        """Return the import's speed relative to bare writing."""
        return self.bare_seconds / self.seconds


def measure_bulk(
    workspace: Workspace, database: str, postgresql: Postgresql | None, records: int
) -> Bulk:
    """Measure the import of one file with all records of a user. Remove its databases again."""
    data.prepare_bulk(workspace, records)
    if database == "sqlite":
        return _sqlite(workspace, records)
    assert postgresql is not None
    return _postgresql(workspace, postgresql, records)


def _import(ini: Path, workspace: Workspace) -> tuple[float, int]:
    """Return the command's seconds and peak bytes."""
    run_program(ini, "db", "upgrade")
    run_program(ini, "user", "add", _EMAIL, "--premium")
    begin = time.perf_counter()
    process = subprocess.Popen(
        program(ini, "import", _EMAIL, str(workspace.bulk)), cwd=PROJECT, stdout=subprocess.DEVNULL
    )
    peak = 0
    while process.poll() is None:
        # The system's own figure at the end includes the process that started it.
        peak = max(peak, peak_bytes(process.pid))
        time.sleep(_POLL_SECONDS)
    if process.returncode != 0:
        raise RuntimeError(f"finance-api import ended with {process.returncode}")
    return time.perf_counter() - begin, peak


def _sqlite(workspace: Workspace, records: int) -> Bulk:
    imported, bare = (workspace.scratch(f"{name}.sqlite") for name in _NAMES)
    try:
        for path in (imported, bare):
            remove_sqlite(path)
        ini = write_ini(workspace.scratch("bulk.ini"), url=sqlite_url(imported))
        seconds, peak = _import(ini, workspace)
        run_program(write_ini(workspace.scratch("bulk.ini"), url=sqlite_url(bare)), "db", "upgrade")
        bare_seconds = _executemany(imported, bare)
    finally:
        for path in (imported, bare):
            remove_sqlite(path)
    return Bulk(records, seconds, bare_seconds, peak)


def _executemany(source: Path, target: Path) -> float:
    """Return the seconds of writing all tables' rows in one transaction, without reading them."""
    reading = sqlite3.connect(source)
    writing = sqlite3.connect(target, isolation_level=None)
    # As the service sets up its connections.
    writing.execute("PRAGMA journal_mode = WAL")
    writing.execute("PRAGMA foreign_keys = ON")
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("PRAGMA defer_foreign_keys = ON")
    seconds = 0.0
    for table in _sqlite_tables(reading):
        columns = [row[1] for row in reading.execute(f"PRAGMA table_xinfo({table})") if not row[6]]
        names = ", ".join(f'"{column}"' for column in columns)
        rows = reading.execute(f'SELECT {names} FROM "{table}"')
        writing.execute(f'DELETE FROM "{table}"')
        marks = ", ".join("?" * len(columns))
        statement = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'
        while chunk := rows.fetchmany(_CHUNK):
            begin = time.perf_counter()
            writing.executemany(statement, chunk)
            seconds += time.perf_counter() - begin
    begin = time.perf_counter()
    writing.execute("COMMIT")
    seconds += time.perf_counter() - begin
    writing.close()
    reading.close()
    return seconds


def _sqlite_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables to write."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [name for (name,) in found if name != _VERSION_TABLE]


def _postgresql(workspace: Workspace, server: Postgresql, records: int) -> Bulk:
    imported, bare = _NAMES
    for name in _NAMES:
        server.recreate(name)
    try:
        ini = write_ini(workspace.scratch("bulk.ini"), url=server.url(imported))
        seconds, peak = _import(ini, workspace)
        run_program(write_ini(workspace.scratch("bulk.ini"), url=server.url(bare)), "db", "upgrade")
        bare_seconds = _copy(server.url(imported), server.url(bare))
    finally:
        for name in _NAMES:
            server.drop(name)
    return Bulk(records, seconds, bare_seconds, peak)


def _copy(source: str, target: str) -> float:
    """Return the seconds of COPY into all tables in one transaction, without reading the rows."""
    seconds = 0.0
    with psycopg.connect(source) as reading, psycopg.connect(target) as writing:
        for table, columns in _postgresql_tables(reading):
            names = sql.SQL(", ").join(map(sql.Identifier, columns))
            parts = {"table": sql.Identifier(table), "columns": names}
            with tempfile.TemporaryFile() as rows:
                out = sql.SQL("COPY {table} ({columns}) TO STDOUT (FORMAT binary)").format(**parts)
                with reading.cursor().copy(out) as copy:
                    for block in copy:
                        rows.write(block)
                rows.seek(0)
                writing.execute(sql.SQL("DELETE FROM {table}").format(**parts))
                into = sql.SQL("COPY {table} ({columns}) FROM STDIN (FORMAT binary)")
                begin = time.perf_counter()
                with writing.cursor().copy(into.format(**parts)) as copy:
                    while block := rows.read(1 << 20):
                        copy.write(block)
                seconds += time.perf_counter() - begin
        begin = time.perf_counter()
        writing.commit()
        seconds += time.perf_counter() - begin
    return seconds


def _postgresql_tables(
    connection: "psycopg.Connection[tuple[str, ...]]",
) -> list[tuple[str, list[str]]]:
    """Return the tables and columns to write; first those that other tables refer to."""
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "SELECT c.table_name, c.column_name FROM information_schema.columns c "
        "JOIN information_schema.tables t USING (table_schema, table_name) "
        "WHERE c.table_schema = 'public' AND c.is_generated = 'NEVER' "
        "AND t.table_type = 'BASE TABLE' "
        "ORDER BY array_position(ARRAY['users', 'user_data'], c.table_name::TEXT), "
        "1, c.ordinal_position"
    ):
        if table != _VERSION_TABLE:
            found.setdefault(table, []).append(column)
    return list(found.items())
