"""A killed import or undo has stored nothing or everything, and can be repeated."""

import json
import signal
from re import sub

import pytest

from support.command import Command
from support.killing import kill, shares, work_seconds
from support.ledger import account, document, record
from support.nightly import by_day_on, count
from support.service import native_line

ROWS = [account(), document("Label", 4)]
COUNT = count(400, 3_000)
DATA = "".join(map(native_line, [*ROWS, *(record(n, amount=n) for n in range(100, 100 + COUNT))]))
KILLS = count(1, 100)


@pytest.fixture
def told(command, anna):
    """A large file, and the data after an undisturbed import of it."""
    path = command.file("large.ndjson", DATA)
    command.done("user", "add", "undisturbed@example.org")
    command.done("import", "undisturbed@example.org", path)
    return path, lines(command, "undisturbed@example.org")


def lines(command, email):
    """The dump without the times of the import."""
    return lines_of(command.done("dump", email))


def lines_of(dump):
    return sub(r'"(created|updated)At":"[^"]*"', "", dump.decode())


@pytest.fixture(params=["sqlite", "postgresql"])
def command(request, tmp_path, new_sqlite_url, new_postgresql_url):
    url = (new_sqlite_url if request.param == "sqlite" else new_postgresql_url)()
    return Command(tmp_path, {"sqlalchemy.url": url})


@by_day_on("command")
def test_killed_import_leaves_nothing_or_everything(command, anna, told, figures):
    path, whole = told
    seconds, done = work_seconds(command, "import", anna, path), 0
    for share in shares(KILLS, 4711):
        command.done("user", "delete", anna, "--yes")
        command.done("user", "add", anna)
        kill(command, share * seconds, "import", anna, path)
        assert command.done("check") == b"nothing is wrong\n"
        found = lines(command, anna)
        assert found in ("", whole)
        done += found == whole
        command.done("import", anna, path)
        assert lines(command, anna) == whole
    assert b"0 created, 0 updated" in command.done("import", anna, path)
    figures(f"{KILLS} killed, {done} were done")


@by_day_on("command")
def test_a_killed_follow_leaves_the_old_book_or_the_new_one(command, anna, figures):
    book = [{**row, "source": "book:1", "sourceId": row["id"]} for row in ROWS]
    book += [
        {**record(n, amount=n), "source": "book:1", "sourceId": f"r{n}"}
        for n in range(100, 100 + COUNT)
    ]
    fewer = [{**row, "payee": "New"} for row in book[2 : COUNT // 2]]
    paths = [
        command.file(name, "".join(map(native_line, rows)))
        for name, rows in (("old.ndjson", book), ("new.ndjson", [*book[:2], *fewer]))
    ]
    options = ("--follow", "--confirm-smaller")
    command.done("import", anna, paths[0], *options)
    old = command.done("dump", anna)
    seconds, done = work_seconds(command, "import", anna, paths[1], *options), 0
    command.done("imports", "undo", anna, "2")
    assert command.done("dump", anna) == old
    for number, share in enumerate(shares(KILLS, 4713)):
        follow_more(paths[1], number)
        kill(command, share * seconds, "import", anna, paths[1], *options)
        assert command.done("check") == b"nothing is wrong\n"
        found = command.done("dump", anna)
        command.done("import", anna, paths[1], *options)
        new = command.done("dump", anna)
        assert found == old or lines_of(found) == lines_of(new)
        done += found != old
        command.done("imports", "undo", anna, str(number + 3))
        assert command.done("dump", anna) == old
    figures(f"{KILLS} killed, {done} were done")


def follow_more(path, number):
    """Add a record to a book: a state that was undone is not followed again."""
    more = record(9_000 + number, source="book:1", sourceId=f"m{number}")
    with open(path, "a") as file:
        file.write(native_line(more))


@by_day_on("command", "postgresql")
def test_killed_undo_leaves_nothing_or_everything(command, anna, told, figures):
    path, whole = told
    changed = "".join(native_line(record(n, amount=1)) for n in range(100, 100 + COUNT // 3))
    other = command.file("changed.ndjson", changed)
    command.done("import", anna, path)
    command.done("import", anna, other)
    seconds, done = work_seconds(command, "imports", "undo", anna, "2"), 0
    for share in shares(KILLS, 4712):
        command.done("import", anna, other)
        after = lines(command, anna)
        newest = json.loads(command.done("imports", anna, "--json"))[0]
        number = str(newest["number"])
        undo = ("imports", "undo", anna, number)
        kill(command, share * seconds, *undo)
        assert command.done("check") == b"nothing is wrong\n"
        found = lines(command, anna)
        (state,) = (
            row["state"]
            for row in json.loads(command.done("imports", anna, "--json"))
            if row["number"] == newest["number"]
        )
        assert found == (after if state == "done" else whole)
        done += state != "done"
        if state == "done":
            command.done(*undo)
        assert lines(command, anna) == whole
    # Undo the first import, which added all records.
    kill(command, seconds, "imports", "undo", anna, "1")
    assert lines(command, anna) in ("", whole)
    figures(f"{KILLS} killed, {done} were done")


@by_day_on("command")
def test_interrupted_import_says_so_and_keeps_nothing(command, anna):
    with command.start("import", anna, "-", "--format", "native", stdin=-1) as process:
        process.stdin.write(DATA.encode())
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=240)
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert out == b""
    assert command.done("dump", anna) == b""


@by_day_on("command", "postgresql")
def test_two_processes_at_once_import_one_file_once(command, anna, told):
    path, whole = told
    processes = [command.start("import", anna, path) for _ in range(2)]
    outs = []
    for process in processes:
        with process:
            out, said = process.communicate(timeout=240)
        assert (process.returncode, said) == (0, b"")
        outs.append(out)
    assert sum(b" 0 created" in out for out in outs) == 1
    assert lines(command, anna) == whole
