"""Messages of commands: one line, nothing forged, no secret."""

import json
import os
import sqlite3

import click
import pytest
from sqlalchemy import Engine, event

from finance_api.cli.main import command as finance_api_command
from finance_api.cli.output import say
from support.command import Command, imported_by, subcommands
from support.ledger import account, record
from support.service import native_line

#: A line break, a carriage return, an escape, marks of direction, a line separator.
FORGED = "x\nfinance-api: all is well\r\x1b[2K\u202e\u2066\u2028\ufeff"
SECRET = "s3cret"


@pytest.mark.parametrize("sign", "\n\r\x1b\x85\u200b\u202e\u2028\ue000")
def test_what_cannot_be_printed_is_escaped(sign, capsys):
    say(f"a{sign}b ü 😀")
    escaped = sign.encode("unicode_escape").decode()
    assert capsys.readouterr().out == f"a{escaped}b ü 😀\n"


def _groups(group, *names):
    yield names
    for name, below in subcommands(group).items():
        if isinstance(below, click.Group):
            yield from _groups(below, *names, name)


#: `finance-api profiles` lists the profiles.
_GROUPS = [names for names in _groups(finance_api_command) if names != ("profiles",)]


@pytest.mark.parametrize("names", _GROUPS, ids=" ".join)
def test_a_group_alone_prints_its_help(command, names):
    said = command.done(*names).decode()
    assert said == command.done(*names, "--help").decode()
    assert said.startswith(" ".join(["Usage: finance-api", *names, "[OPTIONS] COMMAND"]))
    assert "\nCommands:\n" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.ndjson",
            native_line(account(name=FORGED, currencyCode="EUR"))
            + native_line(record(9, currencyCode="CHF")),
        ),
        ("a.csv", f"date,amount\n2026-01-01,{FORGED}\n".replace("\n", "\r\n")),
        ("a.csv", f'"date","{FORGED}"\n2026-01-01,1\n'),
        ("a.ofx", f"<OFX><STMTRS><STMTTRN><DTPOSTED>{FORGED}</STMTTRN></STMTRS></OFX>"),
        ("a.ndjson", json.dumps({"reserved_model_type": FORGED})),
        ("a.ndjson", json.dumps({"reserved_model_type": "Account", FORGED: 1})),
        (f"{FORGED}.csv".replace("/", ""), "date\n1\n"),
    ],
)
def test_no_quoted_text_forges_a_line(command, anna, name, text):
    said = command.refused("import", anna, command.file(name, text))
    first, *commands = said.splitlines()
    assert all(line.isprintable() for line in (first, *commands))
    assert all(line.startswith(("finance-api import ", "# ")) for line in commands)


def test_no_argument_and_no_stored_name_forges_a_line(command, anna):
    for arguments in (["user", "set", FORGED, "--premium"], ["token", "revoke", FORGED]):
        assert command.refused(*arguments).count("\n") == 1
    wrong = command.refused("import", anna, "x", "--currency", FORGED, code=2)
    assert "all is well" not in [line[13:] for line in wrong.splitlines()]
    command.done("user", "add", "b@example.org", "--premium")
    with sqlite3.connect(command.settings["sqlalchemy.url"].removeprefix("sqlite:///")) as database:
        database.execute("UPDATE users SET email = ? WHERE email LIKE 'b%'", [FORGED])
    database.close()
    lines = command.done("user", "list").decode().splitlines()
    assert len(lines) == 3 and all(line.isprintable() for line in lines)


def test_too_little_memory_is_reported(command, anna, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("finance_api.cli.importing.import_answered", full)
    said = command.refused("import", anna, command.file("a.csv", "date,amount\n"))
    assert said == "finance-api: not enough memory\n"


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (f"postgresql://u:p@{SECRET}@localhost/x", "unescaped @ in its user name or password"),
        ("postgresql://u@a:5432,b:5432/x", "write ?host=a:5432&host=b:5432"),
        (f"postgresql://u:{SECRET}@localhost:{SECRET}/x", "port"),
        (f"postgresql://u:{SECRET}@localhost:99999/x", "port"),
        (f"postgresql+nonsense://u:{SECRET}@localhost/x", "sqlalchemy.url"),
        (f"mysql://u:{SECRET}@localhost/x", "neither sqlite nor postgresql"),
        (f"u:{SECRET}@localhost/x", "sqlalchemy.url"),
        (f"sqlite:///x?timeout={SECRET}", "after the ?"),
    ],
)
@pytest.mark.parametrize("name", ["sqlalchemy.url", "sqlalchemy.read_url"])
def test_an_address_of_a_database_is_never_repeated(command, name, url, named):
    command.write({**command.settings, name: url})
    said = command.refused("user", "list")
    assert name in said and named.replace("sqlalchemy.url", name) in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (f"redis://:p@{SECRET}@localhost/0", "unescaped @"),
        (f"redis://:p/{SECRET}@localhost/0", "unescaped /"),
        (f"redis://:p#{SECRET}@localhost/0", "unescaped #"),
        (f"redis://:{SECRET}@localhost:{SECRET}/0", "port"),
        (f"http://:{SECRET}@localhost/0", "must specify one of"),
    ],
)
def test_an_address_of_redis_is_never_repeated(command, url, named):
    name = "finance_api.ratelimit.redis_url"
    command.write({**command.settings, "finance_api.ratelimit.backend": "redis", name: url})
    with command.ini.open("a") as ini:
        ini.write("[server:main]\nuse = egg:waitress#main\nport = 1\n")
    said = command.refused("serve")
    assert name in said and named in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"[app:main]\nsqlalchemy.url = postgresql://u:p%40{SECRET}@h/x\n", "%%"),
        (f"[app:main]\nsqlalchemy.url = postgresql://u:%({SECRET})s@h/x\n", "%%"),
        (f"[app:main]\nsqlalchemy.url\n postgresql{SECRET}\n", "line 2"),
        (f"sqlalchemy.url = {SECRET}\n", "line 1"),
    ],
)
@pytest.mark.parametrize("arguments", [["user", "list"], ["serve"]], ids=" ".join)
def test_a_fault_of_the_ini_file_is_named_without_its_line(command, text, named, arguments):
    text = text.replace("[app:main]\n", "[app:main]\nuse = egg:finance-api\n")
    text += "[server:main]\nuse = egg:waitress#main\nport = 1\n"
    named = named.replace("line 2", "line 3")
    said = command.refused("-c", command.file("bad.ini", text), *arguments)
    assert "bad.ini" in said and named in said
    assert SECRET not in said and said.count("\n") == 1


@pytest.mark.parametrize("port", ["abc", "0", "70000"])
@pytest.mark.parametrize("options", [[], ["--demo"]], ids=["plain", "demo"])
def test_a_wrong_port_is_reported(command, port, options):
    with command.ini.open("a") as ini:
        ini.write(f"[server:main]\nuse = egg:waitress#main\nport = {port}\n")
    said = command.refused("-c", str(command.ini), "serve", *options)
    assert said == f"finance-api: server.port: '{port}' is not a whole number from 1 to 65535\n"


def test_a_database_that_is_read_only_is_reported(command, anna):

    def forbid(connection, record):
        connection.execute("PRAGMA query_only = ON")

    event.listen(Engine, "connect", forbid)
    try:
        said = command.refused("user", "set", anna, "--no-premium")
    finally:
        event.remove(Engine, "connect", forbid)
    assert said == (
        "finance-api: the database is read-only: its file or folder cannot be written\n"
    )


def test_the_files_of_a_database_are_their_owners_whatever_the_umask(tmp_path):
    path = tmp_path / "new" / "a.db"
    fresh = Command(tmp_path, {"sqlalchemy.url": f"sqlite:///{path}"})
    before = os.umask(0)
    try:
        fresh.done("db", "upgrade")
    finally:
        os.umask(before)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t (a)")
    modes = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
    database.close()
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


def test_a_database_that_everybody_can_read_is_warned_of_and_left_so(command, caplog):
    path = command.directory / "open.db"
    command.write({"sqlalchemy.url": f"sqlite:///{path}"})
    command.done("db", "upgrade")
    for mode, messages in (
        (0o640, []),
        (0o644, [f"every user of this machine can read {path}: chmod 600 it"]),
    ):
        path.chmod(mode)
        command.done("user", "list")
        assert [r.getMessage() for r in caplog.records if r.levelname == "WARNING"] == messages
        assert path.stat().st_mode & 0o777 == mode


#: Modules that a command on SQLite does not need.
HEAVY = (
    *("pyramid", "webob", "pkg_resources", "cornice", "jinja2", "jwt", "cryptography", "alembic"),
    *("mt940", "python_calamine"),
    *("finance_api.importers.camt.importer", "finance_api.importers.ofx.importer"),
)
#: Modules that only writing commands need, because of `zope.sqlalchemy`: the ORM, and all drivers.
OF_WRITING = ("sqlalchemy.dialects.postgresql", "sqlalchemy.orm", "psycopg")


def test_commands_import_only_what_they_use(command, anna):
    path = command.file("a.csv", "date,amount,account,currency\n2026-01-01,-1,A,EUR\n")
    at = {"env": command.environment(), "cwd": command.directory}
    reading = [["user", "list"], ["token", "list", anna], ["check"]]
    # An export is written to the audit log.
    writing = [["import", anna, path], ["dump", anna]]
    found = imported_by([*reading, *writing], (*HEAVY, *OF_WRITING), **at)
    assert found[:3] == [[]] * 3
    assert not any(set(HEAVY) & set(each) for each in found)
