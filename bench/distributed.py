"""What distribution by user costs: the same calls on one PostgreSQL server and on a Citus cluster.

python -m bench.distributed ONE CITUS       prints the table in docs/scaling.md

ONE and CITUS are URLs of empty databases, the second on the coordinator of a cluster. Calls go to
each database in turn, without a server. Each figure is the longest time of the fastest tenth of the
calls, because other programs on the machine can only make calls slower.
"""

import argparse
import io
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench import data
from bench.capacity import new_records
from bench.importing import MADE_AT, import_everybody
from bench.ini import context_of, write_ini
from bench.micro.application import Application, opened
from bench.prepare import run_program
from bench.sizes import PAGE, Size
from bench.workspace import Workspace, exclusive
from finance_api.auth.sessions import start_session
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.storage.interface import StorageBackend, unit_of_work

_SIZE = Size(
    "distributed",
    users=20,
    large_records=20_000,
    regular_users=18,
    regular_records=1_000,
    shared_records=1_000,
)


@dataclass(frozen=True)
class _Side:
    """One of the databases, with its application.

    everybody: sends requests of all users in turn. large: sends requests of the user with the most
    records. files: new records of the other users.
    """

    backend: StorageBackend
    people: list[data.Person]
    everybody: Application
    large: Application
    files: list[tuple[data.Person, bytes]]


def _ask(path: str, *, large: bool = False) -> Callable[[_Side, int], None]:
    def call(side: _Side, _: int) -> None:
        application = side.large if large else side.everybody
        status, _headers, body = application.respond(application.environ(path))
        assert status.startswith("200"), (path, status, body)

    return call


def _sign_in(side: _Side, number: int) -> None:
    with unit_of_work(side.backend) as storage:
        user = storage.users.get(side.people[number % len(side.people)].email)
        start_session(storage, user, now=MADE_AT, user_agent="bench")


def _import(side: _Side, number: int) -> None:
    person, content = side.files[number]
    import_file(side.backend, ImportOrder(person.email, io.BytesIO(content), now=MADE_AT))


_RECORDS = "/v1/api/records"
#: For each measurement: its number of calls, and the call.
_CALLS: dict[str, tuple[int, Callable[[_Side, int], None]]] = {
    "first page of 100, users in turn": (400, _ask(f"{_RECORDS}?limit={PAGE}")),
    "100 at an offset of 10,000": (
        200,
        _ask(f"{_RECORDS}?limit={PAGE}&offset={_SIZE.deep_offset}", large=True),
    ),
    "sums by category and month, 20,000 records": (
        100,
        _ask(f"{_RECORDS}/summary?groupBy=category,month&limit={PAGE}", large=True),
    ),
    "export of 20,000 records, ndjson": (10, _ask("/v1/api/export/records.ndjson", large=True)),
    "import of 30 records": (_SIZE.regular_users, _import),
    "signing in, without the password's hash": (200, _sign_in),
}


@contextmanager
def _side(url: str, name: str, *commands: tuple[str, ...]) -> Iterator[tuple[_Side, float]]:
    """Yield a database with the data, and how many records a second were imported."""
    workspace = Workspace(_SIZE)
    ini = write_ini(workspace.scratch(f"{name}.ini"), url=url, cached=False)
    for command in commands:
        run_program(ini, *command)
    rate = import_everybody(ini, workspace).records_per_second
    people = data.prepare(workspace)
    context = context_of(ini)
    with opened(ini, people) as everybody, opened(ini, people[:1]) as large:
        files = [(each, new_records(workspace, each)) for each in people[1:]]
        yield _Side(context.backend, people, everybody, large, files), rate
    context.close()


def _milliseconds(
    sides: tuple[_Side, _Side], calls: int, call: Callable[[_Side, int], None]
) -> list[float]:
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(calls):
        for side, times in zip(sides, taken, strict=True):
            begin = time.perf_counter()
            call(side, number)
            times.append((time.perf_counter() - begin) * 1_000)
    return [sorted(times)[calls // 10] for times in taken]


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("one")
    parser.add_argument("citus")
    given = parser.parse_args()
    upgrade = ("db", "upgrade")
    with exclusive(), ExitStack() as stack:
        one, one_rate = stack.enter_context(_side(given.one, "one", upgrade))
        citus, citus_rate = stack.enter_context(
            _side(given.citus, "citus", upgrade, ("db", "distribute"))
        )
        for title, (calls, call) in _CALLS.items():
            before, after = _milliseconds((one, citus), calls, call)
            print(f"| {title} | {before:.1f} ms | {after:.1f} ms | {after / before:.1f}× |")
        rates = f"{one_rate:,.0f} records/s | {citus_rate:,.0f} records/s"
        print(f"| importing everybody's files | {rates} | {one_rate / citus_rate:.1f}× |")


if __name__ == "__main__":
    _main()
