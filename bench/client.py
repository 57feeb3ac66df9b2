"""wrk on the clients' core: one run of one load."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.checking import Expectation, WrongResponseError
from bench.loads import Load, Query
from bench.processes import cores, pinned, wait_until_idle
from bench.servers import Server
from bench.workspace import Workspace

CONNECTIONS = 16
_SCRIPT = Path(__file__).with_name("wrk.lua")
#: Checking each response larger than this would slow the client down more than the server.
_MOST_CHECKED_BYTES = 20_000
#: Allowed difference from the sample's mean length, if single responses are not checked.
_MARGIN = 0.05
_LONGEST_SECONDS = 40


@dataclass(frozen=True, slots=True)
class Run:
    """per_second: responses per second. p50, p99: latency in milliseconds."""

    per_second: float
    p50: float
    p99: float
    requests: int


def require_wrk() -> None:
    """End the program with one line if wrk is not installed."""
    if shutil.which("wrk") is None:
        raise SystemExit("bench needs wrk, which is not installed (Debian: apt-get install wrk)")


def write_requests(
    workspace: Workspace,
    server: Server,
    load: Load,
    queries: Sequence[Query],
    expected: Expectation,
) -> Path:
    """Write the file that the script reads."""
    path = workspace.scratch(f"{load.name}-{server.name}-{server.database}.txt")
    with open(path, "w", encoding="utf-8") as file:
        for query in queries:
            token = query.person.token if server.dialect.authenticates else "-"
            file.write(f"{server.dialect.path(query)}\t{token}\t{expected.tag or '-'}\n")
    return path


def run(
    server: Server,
    load: Load,
    queries: Path,
    expected: Expectation,
    *,
    seconds: int,
    connections: int = CONNECTIONS,
    alone: bool = True,
) -> Run:
    """Run a load for this many seconds. Check every response, or their mean length.

    alone: whether to wait until nothing else runs on the server's core.
    Raises WrongResponseError.
    """
    threads = connections if load.follows else 1
    # Large cached responses come too fast to be checked one by one.
    checked = not (load.cached and expected.most > _MOST_CHECKED_BYTES)
    port = server.process_for(load).port
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s"]
    command += ["--timeout", "60s", "-s", str(_SCRIPT), f"http://127.0.0.1:{port}", "--"]
    command += [str(queries), str(threads), str(expected.status)]
    command += [str(expected.least if checked else -1), str(expected.most)]
    # A slow server still works on its last requests for seconds after the client has disconnected.
    if alone:
        wait_until_idle(cores()[0])
    done = subprocess.run(
        pinned(cores()[1], command), check=False, capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0:
        raise RuntimeError(f"wrk: {done.stdout}{done.stderr}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    if found["requests"] == 0:
        if seconds >= _LONGEST_SECONDS:
            raise WrongResponseError(
                f"{load.name} on {server.name}, {server.database}: no response in time"
            )
        # All connections send at once, and the first response may come as late as the last.
        longer = min(_LONGEST_SECONDS, 4 * seconds)
        return run(server, load, queries, expected, seconds=longer, connections=connections)
    _check(server, load, found, expected, checked)
    return Run(
        found["requests"] / (found["microseconds"] / 1e6),
        found["p50"] / 1000,
        found["p99"] / 1000,
        found["requests"],
    )


def _check(
    server: Server, load: Load, found: dict[str, int], expected: Expectation, checked: bool
) -> None:
    who = f"{load.name} on {server.name}, {server.database}"
    if found["failed"] or found["wrong"]:
        raise WrongResponseError(
            f"{who}: {found['failed']} failed, {found['wrong']} wrong responses of "
            f"{found['requests']}, such as {found['example']}"
        )
    if checked:
        if found["checked"] < found["requests"]:
            raise WrongResponseError(f"{who}: {found['checked']} of {found['requests']} checked")
        return
    mean = found["bytes"] / max(1, found["requests"])
    if abs(mean - expected.bytes) > _MARGIN * expected.bytes:
        raise WrongResponseError(
            f"{who}: {mean:.0f} bytes per response instead of {expected.bytes:.0f}"
        )
