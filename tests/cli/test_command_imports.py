"""finance-api imports, as users see it."""

import hashlib
import json

import pytest

from support.ledger import account, an_id, record
from support.service import native_line

FIRST = native_line(account()) + native_line(record(9)) + native_line(record(10))
SECOND = native_line(record(10, amount=7)) + native_line(record(11))


@pytest.fixture
def twice(command, anna):
    for name, data in (("first.ndjson", FIRST), ("second.ndjson", SECOND)):
        command.done("import", anna, command.file(name, data))


def test_the_list_is_newest_first(command, anna, twice):
    out = command.done("imports", anna).decode().splitlines()
    assert out[0].split() == [
        *("ID", "WHEN", "WHAT", "FILE", "CREATED", "UPDATED", "REVISION", "STATE")
    ]
    assert [line.split()[0] for line in out[1:]] == ["2", "1"]
    assert out[1].split()[3:] == ["second.ndjson", "1", "1", "2", "done"]
    assert command.done("imports", "list", anna).decode().splitlines() == out
    rows = json.loads(command.done("imports", anna, "--json"))
    assert [row["file"] for row in rows] == ["second.ndjson", "first.ndjson"]
    assert rows[1]["counts"] == {
        "created": 3,
        "updated": 0,
        "unchanged": 0,
        "matched": 0,
        "skipped": 0,
    }


def test_one_is_shown_in_full(command, anna, twice):
    found = json.loads(command.done("imports", "show", anna, "1", "--json"))
    assert found["id"] == "00000000-0000-8000-8000-000000000001"
    assert found["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()
    assert (found["size"], found["format"], found["by"]) == (len(FIRST), "native", "command")
    text = command.done("imports", "show", anna, found["id"]).decode()
    assert "file: first.ndjson\n" in text
    assert "counts: created: 3, " in text
    # There is one user only.
    assert command.done("imports", "show", "1").decode() == text


def test_an_edit_is_shown_with_old_and_new_values(command, anna, twice):
    command.done("set", anna, "accounts", "account 1", "name=Checking")
    text = command.done("imports", "show", anna, "3").decode()
    assert "action: set accounts\n" in text
    assert text.endswith("updated: account 1: name account 1 -> Checking\n")


def test_what_there_is_not_is_reported(command, anna, twice):
    assert "there is no entry 3" in command.refused("imports", "show", anna, "3")
    assert "there is no entry 3" in command.refused("imports", "undo", anna, "3")
    command.done("imports", "undo", anna, "2")
    assert "is already undone" in command.refused("imports", "undo", anna, "2")
    command.done("user", "add", "bob@example.org")
    for word in ("show", "undo"):
        assert "name the user as well" in command.refused("imports", word, "1", code=2)
        assert "not an id from the list" in command.refused("imports", word, anna, "x", code=2)
        assert "not an id from the list" in command.refused("imports", word, anna, an_id(1), code=2)
    assert "No such command 'nonsense'" in command.refused("imports", "nonsense", code=2)


def test_undo_gives_back_what_was_there(command, anna, twice):
    whole = command.done("dump", anna)
    refusal = command.refused("imports", "undo", anna, "1")
    assert "entry 2 (import) changed the record 2026-01-31 - 7 EUR" in refusal
    assert refusal.endswith(". Undo them as well with --with-later\n")
    assert "--keep-changed" not in refusal
    tried = command.done("imports", "undo", anna, "2", "--dry-run").decode()
    assert tried == "undone: 2; 1 record removed, 1 record restored (dry run)\n"
    assert command.done("dump", anna) == whole
    report = json.loads(command.done("imports", "undo", anna, "1", "--with-later", "--json"))
    assert report["entries"] == [2, 1]
    assert report["removed"] == {"records": 3, "accounts": 1}
    assert command.done("dump", anna) == b""
    states = [row["state"] for row in json.loads(command.done("imports", anna, "--json"))]
    assert [state[:9] for state in states] == ["undone 20"] * 2
    assert b"3 created" in command.done("import", anna, command.file("first.ndjson", FIRST))


def test_images_are_pruned_after_the_days_of_the_setting(command, anna, twice, monkeypatch):
    days = {"environment": {"FINANCE_API_IMPORTS_KEEP_DAYS": "1"}}
    monkeypatch.setattr("finance_api.runtime.clock.SystemClock.now", lambda self: 4_000_000_000)
    command.done("import", anna, command.file("third.ndjson", native_line(record(12))), **days)
    refusal = command.refused("imports", "undo", anna, "2", **days)
    assert "too old to be undone: finance_api.imports.keep_days is 1" in refusal
    command.done("imports", "undo", anna, "3")
