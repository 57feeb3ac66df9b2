"""Every load on every server, in turn, so that noise of the machine affects all servers alike."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench import data
from bench.checking import Expectation, WrongResponseError, check
from bench.client import CONNECTIONS, Run, run, write_requests
from bench.loads import Load, Query
from bench.servers import Server
from bench.workspace import Workspace

_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """Medians of the runs. seconds: time of a request alone. requests: total of all runs."""

    load: str
    server: str
    database: str
    per_second: float
    p50: float
    p99: float
    seconds: float
    requests: int


@dataclass(frozen=True, slots=True)
class _Prepared:
    server: Server
    queries: Path
    expected: Expectation


def measure(
    workspace: Workspace,
    servers: Sequence[Server],
    loads: Sequence[Load],
    files: Sequence[Path],
    *,
    runs: int,
    seconds: int,
    connections: int = CONNECTIONS,
) -> Iterator[Result]:
    """Yield the results, load by load. Leave out competitors if a load is not compared with them.

    files: the files of databases, to read into the system's memory. Raises WrongResponseError.
    """
    people = data.prepare(workspace)
    for load in loads:
        for file in files:
            _bring_into_memory(file)
        queries = load.queries(workspace.size, people)
        asked = [server for server in servers if server.is_ours or not load.ours_only]
        prepared = [_prepare(workspace, server, load, queries) for server in asked]
        _check_that_all_agree(load, prepared)
        prepared = [each for each in prepared if each.server.is_ours or load.target is not None]
        found: list[list[Run]] = [[] for _ in prepared]
        for _ in range(runs):
            for each, its_runs in zip(prepared, found, strict=True):
                its_runs.append(
                    run(
                        each.server,
                        load,
                        each.queries,
                        each.expected,
                        seconds=seconds,
                        connections=connections,
                    )
                )
        for each, its_runs in zip(prepared, found, strict=True):
            yield Result(
                load.name,
                each.server.name,
                each.server.database,
                statistics.median(one.per_second for one in its_runs),
                statistics.median(one.p50 for one in its_runs),
                statistics.median(one.p99 for one in its_runs),
                each.expected.seconds,
                sum(one.requests for one in its_runs),
            )


def _bring_into_memory(file: Path) -> None:
    """Read the file once, so that the disks of rented machines are not measured."""
    buffer = bytearray(_READ_BYTES)
    # A database may delete some of its files at any time.
    with suppress(FileNotFoundError), open(file, "rb", buffering=0) as stream:
        while stream.readinto(buffer):
            pass


def _prepare(
    workspace: Workspace, server: Server, load: Load, queries: Sequence[Query]
) -> _Prepared:
    expected = check(server, load, queries)
    file = write_requests(workspace, server, load, queries, expected)
    return _Prepared(server, file, expected)


def _check_that_all_agree(load: Load, prepared: Sequence[_Prepared]) -> None:
    """Check that every server returns the same rows in the same order."""
    for each in prepared[1:]:
        if each.expected.ids != prepared[0].expected.ids:
            raise WrongResponseError(
                f"{load.name}: {each.server.name} ({each.server.database}) gives other rows than "
                f"{prepared[0].server.name} ({prepared[0].server.database})"
            )
