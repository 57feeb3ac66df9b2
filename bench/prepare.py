"""Makes the data and fills the databases; existing data and databases are used again.

python -m bench.prepare                 everything, as `make bench` needs it
python -m bench.prepare --quick         the small data
python -m bench.prepare --again         builds the service's own databases again, after a
                                        change to its tables or its import
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from bench import data
from bench.competitors import filling, tables
from bench.importing import Measured
from bench.ini import sqlite_url, write_ini
from bench.postgresql import OURS, PLAIN, THEIRS, Postgresql, running
from bench.sizes import FULL, QUICK
from bench.workspace import PROJECT, Workspace, exclusive

DATABASES = ("sqlite", "postgresql")
#: Time limit of an import, or of any other command.
IMPORT_SECONDS = 1_200

#: Use the code beside this suite, whatever version is installed.
_PROGRAM = (sys.executable, "-c", "from finance_api.cli import run; run()")


def prepare(
    workspace: Workspace,
    postgresql: Postgresql | None,
    *,
    again: bool = False,
    databases: Sequence[str] = DATABASES,
    with_competitors: bool = True,
    with_plain: bool = False,
) -> dict[str, Measured]:
    """Prepare everything. Return the imports measured now or earlier, by database.

    with_plain: whether also to fill databases that are read without the read model.
    """
    _timed("native files", lambda: data.prepare(workspace))
    measured = {}
    for database in databases:
        if database == "postgresql" and postgresql is None:
            continue
        measured[database] = _import_all(workspace, database, postgresql, again)
        if with_plain:
            _import_all(workspace, database, postgresql, again, plain=True)
        if with_competitors:
            _fill_competitors(workspace, database, postgresql)
    return measured


def url_of(
    workspace: Workspace, database: str, postgresql: Postgresql | None, *, plain: bool = False
) -> str:
    """Return the URL of the service's database. plain: of the one without the read model."""
    if database == "sqlite":
        return sqlite_url(workspace.plain_sqlite if plain else workspace.sqlite)
    assert postgresql is not None
    return postgresql.url(PLAIN if plain else OURS)


def competitors_url_of(workspace: Workspace, database: str, postgresql: Postgresql | None) -> str:
    if database == "sqlite":
        return sqlite_url(workspace.competitors_sqlite)
    assert postgresql is not None
    return postgresql.url(THEIRS)


def files_of(workspace: Workspace, postgresql: Postgresql | None) -> list[Path]:
    """Return the files of all databases."""
    ours = (workspace.sqlite, workspace.plain_sqlite)
    files = [path for path in (*ours, workspace.competitors_sqlite) if path.exists()]
    return files if postgresql is None else [*files, *postgresql.files()]


def program(ini: Path, *arguments: str) -> list[str]:
    """Return the command that calls `finance-api`."""
    return [*_PROGRAM, "-c", str(ini), *arguments]


def run_program(ini: Path, *arguments: str) -> None:
    subprocess.run(
        program(ini, *arguments),
        cwd=PROJECT,
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=IMPORT_SECONDS,
    )


def remove_sqlite(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _import_all(
    workspace: Workspace,
    database: str,
    postgresql: Postgresql | None,
    again: bool,
    *,
    plain: bool = False,
) -> Measured:
    name = f"{PLAIN}-{database}" if plain else database
    note = workspace.directory / f"imported-{name}.json"
    fingerprint = _fingerprint(workspace) + _fingerprint_of_tables()
    if note.exists() and not again:
        stored = json.loads(note.read_text())
        if stored.pop("fingerprint") == fingerprint:
            return Measured(**stored)
    note.unlink(missing_ok=True)
    if database == "sqlite":
        remove_sqlite(workspace.plain_sqlite if plain else workspace.sqlite)
    else:
        assert postgresql is not None
        postgresql.recreate(PLAIN if plain else OURS)
    url = url_of(workspace, database, postgresql, plain=plain)
    ini = write_ini(workspace.scratch(f"import-{name}.ini"), url=url, plain=plain)
    run_program(ini, "db", "upgrade")
    command = [sys.executable, "-m", "bench.importing", str(ini), workspace.size.name]
    print(f"importing {workspace.size.records:,} records into {name} …", flush=True)
    done = subprocess.run(
        command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True, timeout=IMPORT_SECONDS
    )
    measured = Measured(**json.loads(done.stdout.splitlines()[-1]))
    print(f"  {measured.seconds:.1f} s, {measured.records_per_second:,.0f} records a second")
    if database == "postgresql":
        assert postgresql is not None
        # Otherwise autovacuum would do this a minute later, during a load.
        postgresql.run_sql(PLAIN if plain else OURS, "VACUUM ANALYZE")
    note.write_text(json.dumps({**asdict(measured), "fingerprint": fingerprint}))
    return measured


def _fingerprint(workspace: Workspace) -> str:
    """Return a hash that changes with the data."""
    return str(json.loads(workspace.people.read_text("utf-8"))["fingerprint"])


def _fingerprint_of_tables() -> str:
    """Return a hash that changes with the service's tables and migrations."""
    folder = PROJECT / "finance_api" / "storage" / "sql"
    return _fingerprint_of(sorted([*folder.glob("*.py"), *folder.glob("migrations/versions/*.py")]))


def _fingerprint_of(files: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _fill_competitors(workspace: Workspace, database: str, postgresql: Postgresql | None) -> None:
    note = workspace.directory / f"competitors-{database}.fingerprint"
    fingerprint = _fingerprint(workspace) + _fingerprint_of(
        [Path(filling.__file__), Path(tables.__file__)]
    )
    if note.exists() and note.read_text() == fingerprint:
        return
    if database == "sqlite":
        remove_sqlite(workspace.competitors_sqlite)
    else:
        assert postgresql is not None
        postgresql.recreate(THEIRS)
    url = competitors_url_of(workspace, database, postgresql)
    _timed(f"the competitors' tables in {database}", lambda: filling.fill(url, workspace))
    if database == "postgresql":
        assert postgresql is not None
        postgresql.run_sql(THEIRS, "VACUUM ANALYZE")
    note.write_text(fingerprint)


def _timed(what: str, work: Callable[[], object]) -> None:
    begin = time.perf_counter()
    work()
    print(f"{what}: {time.perf_counter() - begin:.1f} s", flush=True)


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--database", choices=DATABASES, action="append")
    options = parser.parse_args()
    workspace = Workspace(QUICK if options.quick else FULL)
    with exclusive(), running(workspace) as postgresql:
        prepare(workspace, postgresql, again=options.again, databases=options.database or DATABASES)


if __name__ == "__main__":
    _main()
