"""finance-api init"""

import json
import os
import re
import shlex
import stat
from configparser import ConfigParser
from pathlib import Path

import pytest

from finance_api.auth.jwt_keys import read_key_file
from support.ledger import ofx_file, ofx_statement

ROOT = Path(__file__).parents[2]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def new(command):
    """Runs init for a folder that is not there yet, below one with a blank in its name."""
    directory = command.directory / "my finance" / "new"

    def init():
        return command.done("init", str(directory)).decode()

    return directory, init


@pytest.mark.parametrize("umask", [0o022, 0])
def test_folders_and_files_are_the_owners_alone(new, umask):
    directory, init = new
    before = os.umask(umask)
    try:
        init()
    finally:
        os.umask(before)
    found = {str(p.relative_to(directory)): mode(p) for p in [directory, *directory.rglob("*")]}
    assert found == {
        ".": 0o700,
        "finance-api.ini": 0o600,
        "var": 0o700,
        "var/finance.db": 0o600,
        "var/jwt-keys.json": 0o600,
    }
    (key,) = read_key_file(str(directory / "var" / "jwt-keys.json"))
    assert key.algorithm == "HS256"


def test_ini_file_is_the_one_for_development(new):
    directory, init = new
    init()
    assert (directory / "finance-api.ini").read_text() == (ROOT / "development.ini").read_text()


def test_the_api_may_be_open_to_all(command):
    assert "--premium" not in command.done("init", "--api-access", "all").decode()
    written = (command.directory / "finance-api.ini").read_text()
    assert "\nfinance_api.users.api_access = all\n" in written
    command.done("user", "add", "me@example.com")
    create = ("token", "create", "me@example.com", "--name", "x")
    assert "users.api_access = all" in command.refused(*create)
    open_to_all = {"FINANCE_API_USERS_API_ACCESS": "all"}
    assert command.done(*create, environment=open_to_all).startswith(b"fin_")


def test_on_a_terminal_it_is_asked_who_may_use_the_api(command):
    said = command.run("init", stdin=b"nobody\nall\n", is_terminal=True).out
    assert "Who may use the public API?" in said
    written = (command.directory / "finance-api.ini").read_text()
    assert "\nfinance_api.users.api_access = all\n" in written


def test_next_commands_work_as_printed(command, new):
    directory, init = new
    said = init()
    assert str(directory / "finance-api.ini") in said
    enter, *lines = re.findall(r"^  (.+)$", said, re.MULTILINE)
    assert shlex.split(enter) == ["cd", str(directory)]
    command.directory = directory
    command.environment = lambda **more: {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **more}
    lines.remove("finance-api serve")
    (directory / "statement.ofx").write_text(
        ofx_file(ofx_statement([("20260301", "-1", "1", "x")]))
    )
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "finance-api"
        if "set-password" in words:
            words.append("--password-stdin")
        command.done(*words, stdin=b"correct horse\n")
    assert b"first" in command.done("token", "list", "me@example.com")
    assert command.done("jwt", "issue", "me@example.com").count(b".") == 2
    assert b"statement.ofx" in command.done("imports", "list", "me@example.com")


ME = "me@example.com"
NEW = ("-c", "finance-api.ini")


def first_user(command, *arguments, time_zone="Europe/Berlin", stdin=b"correct horse\n"):
    """Run init for a user, and return what it prints and the user."""
    # A process looks up its time zone once.
    options = {"environment": {"TZ": time_zone}, "stdin": stdin, "process": True}
    said = command.done("init", "--user", ME, *arguments, **options).decode()
    (user,) = json.loads(command.done(*NEW, "user", "list", "--json"))
    return said, user


def test_a_first_user_can_use_the_pages_and_the_api_in_the_local_time_zone(command):
    said, user = first_user(command, "--password-stdin")
    assert (user["email"], user["timeZone"], user["premium"]) == (ME, "Europe/Berlin", True)
    assert "time zone is Europe/Berlin" in said
    assert not re.search("user add|set-password|db upgrade", said)
    assert command.done(*NEW, "token", "create", ME, "--name", "x").startswith(b"fin_")
    again = (*NEW, "user", "set-password", ME, "--password-stdin")
    assert "same as the old one" in command.refused(*again, stdin=b"correct horse\n")


def test_a_first_user_needs_no_premium_where_all_may_use_the_api(command):
    _, user = first_user(command, "--api-access", "all", "--password-stdin")
    assert not user["premium"]
    assert command.done(*NEW, "token", "create", ME, "--name", "x").startswith(b"fin_")


def test_without_a_terminal_a_first_user_has_no_password_yet(command):
    said, _ = first_user(command)
    assert f"finance-api user set-password {ME}\n" in said


@pytest.mark.parametrize("time_zone", ["Nowhere/Else", "CET-1CEST", "Etc/UTC"])
def test_a_computer_without_a_known_time_zone_has_utc(command, time_zone):
    _, user = first_user(command, "--password-stdin", time_zone=time_zone)
    assert user["timeZone"] == "UTC"


@pytest.mark.parametrize(
    ("arguments", "stdin", "said", "code"),
    [
        (["--user", "nobody", "--password-stdin"], b"correct horse\n", "not an e-mail address", 1),
        (["--user", ME, "--password-stdin"], b"short\n", "a password has 8 to 1024", 1),
        (["--password-stdin"], b"correct horse\n", "for the user that --user names", 2),
    ],
)
def test_a_refused_first_user_leaves_nothing_behind(command, arguments, stdin, said, code):
    before = sorted(command.directory.rglob("*"))
    assert said in command.refused("init", *arguments, stdin=stdin, code=code)
    assert sorted(command.directory.rglob("*")) == before


def test_it_ends_with_the_addresses_of_the_pages(command):
    said = command.done("init").decode()
    assert "  cd " not in said
    ini = ConfigParser()
    ini.read(command.directory / "finance-api.ini")
    base = f"http://{ini['DEFAULT']['http_host']}:{ini['DEFAULT']['http_port']}"
    assert re.findall(r"http://\S+?(?=,? )", said) == [f"{base}/", f"{base}/import"]


@pytest.mark.parametrize("there", ["finance-api.ini", "var/jwt-keys.json"])
def test_what_is_there_is_never_replaced(command, there):
    path = command.directory / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    before = sorted(command.directory.rglob("*"))
    said = command.refused("init")
    assert said == f"finance-api: {there} exists already; nothing was changed\n"
    assert path.read_text() == "mine"
    assert sorted(command.directory.rglob("*")) == before


def test_folders_that_are_there_keep_their_files_and_mode(command):
    other = command.directory / "var" / "other"
    other.parent.mkdir(0o750)
    other.write_text("mine")
    command.done("init")
    assert other.read_text() == "mine"
    assert mode(other.parent) == 0o750


def test_folder_that_cannot_be_made_is_named(command):
    file = command.file("file", "")
    assert file in command.refused("init", file)
    assert file in command.refused("init", f"{file}/below")
