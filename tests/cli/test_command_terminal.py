"""On a terminal, long commands show their progress."""

from support.ledger import account, record
from support.service import native_line

TERMINAL = {"is_terminal": True, "environment": {"TERM": "xterm", "COLUMNS": "300"}}


def test_imports_show_their_progress_whatever_the_names_of_the_files(command, anna):
    rows = native_line(account()) + "".join(native_line(record(n)) for n in range(100, 3_100))
    (command.directory / "b[").mkdir()
    paths = [command.file(name, rows) for name in ("[red]a.ndjson", "b[/x]c.ndjson")]
    outcome = command.run("import", anna, *paths, **TERMINAL)
    assert outcome.code == 0, outcome
    assert "3001 created" in outcome.out and "3001 unchanged" in outcome.out
    assert "\x1b" not in outcome.out
    assert all(path in outcome.err for path in paths)


def test_load_demo_shows_its_progress(command):
    options = ("--users", "2", "--records-per-user", "200")
    outcome = command.run("load-demo", *options, **TERMINAL)
    assert (outcome.code, outcome.out.count("loaded demo data")) == (0, 2)
    assert "demo users" in outcome.err
