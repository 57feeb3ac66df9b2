"""finance-api token"""

import hashlib
import re
import zlib
from pathlib import Path

import pytest

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def base62(number, width):
    text = ""
    while number:
        number, digit = divmod(number, 62)
        text = BASE62[digit] + text
    return text.rjust(width, "0")


def create(command, email, *options):
    return command.done("token", "create", email, "--name", "sheet", *options).decode()


def listed(command, email):
    return command.done("token", "list", email).decode()


def test_token_stands_alone_on_standard_output(command, anna):
    out = command.done("token", "create", anna, "--name", "x", process=True).decode()
    assert re.fullmatch(r"fin_[0-9A-Za-z]{49}\n", out)
    text = out.strip()
    assert text[-6:] == base62(zlib.crc32(text[:-6].encode()), 6)
    assert create(command, anna) != out


def test_token_is_kept_as_its_digest_only(command, anna, tmp_path):
    text = create(command, anna).strip()
    backup = tmp_path / "finance.backup"
    command.done("backup", str(backup))
    database = Path(command.ini.read_text().split("sqlite:///")[1].split()[0])
    # With what SQLite has not yet moved into the file, if there is any.
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
    for by_value in (False, True):
        text = create(command, anna).strip()
        line = listed(command, anna).splitlines()[-1]
        chosen = ["--value", text] if by_value else [line.split()[0].upper()]
        assert text not in command.done("token", "revoke", *chosen).decode()
    rows = listed(command, anna).splitlines()[1:]
    assert all(row.split()[-1].endswith("Z") for row in rows)


def test_token_to_revoke_may_come_from_standard_input(command, anna):
    text = create(command, anna)
    command.done("token", "revoke", "--value", "-", stdin=text.encode())
    assert listed(command, anna).splitlines()[1].split()[-1].endswith("Z")


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["00000000-0000-4000-8000-000000000000"],
        ["--value", "x"],
        ["--value", ""],
        ["--value", "fin_é"],
        ["--value", "fin_" + "0" * 43 + base62(zlib.crc32(b"fin_" + b"0" * 43), 6)],
    ],
    ids=lambda a: a[-1][:12],
)
def test_what_is_no_token_is_refused(command, anna, arguments):
    command.refused("token", "revoke", *arguments)


def test_id_and_value_together_are_wrong_usage(command):
    command.refused("token", "revoke", "x", "--value", "y", code=2)


def test_user_without_premium_gets_no_token(command):
    command.done("user", "add", "free@example.org")
    assert "premium" in command.refused("token", "create", "free@example.org", "--name", "x")
    assert listed(command, "free@example.org").count("\n") == 1


def test_every_scope_of_the_contract_is_known(command, anna):
    scopes = "records accounts categories budgets goals standing-orders labels record-rules".split()
    create(command, anna, *(part for scope in scopes for part in ("--scope", scope)))
