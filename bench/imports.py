"""The import of one file of each format, and undoing it, compared with another version.

python -m bench.imports                    OFX, CSV and native files of 250,000 records
python -m bench.imports --against DIR      the same, in turn with the checkout in DIR
python -m bench.imports --records 2000000  larger files

Each command of `finance-api` runs in a separate process. What counts is its processor time, the
best of the rounds: other work on the machine changes it less than elapsed time.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench import data
from bench.ini import sqlite_url, write_ini
from bench.postgresql import Postgresql, running
from bench.prepare import DATABASES, remove_sqlite
from bench.sizes import FULL
from bench.workspace import PROJECT, Workspace, exclusive

FORMATS = ("ofx", "csv", "native")
_RECORDS = 250_000
_EMAIL = "import@bench.example"
_OPTIONS = {"csv": ("--account", "Main", "--currency", "EUR")}
_NAME = "one_import"
#: Runs the code in the working directory, whatever version is installed.
_PROGRAM = (sys.executable, "-P", "-c")
_RUN = "import sys; sys.path.insert(0, {path!r}); from finance_api.cli import run; run()"
_OFX_HEAD = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:UTF-8
CHARSET:NONE

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>10020030<ACCTID>1234567890<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20160101<DTEND>20261231
"""
_OFX_TAIL = "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
_CSV_HEAD = "Date;Amount;Payee;Note;Reference;Counterparty account\n"


@dataclass(frozen=True, slots=True)
class Figures:
    """The cost of one command. seconds, server_seconds: processor time, its own and PostgreSQL's.

    wall_seconds: elapsed time. peak_bytes: the command's largest resident set.
    """

    seconds: float
    server_seconds: float
    wall_seconds: float
    peak_bytes: int

    @property
    def all_seconds(self) -> float:
        return self.seconds + self.server_seconds


class Database:
    """An empty database with one user, made by one version of the program."""

    def __init__(self, checkout: Path, workspace: Workspace, postgresql: Postgresql | None) -> None:
        self._checkout = checkout
        self._postgresql = postgresql
        self._file = workspace.scratch(f"{_NAME}.sqlite")
        if postgresql is None:
            remove_sqlite(self._file)
            url = sqlite_url(self._file)
        else:
            postgresql.recreate(_NAME)
            url = postgresql.url(_NAME)
        self._ini = write_ini(workspace.scratch(f"{_NAME}.ini"), url=url, project=checkout)
        self.run("db", "upgrade")
        self.run("user", "add", _EMAIL, "--premium")

    def run(self, *arguments: str) -> Figures:
        """Run `finance-api` with these arguments."""
        code = _RUN.format(path=str(self._checkout))
        command = [*_PROGRAM, code, "-c", str(self._ini), *arguments]
        served, begin = self._server_seconds(), perf_counter()
        process = subprocess.Popen(command, cwd=self._checkout, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = perf_counter() - begin
        if process.returncode != 0:
            raise RuntimeError(f"finance-api {arguments[0]} ended with {process.returncode}")
        return Figures(
            usage.ru_utime + usage.ru_stime,
            self._server_seconds() - served,
            wall,
            usage.ru_maxrss * 1024,
        )

    def _server_seconds(self) -> float:
        return 0.0 if self._postgresql is None else self._postgresql.ended_seconds()

    def size(self) -> int:
        """Return the database's size on disk, in bytes."""
        if self._postgresql is None:
            return self._file.stat().st_size
        return int(self._postgresql.run_sql(_NAME, f"SELECT pg_database_size('{_NAME}')"))

    def remove(self) -> None:
        if self._postgresql is None:
            remove_sqlite(self._file)
        else:
            self._postgresql.drop(_NAME)


def file_of(workspace: Workspace, kind: str, records: int) -> Path:
    """Return a file of one account. If native, the file has all accounts of a user."""
    data.prepare_bulk(workspace, records)
    if kind == "native":
        return workspace.bulk
    path = workspace.directory / f"import-{records}.{kind}"
    rows = _csv_rows if kind == "csv" else _ofx_rows
    if not path.exists() or path.stat().st_mtime < workspace.bulk.stat().st_mtime:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(rows(workspace.bulk))
    return path


def _rows(bulk: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield day, amount, payee and note of each record, in the order of the days."""
    found = []
    with open(bulk, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"reserved_model_type":"Record"'):
                row = json.loads(line, parse_float=str)
                found.append((row["recordDate"][:10], row["amount"], row["payee"], row["note"]))
    found.sort()
    yield from found


def _ofx_rows(bulk: Path) -> Iterator[str]:
    yield _OFX_HEAD
    for number, (day, amount, payee, note) in enumerate(_rows(bulk)):
        yield (
            f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day.replace('-', '')}<TRNAMT>{amount}"
            f"<FITID>F{number:09}<REFNUM>{_reference(number)}<NAME>{payee}"
            f"<BANKACCTTO><BANKID>9<ACCTID>{_other(number)}</BANKACCTTO><MEMO>{note}</STMTTRN>\n"
        )
    yield _OFX_TAIL


def _csv_rows(bulk: Path) -> Iterator[str]:
    yield _CSV_HEAD
    for number, (day, amount, payee, note) in enumerate(_rows(bulk)):
        yield f"{day};{amount};{payee};{note};{_reference(number)};{_other(number)}\n"


def _reference(number: int) -> str:
    return f"RF{number:010}"


def _other(number: int) -> str:
    return f"DE{number * 7919 % 10**12:020}"


def compare(
    workspace: Workspace,
    database: str,
    postgresql: Postgresql | None,
    formats: list[str],
    checkouts: list[Path],
    rounds: int,
    records: int,
) -> None:
    """Print a row of a table for each format and version."""
    for kind in formats:
        path = str(file_of(workspace, kind, records))
        best: dict[Path, list[Figures]] = {}
        sizes = {}
        for _ in range(rounds):
            for checkout in checkouts:
                found = Database(checkout, workspace, postgresql)
                figures = [found.run("import", _EMAIL, *_OPTIONS.get(kind, ()), path)]
                sizes[checkout] = found.size()
                if checkout == PROJECT:
                    figures.append(found.run("imports", "undo", _EMAIL, "1"))
                found.remove()
                best[checkout] = [
                    min(pair, key=lambda one: one.all_seconds)
                    for pair in zip(best.get(checkout, figures), figures, strict=True)
                ]
        for checkout in checkouts:
            for what, figures_of in zip(("import", "undo"), best[checkout], strict=False):
                name = "here" if checkout == PROJECT else "there"
                print(_row(database, kind, name, what, records, figures_of, sizes[checkout]))


def _row(
    database: str, kind: str, name: str, what: str, records: int, of: Figures, size: int
) -> str:
    return (
        f"| {database} | {kind} | {name} | {what} | {of.seconds:.1f} | {of.server_seconds:.1f} "
        f"| {of.wall_seconds:.1f} | {records / of.all_seconds:,.0f} | {of.peak_bytes / 1e6:.0f} "
        f"| {size / 1e6:.1f} |"
    )


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", type=Path)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=int, default=_RECORDS)
    given = parser.parse_args()
    workspace = Workspace(FULL)
    checkouts = [PROJECT] if given.against is None else [given.against.resolve(), PROJECT]
    with exclusive(), ExitStack() as stack:
        print(
            "| Database | File | Version | What | s | server s | wall s | records/s | MB | size |"
        )
        print("|---|---|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
        for database in given.databases:
            server = None
            if database == "postgresql":
                server = stack.enter_context(running(workspace))
                if server is None:
                    raise SystemExit("PostgreSQL is not installed")
            compare(
                *(workspace, database, server, given.formats, checkouts),
                *(given.rounds, given.records),
            )


if __name__ == "__main__":
    _main()
