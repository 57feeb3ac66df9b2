"""On a terminal, long commands show their progress."""

import os
import pty

import pytest

from support.ledger import account, record
from support.service import native_line


@pytest.fixture
def on_terminal(command):
    """Runs a command whose standard error is a terminal; gives exit code, output, terminal."""

    def run(*arguments):
        ours, theirs = pty.openpty()
        environment = {"TERM": "xterm", "COLUMNS": "300"}
        with command.start(*arguments, stderr=theirs, environment=environment) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:
                    part = b""
                if not part:
                    break
                shown += part
            out = process.stdout.read()
        os.close(ours)
        return process.returncode, out, shown

    return run


def test_import_shows_its_progress_and_works_all_the_same(command, anna, on_terminal):
    rows = "".join(native_line(record(n)) for n in range(100, 3_100))
    path = command.file("a.ndjson", native_line(account()) + rows)
    code, out, shown = on_terminal("import", anna, path)
    assert (code, b"3001 created" in out) == (0, True)
    assert b"a.ndjson" in shown
    assert b"\x1b" not in out
    assert command.done("dump", anna).count(b"\n") == 3_001


def test_statements_are_read_on_a_terminal_whatever_their_names(command, anna, on_terminal):
    paths = []
    for day, name in enumerate(["a.csv", "[red]a.csv", "a[/]b.csv", "[/nonsense].csv"], 1):
        path = command.directory / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"date,amount\n2026-01-0{day},-5\n")
        paths.append(str(path))
    code, out, shown = on_terminal("import", anna, *paths, "--account", "Giro", "--currency", "EUR")
    assert code == 0, shown
    assert command.done("dump", anna).count(b'"amount":-5') == len(paths), out
    assert b"Traceback" not in shown


def test_load_demo_shows_its_progress(on_terminal):
    code, out, shown = on_terminal("load-demo", "--users", "2", "--records-per-user", "200")
    assert (code, out.count(b"loaded demo data")) == (0, 2)
    assert shown
