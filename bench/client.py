"""wrk on the clients' core: one run of one load."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.checking import Expectation, WrongAnswerError
from bench.loads import Load, Question
from bench.places import Place
from bench.processes import cores, pinned, wait_until_idle
from bench.servers import Server

CONNECTIONS = 16
_SCRIPT = Path(__file__).with_name("wrk.lua")
#: Beyond this, looking at each answer would slow the client down more than the server.
_MOST_LOOKED_AT_BYTES = 20_000
#: What the mean number of bytes of a run may be off that of the sample, where it is all there is.
_MARGIN = 0.05
_LONGEST_SECONDS = 40


@dataclass(frozen=True, slots=True)
class Run:
    """per_second: answers. p50, p99: of their latencies, in milliseconds."""

    per_second: float
    p50: float
    p99: float
    requests: int


def require_wrk() -> None:
    """Ends the program with one line where wrk is not installed."""
    if shutil.which("wrk") is None:
        raise SystemExit("bench needs wrk, which is not installed (Debian: apt-get install wrk)")


def write_questions(
    place: Place, server: Server, load: Load, questions: Sequence[Question], expected: Expectation
) -> Path:
    """The file that the script reads."""
    path = place.scratch(f"{load.name}-{server.name}-{server.database}.txt")
    with open(path, "w", encoding="utf-8") as file:
        for question in questions:
            token = question.person.token if server.dialect.authenticates else "-"
            file.write(f"{server.dialect.path(question)}\t{token}\t{expected.tag or '-'}\n")
    return path


def run(
    server: Server,
    load: Load,
    questions: Path,
    expected: Expectation,
    *,
    seconds: int,
    connections: int = CONNECTIONS,
) -> Run:
    """Asks for so many whole seconds, and checks every answer or all their bytes.

    Raises WrongAnswerError.
    """
    threads = connections if load.follows else 1
    # Few and large answers that are kept come too fast to be looked at one by one.
    looked_at = not (load.kept and expected.most > _MOST_LOOKED_AT_BYTES)
    port = server.process_for(load).port
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s"]
    command += ["--timeout", "60s", "-s", str(_SCRIPT), f"http://127.0.0.1:{port}", "--"]
    command += [str(questions), str(threads), str(expected.status)]
    command += [str(expected.least if looked_at else -1), str(expected.most)]
    # A slow server goes on for seconds with what it was asked last, though its client has gone.
    wait_until_idle(cores()[0])
    done = subprocess.run(
        pinned(cores()[1], command), check=False, capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0:
        raise RuntimeError(f"wrk: {done.stdout}{done.stderr}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    if found["requests"] == 0:
        if seconds >= _LONGEST_SECONDS:
            raise WrongAnswerError(
                f"{load.name} on {server.name}, {server.database}: no answer in time"
            )
        # All connections ask at once, and the first answer may come when the last one does.
        longer = min(_LONGEST_SECONDS, 4 * seconds)
        return run(server, load, questions, expected, seconds=longer, connections=connections)
    _check(server, load, found, expected, looked_at)
    return Run(
        found["requests"] / (found["microseconds"] / 1e6),
        found["p50"] / 1000,
        found["p99"] / 1000,
        found["requests"],
    )


def _check(
    server: Server, load: Load, found: dict[str, int], expected: Expectation, looked_at: bool
) -> None:
    who = f"{load.name} on {server.name}, {server.database}"
    if found["failed"] or found["wrong"]:
        raise WrongAnswerError(
            f"{who}: {found['failed']} failed, {found['wrong']} wrong answers of "
            f"{found['requests']}, such as {found['example']}"
        )
    if looked_at:
        if found["looked"] < found["requests"]:
            raise WrongAnswerError(f"{who}: {found['looked']} of {found['requests']} looked at")
        return
    mean = found["bytes"] / max(1, found["requests"])
    if abs(mean - expected.bytes) > _MARGIN * expected.bytes:
        raise WrongAnswerError(f"{who}: {mean:.0f} bytes an answer instead of {expected.bytes:.0f}")
