"""Backups of PostgreSQL, made by its own programs in their custom format."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.interface import LOCK_TIMEOUT_SECONDS
from finance_api.storage.sql import placement, schema
from finance_api.storage.sql.backups import new_file, present_queries, sql_after
from finance_api.storage.sql.connections.engine import LOCK_ALTERING
from finance_api.storage.sql.connections.unit import connect
from finance_api.storage.sql.room import Room
from finance_api.storage.sql.tables import metadata

_VERSION_TABLE = "alembic_version"
#: Every response reads one of these tables.
_ALWAYS_READ = "users, user_data"

#: A table in the list of a backup's contents: schema and name.
_TABLE_ENTRY = re.compile(r"^\d+; \d+ \d+ TABLE (?!DATA )(\S+) (\S+) ", re.MULTILINE)


def back_up(engine: sa.Engine, path: Path) -> None:
    with connect(engine, engine.connect) as connection:
        version = schema.get_version(connection)
        if version is None:
            raise StorageNotReady("the database has no tables yet")
        placement.check_copying(connection)
    schema.refuse_unknown(version)
    with new_file(path) as part:
        database, environment = _connection(engine)
        tables = [f"--table={name}" for name in (_VERSION_TABLE, *metadata.tables)]
        # Back up only our tables: the database may have tables of other programs.
        options = ["--format=custom", "--no-password", *tables]
        _run("pg_dump", *options, f"--file={part}", database, environment=environment)
        _check(part)


def restore(engine: sa.Engine, room: Room, path: Path, now: int, *, revoke_tokens: bool) -> None:
    restored = _check(path)
    with connect(engine, engine.connect) as connection:
        present = schema.get_version(connection)
    schema.refuse_unknown(present)
    script = _program("pg_restore")
    options = ["--no-owner", "--no-privileges", "--no-comments", "--exit-on-error", "--file=-"]
    database, environment = _connection(engine)
    psql = [_program("psql"), "--no-psqlrc", "--quiet", "--no-password"]
    with (
        tempfile.TemporaryFile("w+") as stderr,
        subprocess.Popen(  # noqa: S603 (no shell)
            [*psql, "--set=ON_ERROR_STOP=1", database],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env=environment,
        ) as session,
    ):
        assert session.stdin is not None
        # psql closes its input when a query fails.
        with suppress(BrokenPipeError), session.stdin as commands:
            _write(commands, _before(restored, has_present=present is not None))
            done = subprocess.run(  # noqa: S603 (no shell)
                [script, *options, path],
                stdout=commands,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            if done.returncode == 0:
                has_present = present is not None
                after = sql_after(now, has_present=has_present, revoke_tokens=revoke_tokens)
                # psql commits nothing unless it reaches COMMIT.
                _write(
                    commands,
                    ["RESET search_path", *after, f"ANALYZE {', '.join(restored)}", "COMMIT"],
                )
        code = session.wait()
        stderr.seek(0)
        if code != 0:
            raise _failed("psql", stderr.read())
    if done.returncode != 0:
        raise _failed("pg_restore", done.stderr)
    schema.upgrade(engine, room)


def _before(restored: Iterable[str], *, has_present: bool) -> list[str]:
    """Return the SQL that begins the transaction and drops the tables to restore."""
    commands = [
        "BEGIN",
        "SET LOCAL client_min_messages = warning",
        "SET LOCAL statement_timeout = 0",
        f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_SECONDS * 1000}",
        LOCK_ALTERING,
    ]
    if has_present:
        # This waits until readers have ended, and new readers wait for the restore.
        commands.append(f"LOCK TABLE {_ALWAYS_READ} IN ACCESS EXCLUSIVE MODE")
        commands += [
            f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {query}"
            for name, query in present_queries().items()
        ]
    # This fails if another program's object, such as a view, depends on the tables.
    names = [_VERSION_TABLE, *metadata.tables, *restored]
    return [*commands, f"DROP TABLE IF EXISTS {', '.join(names)}"]


def _write(stream: Any, commands: Iterable[str]) -> None:
    stream.write("".join(f"{command};\n" for command in commands).encode())
    stream.flush()


def _connection(engine: sa.Engine) -> tuple[str, dict[str, str]]:
    """Return how pg_dump and others connect: an argument, and an environment with the password."""
    from psycopg.conninfo import make_conninfo
    from psycopg.pq import Conninfo

    _, given = engine.dialect.create_connect_args(engine.url)
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    password = given.pop("password", None)
    # Keep only what libpq knows: the URL may also have options of the driver.
    conninfo = make_conninfo(**{name: given[name] for name in given.keys() & known})
    environment = {"PGPASSWORD": password} if password else {}
    return f"--dbname={conninfo}", {**os.environ, **environment}


def _check(path: Path) -> list[str]:
    """Return the tables of a backup.

    Raises StorageNotReady unless the backup is complete and its version is known.
    """
    listed = _TABLE_ENTRY.findall(_run("pg_restore", "--list", path))
    # Read the whole backup, to see whether it is complete.
    _run("pg_restore", "--file=/dev/null", path)
    rows = _run("pg_restore", "--data-only", f"--table={_VERSION_TABLE}", "--file=-", path)
    found = re.search(r"^COPY .*;\n(\S+)\n", rows, re.MULTILINE)
    if found is None:
        raise StorageNotReady(f"{path} is not a backup of finance-api: it has none of its tables")
    schema.refuse_unknown(found[1])
    return [f"{namespace}.{name}" for namespace, name in listed]


def _run(name: str, *arguments: Any, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(  # noqa: S603 (no shell)
        [_program(name), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise _failed(name, done.stderr)
    return done.stdout


def _failed(name: str, stderr: str) -> StorageNotReady:
    first = stderr.strip().partition("\n")[0]
    return StorageNotReady(first if first.startswith(name) else f"{name}: {first}")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        # Debian installs the programs of each version in a separate folder.
        everywhere = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
        newest = max(everywhere, key=lambda path: float(path.parts[-3]), default=None)
        if newest is None:
            raise StorageNotReady(f"{name} is not installed; install PostgreSQL's client programs")
        found = str(newest)
    return found
