"""Programs that tests start behave as if started from a shell, and end with the tests."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from support.programs import as_child, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="is for Linux only")

TESTS = Path(__file__).parents[1]
START = """
import signal, subprocess, sys
sys.path.insert(0, {tests!r})
from support.programs import as_child
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen(as_child([sys.executable, "-c", {program!r}]))
print(child.pid, flush=True)
child.wait()
"""


def start(program: str) -> subprocess.Popen[str]:
    """A process that ignores SIGINT, as under nohup, and starts the program as tests do."""
    text = START.format(tests=str(TESTS), program=program)
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)


def test_a_program_ends_with_the_tests_however_they_end() -> None:
    with start("import time; print('runs', flush=True); time.sleep(600)") as tests:
        assert tests.stdout is not None
        first, second = tests.stdout.readline(), tests.stdout.readline()
        program = psutil.Process(int(first))
        assert second == "runs\n"
        tests.send_signal(signal.SIGKILL)
    wait_until(lambda: not program.is_running() or program.status() == psutil.STATUS_ZOMBIE)


def test_an_interrupt_means_what_it_does_also_under_nohup() -> None:
    told = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    with start(told) as tests:
        out, _ = tests.communicate(timeout=60)
    assert out.splitlines()[1:] == ["True"]


def test_elsewhere_a_command_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert as_child(["true"]) == ["true"]
