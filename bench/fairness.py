"""One user's first page beside the most expensive requests of another user.

python -m bench.fairness            on data of its own, one of its users with 200,000 records
python -m bench.fairness --pages 50 fewer pages of each server and database
"""

import argparse
import http.client
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from bench import data
from bench.postgresql import running
from bench.prepare import DATABASES, prepare
from bench.servers import OURS, Server, serving_as_usual
from bench.sizes import FAIR
from bench.workspace import Workspace, exclusive

_SUMMARY = "/v1/api/records/summary"
EXPENSIVE = (
    f"{_SUMMARY}?groupBy=label,payee,day&limit=1000",
    f"{_SUMMARY}?groupBy=payee,day&sortBy=-net&offset=50000",
    f"{_SUMMARY}.xlsx?groupBy=label,day&sortBy=-income&limit=1000",
    f"{_SUMMARY}?groupBy=category,payee,day&sortBy=-count&limit=1000",
)
PAGE = "/v1/api/records"
#: Between two requests of one client.
_PAUSE_SECONDS = 0.02
_TIMEOUT_SECONDS = 60


class _Client:
    """One connection with a token."""

    def __init__(self, server: Server, person: data.Person) -> None:
        self._connection = http.client.HTTPConnection(
            "127.0.0.1", server.cached.port, timeout=_TIMEOUT_SECONDS
        )
        self._headers = {"Authorization": f"Bearer {person.token}"}

    def get(self, path: str) -> tuple[int, float]:
        """The status, and milliseconds until the whole body was there."""
        begin = time.perf_counter()
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        response.read()
        return response.status, (time.perf_counter() - begin) * 1000

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _asking(server: Server, person: data.Person, paths: Sequence[str]) -> Iterator[Counter[int]]:
    """Each path again and again, until the end of the block: the statuses."""
    statuses: Counter[int] = Counter()
    ended = threading.Event()

    def ask(path: str) -> None:
        with closing(_Client(server, person)) as client:
            while not ended.wait(_PAUSE_SECONDS):
                statuses[client.get(path)[0]] += 1

    threads = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _pages(server: Server, person: data.Person, number: int) -> str:
    """The outcome of the first pages that were asked for."""
    statuses: Counter[int] = Counter()
    times = []
    with closing(_Client(server, person)) as client:
        for _ in range(number):
            status, milliseconds = client.get(PAGE)
            statuses[status] += 1
            times.append(milliseconds)
            time.sleep(_PAUSE_SECONDS)
    times.sort()
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    refused = number - statuses[200]
    return f"{refused:4} not 200, p50 {statistics.median(times):7.1f} ms, p99 {p99:7.1f} ms"


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--server", choices=OURS, action="append")
    options = parser.parse_args()
    workspace = Workspace(FAIR)
    with exclusive(), running(workspace) as postgresql:
        databases = [
            each
            for each in options.database or DATABASES
            if each == "sqlite" or postgresql is not None
        ]
        prepare(workspace, postgresql, databases=databases)
        large, other, *_ = data.prepare(workspace)
        for database in databases:
            for name in options.server or OURS:
                with serving_as_usual(workspace, postgresql, name, database) as server:
                    alone = _pages(server, other, options.pages)
                    with _asking(server, large, EXPENSIVE) as statuses:
                        time.sleep(1)
                        beside = _pages(server, other, options.pages)
                print(f"{database:11} {name:9} alone  {alone}")
                print(f"{database:11} {name:9} beside {beside}; the four: {dict(statuses)}")


if __name__ == "__main__":
    _main()
