"""Makes the data and fills the databases; what is there already is kept.

python -m bench.prepare                 everything, as `make bench` needs it
python -m bench.prepare --quick         the small data
python -m bench.prepare --again         the service's own databases anew: after a change of
                                        its tables or of its import
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
from bench.importing import Measured
from bench.ini import sqlite_url, write_ini
from bench.peers.filling import fill
from bench.places import PROJECT, Place, alone
from bench.postgresql import OURS, PEER, Postgresql, running
from bench.sizes import FULL, QUICK

DATABASES = ("sqlite", "postgresql")
#: After this an import, or any other command, has failed.
IMPORT_SECONDS = 1_200

#: The code beside this suite, whatever is installed.
_PROGRAM = (sys.executable, "-c", "from finance_api.cli import run; run()")


def prepare(
    place: Place,
    postgresql: Postgresql | None,
    *,
    again: bool = False,
    databases: Sequence[str] = DATABASES,
) -> dict[str, Measured]:
    """The imports that were measured now or before, by database."""
    _timed("native files", lambda: data.prepare(place))
    measured = {}
    for database in databases:
        if database == "postgresql" and postgresql is None:
            continue
        measured[database] = _import_all(place, database, postgresql, again)
        _fill_peer(place, database, postgresql)
    return measured


def url_of(place: Place, database: str, postgresql: Postgresql | None) -> str:
    """The service's database."""
    if database == "sqlite":
        return sqlite_url(place.sqlite)
    assert postgresql is not None
    return postgresql.url(OURS)


def peer_url_of(place: Place, database: str, postgresql: Postgresql | None) -> str:
    if database == "sqlite":
        return sqlite_url(place.peer_sqlite)
    assert postgresql is not None
    return postgresql.url(PEER)


def files_of(place: Place, postgresql: Postgresql | None) -> list[Path]:
    """What all databases are kept in."""
    files = [path for path in (place.sqlite, place.peer_sqlite) if path.exists()]
    return files if postgresql is None else [*files, *postgresql.files()]


def program(ini: Path, *arguments: str) -> list[str]:
    """A call of `finance-api`."""
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
    place: Place, database: str, postgresql: Postgresql | None, again: bool
) -> Measured:
    note = place.directory / f"imported-{database}.json"
    edition = _edition(place) + _edition_of_tables()
    if note.exists() and not again:
        kept = json.loads(note.read_text())
        if kept.pop("edition") == edition:
            return Measured(**kept)
    note.unlink(missing_ok=True)
    if database == "sqlite":
        remove_sqlite(place.sqlite)
    else:
        assert postgresql is not None
        postgresql.recreate(OURS)
    ini = write_ini(
        place.scratch(f"import-{database}.ini"), url=url_of(place, database, postgresql)
    )
    run_program(ini, "db", "upgrade")
    command = [sys.executable, "-m", "bench.importing", str(ini), place.size.name]
    print(f"importing {place.size.records:,} records into {database} …", flush=True)
    done = subprocess.run(
        command,
        cwd=PROJECT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=IMPORT_SECONDS,
    )
    measured = Measured(**json.loads(done.stdout.splitlines()[-1]))
    print(f"  {measured.seconds:.1f} s, {measured.records_per_second:,.0f} records a second")
    if database == "postgresql":
        assert postgresql is not None
        # As its autovacuum would have done a minute later, in the middle of a load.
        postgresql.run_sql(OURS, "VACUUM ANALYZE")
    note.write_text(json.dumps({**asdict(measured), "edition": edition}))
    return measured


def _edition(place: Place) -> str:
    """Changes with the data."""
    return str(json.loads(place.people.read_text("utf-8"))["edition"])


def _edition_of_tables() -> str:
    """Changes with the service's migrations."""
    versions = PROJECT / "finance_api" / "storage" / "sql" / "migrations" / "versions"
    code = b"".join(path.read_bytes() for path in sorted(versions.glob("*.py")))
    return hashlib.sha256(code).hexdigest()


def _fill_peer(place: Place, database: str, postgresql: Postgresql | None) -> None:
    note = place.directory / f"peer-{database}.edition"
    edition = _edition(place)
    if note.exists() and note.read_text() == edition:
        return
    if database == "sqlite":
        remove_sqlite(place.peer_sqlite)
    else:
        assert postgresql is not None
        postgresql.recreate(PEER)
    url = peer_url_of(place, database, postgresql)
    _timed(f"the peers' tables in {database}", lambda: fill(url, place))
    if database == "postgresql":
        assert postgresql is not None
        postgresql.run_sql(PEER, "VACUUM ANALYZE")
    note.write_text(edition)


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
    place = Place(QUICK if options.quick else FULL)
    with alone(), running(place) as postgresql:
        prepare(place, postgresql, again=options.again, databases=options.database or DATABASES)


if __name__ == "__main__":
    _main()
