"""A function in a separate process: its result, its errors, its limits and its end."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import support
from finance_api.importers.interface import Choice, ImportRefused
from finance_api.runtime.limited_process import (
    LimitedProcess,
    LimitExceeded,
    Limits,
    ProcessDied,
    ProcessKilled,
    report,
)

NO_LIMITS = Limits()


def refuse() -> None:
    raise ImportRefused("the file is empty", 7, (Choice({"positive": "in"}, "y"),))


def hold(megabytes: int) -> int:
    return len(bytes(megabytes << 20))


def spin() -> None:
    while True:
        pass


def log() -> None:
    logging.getLogger("finance_api.some_part").warning("about %s", "a file")


def log_error() -> None:
    try:
        raise ValueError("a payee")
    except ValueError:
        logging.getLogger("finance_api.some_part").exception("a file failed")


def count_up() -> str:
    for number in range(3):
        report((number, 3))
    return "done"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_the_answer_comes_from_another_process() -> None:
    process_id = LimitedProcess(NO_LIMITS, os.getpid).result()
    assert process_id != os.getpid()


def test_what_it_reports_is_known_before_its_answer() -> None:
    process = LimitedProcess(NO_LIMITS, count_up)
    assert process.reported is None
    assert process.result() == "done"
    assert process.reported == (2, 3)
    # In this process, report does nothing.
    report((1, 2))


def test_an_error_is_raised_here_with_all_it_says() -> None:
    with pytest.raises(ImportRefused) as raised:
        LimitedProcess(NO_LIMITS, refuse).result()
    assert str(raised.value) == "line 7: the file is empty"
    assert raised.value.answers == [(Choice({"positive": "in"}),)]


def test_what_it_logs_is_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    LimitedProcess(NO_LIMITS, log).result()
    assert [(r.name, r.getMessage()) for r in caplog.records] == [
        ("finance_api.some_part", "about a file")
    ]


def test_what_it_logs_has_a_request_id_and_no_values(caplog: pytest.LogCaptureFixture) -> None:
    LimitedProcess(NO_LIMITS, log_error).result()
    text = logging.Formatter("%(request_id)s %(message)s").format(caplog.records[0])
    assert text.startswith("- a file failed\n")
    assert "log_error" in text and text.endswith("\nValueError")


def test_memory_is_limited() -> None:
    assert LimitedProcess(Limits(memory_mb=300), hold, 20).result() == 20 << 20
    with pytest.raises(LimitExceeded, match=r"^more than 300 MB of memory$"):
        LimitedProcess(Limits(memory_mb=300), hold, 400).result()


def test_processor_time_is_limited() -> None:
    with pytest.raises(LimitExceeded, match=r"^more than 1 seconds of processor time$"):
        LimitedProcess(Limits(cpu_seconds=1), spin).result()


def test_time_is_limited() -> None:
    with pytest.raises(LimitExceeded, match=r"^more than 1 seconds$"):
        LimitedProcess(Limits(seconds=1), time.sleep, 600).result()


def test_it_can_be_killed_while_somebody_waits_and_afterwards() -> None:
    process = LimitedProcess(NO_LIMITS, time.sleep, 600)
    threading.Timer(0.1, process.kill).start()
    with pytest.raises(ProcessKilled):
        process.result()
    process.kill()


def test_a_death_that_nobody_asked_for_is_distinguished_from_the_others() -> None:
    with pytest.raises(ProcessDied, match=r"-9"):
        LimitedProcess(Limits(memory_mb=300, cpu_seconds=9, seconds=9), die).result()


def test_it_exits_with_its_parent() -> None:
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(support.__path__[0])}
    parent = subprocess.Popen(
        [sys.executable, "-m", "support.sleeping"], stdout=subprocess.PIPE, env=environment
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    with parent:
        parent.kill()
    for _ in range(600):
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")
