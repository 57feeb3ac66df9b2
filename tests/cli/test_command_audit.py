"""finance-api audit"""

import json
import sqlite3

ANNA, BERT = "anna@example.org", "bert@example.org"


def entries(command, *arguments):
    found = json.loads(command.done("audit", *arguments, "--json"))
    return [(entry["user"], entry["action"], entry["origin"], entry["detail"]) for entry in found]


def test_what_commands_do_is_shown(command, anna):
    command.done("user", "add", BERT)
    token = command.done("token", "create", anna, "--name", "sheet").decode().strip()
    command.done("token", "revoke", "--value", token)
    command.done("user", "set", BERT, "--disable")
    command.done("add", anna, "categories", "name=Pets", "kind=expense")
    command.done("imports", "undo", anna, "1", "--dry-run")
    assert command.done("dump", anna)
    assert entries(command, anna) == [
        (ANNA, "export", "command", "dump"),
        (ANNA, "edit", "command", "1 (add categories)"),
        (ANNA, "token-revoked", "command", "sheet"),
        (ANNA, "token-created", "command", "sheet"),
    ]
    assert [action for user, action, *_ in entries(command) if user == BERT] == [
        "tokens-revoked",
        "jwts-revoked",
        "user-disabled",
    ]
    out = command.done("audit", anna).decode()
    assert out.splitlines()[0].split() == ["WHEN", "USER", "ACTION", "FROM", "WHAT"]
    assert token not in out
    assert entries(command, "--since", "2999-01-01") == []
    assert "2026-13-01" in command.refused("audit", "--since", "2026-13-01", code=2)
    assert "nobody@example.org" in command.refused("audit", "nobody@example.org")


def test_a_database_that_cannot_be_written_is_dumped_all_the_same(command, anna):
    url = command.ini.read_text().split("sqlite:///")[1].split()[0]
    command.done("add", anna, "categories", "name=Pets", "kind=expense")
    dumped = command.done("dump", anna)
    with sqlite3.connect(url) as other:
        other.execute("BEGIN IMMEDIATE")
        outcome = command.run("dump", anna)
        assert (outcome.code, outcome.raw_out) == (0, dumped)
        assert "not in the audit log" in outcome.err
    assert len([e for e in entries(command) if e[1] == "export"]) == 1
