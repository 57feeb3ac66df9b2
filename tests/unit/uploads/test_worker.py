"""Whether the process that works on an upload has ended."""

import os
import subprocess
import sys

from finance_api.uploads.jobs import is_gone, this_worker

_PRINT = "from finance_api.uploads.jobs import this_worker; print(this_worker(), flush=True)"


def test_this_process_is_there() -> None:
    assert this_worker() == this_worker()
    assert f"/{os.getpid()}/" in this_worker()
    assert not is_gone(this_worker())


def test_another_process_is_gone_once_it_has_ended() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", f"{_PRINT}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    name = process.stdout.readline().decode().strip()
    assert not is_gone(name)
    process.communicate(b"\n")
    process.wait()
    assert is_gone(name)


def test_a_process_that_has_the_number_of_one_that_ended_is_another_one() -> None:
    host, boot, number, started = this_worker().split("/")
    assert is_gone("/".join((host, boot, number, str(int(started) - 1))))


def test_of_other_machines_and_boots_nothing_is_known() -> None:
    host, boot, number, started = this_worker().split("/")
    assert not is_gone("/".join((f"{host}x", boot, "1", started)))
    assert not is_gone("/".join((host, f"{boot}x", number, "1")))
    assert not is_gone("")
