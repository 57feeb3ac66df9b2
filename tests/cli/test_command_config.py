"""Where the command finds its settings, and how it reports a wrong one."""

import json
import re
import shlex
from pathlib import Path

import click
import pytest

from finance_api.cli.context import CliContext
from finance_api.cli.main import command as finance_api_command
from support.command import all_commands, imported_by

DOCS = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
COMMANDS = {" ".join(words): found for words, found in all_commands().items()}


@pytest.fixture
def key_file(command):
    """A key file with one key, which the ini file names."""
    command.write({**command.settings, "finance_api.jwt.keys": str(command.directory / "k.json")})
    command.done("jwt", "new-key")


def test_help_needs_no_ini_file(command):
    for arguments in ([], ["user"], ["token", "create"], ["import"], ["db", "upgrade"]):
        out = command.done(*arguments, "--help", environment={"FINANCE_API_CONFIG": "/nowhere"})
        assert b"Usage: finance-api" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_ends_with_an_example_that_is_understood(command, name):
    last = command.done(*name.split(), "--help").decode().strip().splitlines()[-1].strip()
    start, program, *words = shlex.split(last.partition(" > ")[0].partition(" < ")[0])
    assert (start, program) == ("Example:", "finance-api")
    context = finance_api_command.make_context("finance-api", words, obj=CliContext())
    found, rest = finance_api_command, words
    while isinstance(found, click.Group):
        _, found, rest = found.resolve_command(context, rest)
    assert found is COMMANDS[name]
    found.make_context(name, list(rest), parent=context)


def test_help_imports_no_framework_and_no_database():
    found = imported_by(
        [["--help"], *([*name.split(), "--help"] for name in COMMANDS)],
        ("pyramid", "sqlalchemy", "rich", "plaster"),
    )
    assert found == [[]] * (len(COMMANDS) + 1)


@pytest.mark.parametrize(
    "arguments",
    [["user", "set", "no@body.org", "--premium"], ["-c", "no.ini", "user", "list"], ["dump", "x"]],
    ids=" ".join,
)
def test_debug_adds_the_traceback_of_an_expected_error(command, arguments):
    said = command.refused(*arguments)
    outcome = command.run("--debug", *arguments)
    assert outcome.code == 1
    assert outcome.err.startswith("Traceback (most recent call last):\n")
    assert outcome.err.endswith(said)


def test_debug_adds_the_traceback_of_an_unexpected_error(command, monkeypatch):
    def broken(*_):
        raise RuntimeError("of its own")

    monkeypatch.setattr("finance_api.cli.context.CliContext.reading", broken)
    assert command.run("user", "list").err == "finance-api: unexpected RuntimeError: of its own\n"
    err = command.run("--debug", "user", "list").err
    assert "in broken" in err
    assert err.endswith("finance-api: unexpected RuntimeError: of its own\n")


def test_lists_as_json_have_the_members_that_are_documented(command, anna, key_file):
    command.done("token", "create", anna, "--name", "all")
    command.done("token", "create", anna, "--name", "some", "--scope", "records")
    command.done("jwt", "issue", anna)
    (user,) = json.loads(command.done("user", "list", "--json"))
    assert (user["email"], user["premium"], user["enabled"]) == (anna, True, True)
    # Sort by name, because both tokens were created in the same second.
    tokens = json.loads(command.done("token", "list", anna, "--json"))
    everything, some = sorted(tokens, key=lambda token: token["name"])
    assert (everything["scopes"], some["scopes"]) == (None, ["records"])
    assert everything["prefix"].startswith("fin_")
    assert everything["expiresAt"] is everything["revokedAt"] is None
    (jwt,) = json.loads(command.done("jwt", "list", anna, "--json"))
    assert set(jwt) == {"jti", "issuedAt", "expiresAt", "revokedAt"}
    for name, row in (("user list", user), ("token list", some), ("jwt list", jwt)):
        (documented,) = re.findall(rf"^- `{name}`:(.*)$", DOCS, re.MULTILINE)
        assert set(re.findall(r"`([a-zA-Z]+)`", documented)) == set(row)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["user", "list", "surplus"],
        ["import", "a@b.c", "f", "--skip-rows", "-1"],
        ["import", "a@b.c", "f", "--map", "payee"],
        ["jwt", "issue", "a@b.c", "--ttl-seconds", "0"],
        ["jwt", "revoke"],
        ["jwt", "revoke", "x", "--all", "a@b.c"],
        ["token", "revoke", "x", "--value", "y"],
        ["token", "create", "a@b.c", "--name", "x", "--scope", "nonsense"],
        ["token", "create", "a@b.c", "--name", "x", "--expires-in-days", "0"],
        ["token", "revoke"],
        ["load-demo", "--users", "0"],
        ["user", "set", "anna@example.org"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(command, arguments):
    assert "Usage" in command.refused(*arguments, code=2)


def test_ini_file_comes_from_the_option_then_the_variable_then_the_directory(command):
    other = command.file("other.ini", command.ini.read_text())
    nowhere = {"FINANCE_API_CONFIG": "/nowhere/x.ini"}
    assert "/nowhere/x.ini" in command.refused("user", "list", environment=nowhere)
    command.done("-c", other, "user", "list", environment=nowhere)
    command.done("--config", other, "user", "list", environment=nowhere)
    assert "no.ini" in command.refused("-c", "no.ini", "user", "list")
    kept = command.environment
    command.environment = lambda **more: {
        k: v for k, v in kept(**more).items() if k != "FINANCE_API_CONFIG"
    }
    assert "finance-api.ini or development.ini" in command.refused("user", "list")
    command.file("development.ini", command.ini.read_text())
    command.done("user", "list")
    command.file("finance-api.ini", "nonsense")
    assert "finance-api.ini cannot be read" in command.refused("user", "list")


@pytest.mark.parametrize(
    "text", ["", "[app:main]\nno equals", "[server:main]\nuse = x\n", b"\xff\x00[app:main]"]
)
def test_file_that_is_no_ini_file_is_refused_with_its_name(command, text):
    path = command.file("bad.ini", text)
    assert "bad.ini" in command.refused("-c", path, "user", "list")
    command.refused("-c", str(command.directory), "user", "list")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("finance_api.nonsense", "1"),
        ("finance_api.storage", "os.getcwd"),
        ("sqlalchemy.url", ""),
        ("finance_api.require_https", "perhaps"),
        ("finance_api.trusted_proxies", "300.1.1.1"),
        ("finance_api.cors.origins", "example.org"),
        ("finance_api.allowed_hosts", " "),
        ("finance_api.allowed_hosts", '"localhost 127.0.0.1"'),
        ("finance_api.allowed_hosts", "https://nas.example"),
        ("finance_api.allowed_hosts", "nas.example:7103"),
        ("finance_api.storage.memory.load", "x"),
    ],
)
def test_wrong_or_unknown_setting_stops_with_its_name(command, name, value):
    ini = command.ini.read_text()
    kept = "\n".join(x for x in ini.splitlines() if not x.startswith(name + " "))
    path = command.file("wrong.ini", f"{kept}\n{name} = {value}\n")
    assert name in command.refused("-c", path, "user", "list")


def test_a_file_with_a_byte_order_mark_is_read(command):
    command.ini.write_bytes(b"\xef\xbb\xbf" + command.ini.read_bytes())
    command.done("user", "add", "me@example.org")
    assert b"me@example.org" in command.done("user", "list")
    assert command.done("check")


def test_environment_overrides_the_file(command, new_sqlite_url):
    command.done("user", "add", "in-file@example.org")
    elsewhere = {"FINANCE_API_SQLALCHEMY_URL": new_sqlite_url()}
    command.done("user", "add", "elsewhere@example.org", environment=elsewhere)
    assert b"elsewhere" not in command.done("user", "list")
    assert b"in-file" not in command.done("user", "list", environment=elsewhere)
