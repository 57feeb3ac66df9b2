"""Uploads are read in separate processes, which have limits and end with their job."""

import os
import random
import subprocess
import sys
import time

import psutil
import pytest

import support
from finance_api.resources import RECORDS
from finance_api.storage.interface import UploadState, reading
from support import endless
from support.browser import location, new_user, signed_in
from support.html import shown_text
from support.nightly import count
from support.service import Service
from support.uploads import STATEMENT, do, finished, post_file, sent, uploads_of

pytestmark = pytest.mark.parametrize(
    "storage_of_service", count(["sqlite"], ["sqlite", "postgresql"])
)

ROWS = count(800, 4_000)
#: The approximate time of their import.
SECONDS = ROWS / 2_000
LARGE = b"date,amount,payee,account,currency\n" + b"".join(
    b"2026-03-%02d,-%d.50,Shop %d,Checking,EUR\n" % (n % 28 + 1, n, n) for n in range(ROWS)
)


@pytest.fixture
def children(monkeypatch):
    """Return a function that replaces what the processes of uploads do."""

    def of(work):
        monkeypatch.setattr("finance_api.uploads.jobs.run_in_child", work)

    return of


@pytest.fixture
def limited(service, new_settings):
    """A service over the same database, with low limits."""
    limits = {"max_memory_mb": "256", "max_cpu_seconds": "1", "max_seconds": "60"}
    settings = {f"finance_api.imports.{name}": value for name, value in limits.items()}
    other = Service(service.kind, {**service.settings, **settings}, clock=service.clock)
    yield other
    other.stop()


def files_read(pid=None):
    """Return the processes that read files for this process, or for the one with this id."""
    children = psutil.Process(pid).children()
    servers = [child for child in children if "forkserver" in " ".join(child.cmdline())]
    return [process for server in servers for process in server.children()]


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_discarding_a_file_ends_the_process_that_reads_it(service, user, visitor, children):
    children(endless.sleep)
    path = location(post_file(visitor, STATEMENT))
    page = visitor.get(path)
    assert "Reading the file" in page.text
    wait_until(files_read)
    visitor.submit(path, f"{path}/discard", status=303)
    wait_until(lambda: not files_read())
    finished(service)
    assert uploads_of(service, user) == []


def test_discarding_a_file_elsewhere_ends_it_here(service, user, visitor, limited, children):
    children(endless.sleep)
    path = location(post_file(visitor, STATEMENT))
    there = visitor.copy(limited)
    there.submit(path, f"{path}/discard", status=303)
    finished(service)
    assert uploads_of(service, user) == []


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (endless.fill_memory, "Reading this file takes more than 256 MB of memory."),
        (endless.spin, "Reading this file takes more than 1 seconds of processor time."),
        (endless.die, "Reading this file ended unexpectedly."),
    ],
    ids=["memory", "processor", "death"],
)
def test_a_file_that_takes_too_much_is_refused(limited, user, children, work, sentence):
    visitor = signed_in(limited, user)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finance_api.uploads.jobs.run_in_child", work)
        path = sent(visitor, STATEMENT)
    text = shown_text(visitor.get(path).text)
    assert "The file was not imported" in text and sentence in text
    assert "Nothing was changed." in text
    # Try again: the cause of the failure may be gone.
    do(visitor, path, "again")
    assert "Preview" in shown_text(visitor.get(path).text)


def test_one_user_s_files_do_not_hold_up_another_s(service, user, visitor, children):
    """One file of a user is read at a time, so that there is always room for somebody else's."""
    stranger = signed_in(service, new_user(service))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finance_api.uploads.jobs.run_in_child", endless.sleep)
        paths = [location(post_file(visitor, STATEMENT)) for _ in range(3)]
        wait_until(files_read)
    path = location(post_file(stranger, STATEMENT))
    wait_until(lambda: "Preview" in shown_text(stranger.get(path).text))
    wait_until(lambda: len(files_read()) == 1)
    for each in paths:
        visitor.submit(each, f"{each}/discard", status=303)
    finished(service)


def test_a_file_whose_server_is_gone_says_so_at_once(service, user, visitor, children):
    path = sent(visitor, STATEMENT)
    (upload,) = uploads_of(service, user)
    program = "from finance_api.uploads.jobs import this_worker; print(this_worker())"
    command = [sys.executable, "-c", program]
    gone = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    work = {"state": UploadState.CHECKING, "alive_at": service.clock.now(), "worker": gone}
    service.change(lambda storage: storage.uploads.change(user.id, upload, **work))
    assert "The server stopped while it was reading this file" in visitor.get(path).text
    do(visitor, path, "again")
    assert "Preview" in shown_text(visitor.get(path).text)


@pytest.mark.nightly
@pytest.mark.parametrize("victim", ["child", "server"])
def test_a_killed_import_stores_nothing_or_everything(service, victim, figures):
    """The process that imports, or the one that serves, is killed at random moments."""
    moments, kills, done = random.Random(4713), count(1, 50), 0
    for _ in range(kills):
        user = new_user(service)
        visitor = signed_in(service, user)
        sent(visitor, LARGE)
        (upload,) = uploads_of(service, user)
        work = {"state": UploadState.IMPORTING, "alive_at": service.clock.now()}
        service.change(
            lambda storage, user=user, upload=upload, work=work: storage.uploads.change(
                user.id, upload, **work
            )
        )
        kill_import(service, user, upload, victim, moments.uniform(0, SECONDS))
        found = number_of_records(service, user)
        assert found in (0, ROWS)
        done += found == ROWS
        path = sent(visitor, LARGE)
        if found:
            assert "Nothing new" in shown_text(visitor.get(path).text)
        else:
            do(visitor, path, "confirm")
        assert number_of_records(service, user) == ROWS
    figures(f"{kills} kills, {done} after the end of the import")


def kill_import(service, user, upload, victim, seconds):
    """seconds: how long after the process that imports has begun."""
    url = service.backend.engine.url.render_as_string(hide_password=False)
    program = [sys.executable, "-m", "support.importing", url, user.email, upload.id]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(support.__path__[0])}
    with subprocess.Popen(program, stdout=subprocess.PIPE, env=environment) as server:
        server.stdout.readline()
        wait_until(lambda: files_read(server.pid) or is_done(service, user, upload))
        time.sleep(seconds)
        processes = files_read(server.pid)
        if victim == "child":
            for process in processes:
                process.kill()
        server.kill()
    psutil.wait_procs(processes, timeout=60)


def is_done(service, user, upload):
    with reading(service.backend) as storage:
        return storage.uploads.get(user.id, upload.id).state is UploadState.DONE


def number_of_records(service, user):
    with reading(service.backend) as storage:
        return len(storage.data.scan_rows(user.id, RECORDS))
