"""Exports of the user with the most records: rows a second, the first byte, memory, other requests.

python -m bench.exports           alone, on data that `python -m bench.prepare` has made
python -m bench.exports --quick   on the small data
"""

import argparse
import http.client
import os
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from bench import data
from bench.checking import WrongResponseError, check
from bench.client import require_wrk, run, write_requests
from bench.loads import BY_NAME
from bench.postgresql import Postgresql, running
from bench.prepare import DATABASES, prepare
from bench.processes import cores, wait_until_idle
from bench.servers import Server, serving_exports
from bench.sizes import FULL, QUICK
from bench.workspace import Workspace, exclusive

FORMS = ("csv", "ndjson")
#: Number of connections for the other requests.
CONNECTIONS = 50
_RUNS = 3
_SECONDS = 4
_READ_BYTES = 1 << 16
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Export:
    """Medians of the runs. seconds, first_byte_seconds: time until the last and the first byte.

    more_bytes: the worker's peak of private memory, minus its private memory before. p99_alone,
    p99_meanwhile: milliseconds of first pages on 50 connections, without and beside exports.
    """

    database: str
    form: str
    rows: int
    seconds: float
    first_byte_seconds: float
    more_bytes: int
    p99_alone: float
    p99_meanwhile: float


def measure_exports(
    workspace: Workspace, postgresql: Postgresql | None, databases: Sequence[str]
) -> Iterator[Export]:
    """Measure exports in each form from each database. Raises WrongResponseError."""
    people = data.prepare(workspace)
    for database in databases:
        with serving_exports(workspace, postgresql, database) as server, _on_clients_core():
            pages = _Pages(workspace, server)
            pages.p99(alone=True)
            for form in FORMS:
                reader = _Reader(server, people[0], form, workspace.size.large_records)
                before = server.cached.own_memory_bytes()
                with _peak_of(server) as peak:
                    found = [reader.read() for _ in range(_RUNS)]
                alone = [pages.p99(alone=True) for _ in range(_RUNS)]
                with reader.reading_on():
                    meanwhile = [pages.p99(alone=False) for _ in range(_RUNS)]
                yield Export(
                    database,
                    form,
                    workspace.size.large_records,
                    statistics.median(seconds for seconds, _ in found),
                    statistics.median(first for _, first in found),
                    peak[0] - before,
                    statistics.median(alone),
                    statistics.median(meanwhile),
                )


class _Reader:
    """Reads whole exports."""

    def __init__(self, server: Server, person: data.Person, form: str, rows: int) -> None:
        self._port = server.cached.port
        self._path = f"/v1/api/export/records.{form}"
        self._headers = {"Authorization": f"Bearer {person.token}"}
        self._lines = rows + (form == "csv")

    def read(self) -> tuple[float, float]:
        """Return the seconds until the last and the first byte. Raises WrongResponseError."""
        wait_until_idle(cores()[0])
        return self._read()

    def _read(self) -> tuple[float, float]:
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            begin = time.perf_counter()
            connection.request("GET", self._path, headers=self._headers)
            response = connection.getresponse()
            first = time.perf_counter() - begin
            lines = 0
            while chunk := response.read1(_READ_BYTES):
                lines += chunk.count(b"\n")
            seconds = time.perf_counter() - begin
        if (response.status, lines) != (200, self._lines):
            raise WrongResponseError(f"{self._path}: {response.status} with {lines} lines")
        return seconds, first

    @contextmanager
    def reading_on(self) -> Iterator[None]:
        """Run one export after another until the end of the block."""
        ended = threading.Event()

        def read() -> None:
            while not ended.is_set():
                self._read()

        thread = threading.Thread(target=read)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


class _Pages:
    """The load of first pages."""

    def __init__(self, workspace: Workspace, server: Server) -> None:
        self._server, self._load = server, BY_NAME["page"]
        queries = self._load.queries(workspace.size, data.prepare(workspace))
        self._expected = check(server, self._load, queries)
        self._file = write_requests(workspace, server, self._load, queries, self._expected)

    def p99(self, *, alone: bool) -> float:
        found = run(
            self._server,
            self._load,
            self._file,
            self._expected,
            seconds=_SECONDS,
            connections=CONNECTIONS,
            alone=alone,
        )
        return found.p99


@contextmanager
def _peak_of(server: Server) -> Iterator[list[int]]:
    """Yield a list whose only element is the process's peak private memory in the block."""
    found, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            found[0] = max(found[0], server.cached.own_memory_bytes())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


@contextmanager
def _on_clients_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cores()[1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--database", choices=DATABASES, action="append")
    options = parser.parse_args()
    require_wrk()
    workspace = Workspace(QUICK if options.quick else FULL)
    with exclusive(), running(workspace) as postgresql:
        databases = [
            each
            for each in options.database or DATABASES
            if each == "sqlite" or postgresql is not None
        ]
        prepare(workspace, postgresql, databases=databases)
        for each in measure_exports(workspace, postgresql, databases):
            print(
                f"{each.database:11} {each.form:7} {each.rows / each.seconds:9,.0f} rows/s, first "
                f"byte {each.first_byte_seconds * 1000:.0f} ms, +{each.more_bytes / 1e6:.0f} MB, "
                f"p99 {each.p99_alone:.1f} to {each.p99_meanwhile:.1f} ms",
                flush=True,
            )


if __name__ == "__main__":
    _main()
