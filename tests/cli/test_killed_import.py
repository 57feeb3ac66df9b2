"""An import that is killed has stored nothing or everything, and can be run again."""

import random
import signal
import time
from pathlib import Path
from re import sub

import pytest

from support.ledger import account, document, record
from support.nightly import count
from support.service import native_line

ROWS = [account(), document("Label", 4)]
DATA = "".join(map(native_line, [*ROWS, *(record(n, amount=n) for n in range(100, 3_100))]))
KILLS = count(3, 200)


@pytest.fixture
def told(command, anna):
    """The import of a large file, and what it leaves when nobody disturbs it."""
    path = command.file("large.ndjson", DATA)
    command.done("user", "add", "undisturbed@example.org")
    command.done("import", "undisturbed@example.org", path)
    return path, lines(command, "undisturbed@example.org")


def lines(command, email):
    """The dump without the times of the import."""
    dump = command.done("dump", email).decode()
    return sub(r'"(created|updated)At":"[^"]*"', "", dump)


def size_of(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@pytest.mark.nightly
def test_killed_import_leaves_nothing_or_everything(command, anna, told):
    path, whole = told
    moments = random.Random(4711)
    log = Path(command.ini.read_text().split("sqlite:///")[1].split()[0] + "-wal")
    for _ in range(KILLS):
        command.done("user", "delete", anna, "--yes")
        command.done("user", "add", anna)
        with command.start("import", anna, path) as process:
            # The moment comes when the database's log has so many bytes.
            enough = moments.randrange(0, 1_000_000)
            while process.poll() is None and size_of(log) < enough:
                time.sleep(0.001)
            process.kill()
        found = lines(command, anna)
        assert found in ("", whole)
        command.done("import", anna, path)
        assert lines(command, anna) == whole
    assert b"0 created, 0 updated" in command.done("import", anna, path)


def test_interrupted_import_says_so_and_keeps_nothing(command, anna):
    with command.start("import", anna, "-", "--format", "native", stdin=-1) as process:
        process.stdin.write(DATA.encode())
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=30)
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert out == b""
    assert command.done("dump", anna) == b""


def test_two_processes_at_once_import_one_file_once(command, anna, told):
    path, whole = told
    processes = [command.start("import", anna, path) for _ in range(2)]
    outs = []
    for process in processes:
        with process:
            out, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (0, b"")
        outs.append(out)
    assert sum(b" 0 created" in out for out in outs) == 1
    assert lines(command, anna) == whole
