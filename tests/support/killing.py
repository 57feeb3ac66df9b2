"""Kills commands while they write to the database."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

from support.command import Command

#: Runs a command, and begins to count its processor time when it first writes. The kernel ends it
#: after this much: SIGPROF, for which no handler is set, lets no more code run than SIGKILL. At its
#: end it says how much it took until its last commit.
_CODE = """
import atexit, signal, sys, time
from sqlalchemy import Engine, event
from finance_api.cli import run

limit, *arguments = sys.argv[1:]
moments = []

@event.listens_for(Engine, "before_cursor_execute")
def begin(connection, cursor, statement, *others):
    if not moments and statement.startswith(("INSERT", "UPDATE", "DELETE")):
        moments.append(time.process_time())
        signal.setitimer(signal.ITIMER_PROF, float(limit))

@event.listens_for(Engine, "commit")
def end(connection):
    if moments:
        moments.append(time.process_time())

atexit.register(lambda: print(moments[-1] - moments[0], file=sys.stderr))
run(arguments)
"""
_PROGRAM = (sys.executable, "-c", _CODE)
#: More than any command takes.
_UNLIMITED = 3_600
#: The shortest limit that a timer takes.
_AT_ONCE = 1e-6


def _start(command: Command, seconds: float, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    return command.start(str(seconds), *arguments, program=_PROGRAM)


def work_seconds(command: Command, *arguments: str) -> float:
    """Run a command to its end. Return its processor time from its first write to its commit."""
    with _start(command, _UNLIMITED, arguments) as process:
        _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return float(said.split()[-1])


def shares(number: int, seed: int) -> list[float]:
    """Return the shares of its work after which to kill a command: half, none, random ones."""
    drawn = Random(seed)
    return [0.5, 0.0, *(drawn.random() for _ in range(number))][:number]


def kill(
    command: Command, seconds: float, *arguments: str, meanwhile: Callable[[], object] | None = None
) -> None:
    """Run a command, and kill it after this much processor time from its first write on.

    meanwhile: called again and again while it runs.
    """
    with _start(command, max(seconds, _AT_ONCE), arguments) as process:
        while process.poll() is None:
            if meanwhile is not None:
                meanwhile()
            time.sleep(0.003)
    assert process.returncode in (-signal.SIGPROF, 0)
