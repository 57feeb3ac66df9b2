"""finance-api token"""

import hashlib
import re
from pathlib import Path

import pytest

from finance_api.auth.personal_tokens import new_token


def create(command, email, *options):
    return command.done("token", "create", email, "--name", "sheet", *options).decode()


def listed(command, email):
    return command.done("token", "list", email).decode()


def test_token_stands_alone_on_standard_output(command, anna):
    out = create(command, anna)
    assert re.fullmatch(r"fin_[0-9A-Za-z]{49}\n", out)
    assert create(command, anna) != out


def test_token_is_kept_as_its_digest_only(command, anna, tmp_path):
    text = create(command, anna).strip()
    backup = tmp_path / "finance.backup"
    command.done("backup", str(backup))
    database = Path(command.ini.read_text().split("sqlite:///")[1].split()[0])
    # Include SQLite's log, which may have data that is not in the file yet.
    files = [backup, *database.parent.glob(f"{database.name}*")]
    data = b"".join(file.read_bytes() for file in files)
    assert text.encode() not in data
    assert text[10:40].encode() not in data
    assert hashlib.sha256(text.encode()).hexdigest().encode() in data
    assert text not in listed(command, anna)


def test_list_shows_name_scopes_and_times(command, anna):
    create(command, anna, "--scope", "accounts", "--scope", "records", "--expires-in-days", "30")
    (_, line) = listed(command, anna).splitlines()
    assert "sheet" in line
    assert "records" in line
    assert "accounts" in line
    assert "budgets" not in line
    assert len(re.findall(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line)) == 2


def test_token_is_revoked_by_its_id_or_itself(command, anna):
    for source in ("id", "argument", "standard input"):
        text = create(command, anna).strip()
        line = listed(command, anna).splitlines()[-1]
        chosen = {
            "id": [line.split()[0].upper()],
            "argument": ["--value", text],
            "standard input": ["--value", "-"],
        }[source]
        assert text not in command.done("token", "revoke", *chosen, stdin=text.encode()).decode()
    rows = listed(command, anna).splitlines()[1:]
    assert [row[-1] for row in rows] == ["Z"] * 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["00000000-0000-4000-8000-000000000000"],
        ["--value", "x"],
        ["--value", ""],
        ["--value", "fin_é"],
        ["--value", new_token()],
    ],
    ids=["id", "unknown id", "text", "empty", "not ascii", "unknown token"],
)
def test_what_is_no_token_is_refused(command, anna, arguments):
    command.refused("token", "revoke", *arguments)


def test_user_without_premium_gets_no_token(command):
    command.done("user", "add", "free@example.org")
    assert "premium" in command.refused("token", "create", "free@example.org", "--name", "x")
    assert listed(command, "free@example.org").count("\n") == 1
