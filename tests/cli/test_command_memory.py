"""The memory storage: commands that write say why they cannot; a dump can be served."""

import hashlib

import pytest
from webtest import TestApp

from finance_api import main
from finance_api.auth.personal_tokens import new_token
from finance_api.runtime.settings import SettingError
from support.command import Command
from support.ledger import account, record
from support.service import native_line

DATA = native_line(account()) + native_line(record(9))


@pytest.fixture
def memory(tmp_path):
    return Command(tmp_path, {"finance_api.storage": "memory"})


def settings_of(command, text=None, **more):
    path = command.file("dump.ndjson", DATA)
    token = new_token()
    return token, {
        "finance_api.storage": "memory",
        "finance_api.storage.memory.load": path,
        "finance_api.storage.memory.user": "anna@example.org",
        "finance_api.storage.memory.token_sha256": hashlib.sha256(token.encode()).hexdigest(),
        **more,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["user", "add", "a@b.org"],
        ["user", "set", "a@b.org", "--premium"],
        ["user", "delete", "a@b.org", "--yes"],
        ["user", "set-password", "a@b.org", "--password-stdin"],
        ["token", "create", "a@b.org", "--name", "x"],
        ["token", "revoke", "00000000-0000-4000-8000-000000000000"],
        ["import", "a@b.org", "-", "--format", "native"],
        ["add", "a@b.org", "labels", "name=x"],
        ["rules", "apply", "a@b.org"],
        ["records", "remove", "a@b.org", "00000000-0000-4000-8000-000000000000"],
        ["transfers", "find", "a@b.org", "--apply"],
        ["load-demo"],
    ],
    ids=" ".join,
)
def test_command_that_would_write_says_why_it_cannot(memory, arguments):
    said = memory.refused(*arguments)
    assert "memory" in said
    assert "finance_api.storage" in said


def test_dump_of_what_was_loaded_is_the_same(memory):
    _, settings = settings_of(memory)
    memory.write(settings)
    dump = memory.done("dump", "anna@example.org")
    assert dump.count(b"\n") == 2
    memory.file("dump.ndjson", dump)
    assert memory.done("dump", "Anna@Example.org") == dump
    assert b"anna@example.org" in memory.done("user", "list")
    assert memory.done("token", "list", "anna@example.org").count(b"\n") == 2


def test_loaded_dump_is_served_to_its_token_only(memory):
    token, settings = settings_of(memory)
    app = TestApp(main({}, **settings))
    headers = {"Authorization": f"Bearer {token}"}
    answer = app.get("/v1/api/records", headers=headers)
    assert [row["amount"] for row in answer.json["records"]] == [-1.5]
    assert app.get("/v1/api/records", status="*").status_int == 401
    other = {"Authorization": f"Bearer {new_token()}"}
    assert app.get("/v1/api/records", headers=other, status="*").status_int == 401


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("load", "/nowhere/dump.ndjson"),
        ("load", "/"),
        ("user", ""),
        ("user", "no e-mail"),
        ("user", "anna"),
        ("token_sha256", "abc"),
        ("token_sha256", "g" * 64),
        ("token_sha256", "fin_" + "0" * 60),
    ],
)
def test_wrong_value_stops_the_start_with_its_name(memory, name, value):
    key = f"finance_api.storage.memory.{name}"
    _, settings = settings_of(memory, **{key: value})
    with pytest.raises(SettingError) as stopped:
        main({}, **settings)
    assert key in str(stopped.value)
    memory.write(settings)
    assert key in memory.refused("user", "list")


def test_bad_line_of_the_loaded_file_is_named(memory):
    _, settings = settings_of(memory)
    memory.file("dump.ndjson", DATA + "{}\n")
    memory.write(settings)
    said = memory.refused("user", "list")
    assert "dump.ndjson" in said
    assert "line 3" in said


def test_its_settings_are_for_the_memory_storage_only(command):
    _, settings = settings_of(command)
    command.write({**settings, "finance_api.storage": "sql", "sqlalchemy.url": "sqlite:///x.db"})
    assert "finance_api.storage.memory" in command.refused("user", "list")
