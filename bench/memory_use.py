"""A worker's memory after all loads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import data
from bench.checking import check
from bench.client import run, write_requests
from bench.loads import LOADS
from bench.servers import Server
from bench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """bytes: private memory, without mapped files."""

    server: str
    database: str
    bytes: int


def measure_memory(workspace: Workspace, servers: Sequence[Server]) -> list[MemoryUse]:
    """Measure each worker after all loads; for the service, the worker with a response cache."""
    people = data.prepare(workspace)
    for server in servers:
        if not server.is_ours:
            # This worker has already had the loads.
            continue
        for load in (replace(load, cached=True) for load in LOADS):
            queries = load.queries(workspace.size, people)
            expected = check(server, load, queries)
            if workspace.size.memory_seconds:
                file = write_requests(workspace, server, load, queries, expected)
                run(server, load, file, expected, seconds=workspace.size.memory_seconds)
    return [
        MemoryUse(server.name, server.database, server.cached.own_memory_bytes())
        for server in servers
    ]
