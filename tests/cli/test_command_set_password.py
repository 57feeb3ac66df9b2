"""finance-api user set-password"""

import fcntl
import json
import os
import pty
import re
import subprocess
import termios

import pytest

from finance_api.auth.passwords import is_password
from finance_api.storage.interface import reading
from finance_api.storage.sql.backend import SqlBackend

NEW = "correct horse"


@pytest.fixture
def backend(command):
    url = re.search("sqlalchemy.url = (.*)", command.ini.read_text())[1]
    backend = SqlBackend(url)
    yield backend
    backend.close()


@pytest.fixture
def user(backend, anna):
    """Reads the user as it is now."""

    def read():
        with reading(backend) as storage:
            return storage.users.get(anna)

    return read


def set_password(command, email, password=NEW, **options):
    line = password if isinstance(password, bytes) else f"{password}\n".encode()
    return command.done("user", "set-password", email, "--password-stdin", stdin=line, **options)


def typed(command, lines, email):
    """Return what a terminal shows if these lines are typed at its prompts."""
    ours, theirs = pty.openpty()
    with command.start(
        "user",
        "set-password",
        email,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(theirs)
        shown, left = b"", list(lines)
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            shown += part
            if part.rstrip().endswith(b":") and left:
                os.write(ours, left.pop(0))
    os.close(ours)
    return process.returncode, shown


def test_the_password_is_the_line_on_standard_input(command, anna, user):
    assert user().password_hash is None
    for line, password in (
        (b"correct horse\n", "correct horse"),
        (b"correct horses\r\n", "correct horses"),
        (b"without an end", "without an end"),
        (b"  blanks count  \n", "  blanks count  "),
        ("pässwörd\n".encode(), "pässwörd"),
        (b"first line\nsecond line\n", "first line"),
    ):
        said = set_password(command, anna, line)
        assert anna.encode() in said
        assert password.strip().encode() not in said
        assert is_password(password, user().password_hash)


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"short\n", b"x" * 7 + b"\n", b"x" * 2_000 + b"\n", b"\xff" * 9 + b"\n"]
)
def test_what_cannot_be_a_password_is_refused_and_changes_nothing(command, anna, user, line):
    set_password(command, anna)
    before = user()
    said = command.refused("user", "set-password", anna, "--password-stdin", stdin=line)
    assert "password" in said
    assert user() == before


def test_it_is_asked_for_twice_not_shown_and_asked_for_again_until_it_is_accepted(
    command, anna, user
):
    pairs = [("short", "short"), ("one password", "another one"), ("password",) * 2, (NEW,) * 2]
    code, shown = typed(command, [f"{line}\n".encode() for pair in pairs for line in pair], anna)
    assert code == 0, shown
    assert not any(word.encode() in shown for word in ("one password", "another one", NEW))
    assert b"Error: a password has 8 to 1024 characters\r\n" in shown
    assert b"do not match" in shown
    assert b"Error: the password is one of the most common ones; choose another\r\n" in shown
    assert anna.encode() in shown
    assert is_password(NEW, user().password_hash)


def test_without_a_terminal_it_is_not_asked_for_again(command, anna, user):
    """The prompt reads standard input where there is no terminal."""
    options = {"stdin": subprocess.PIPE, "start_new_session": True}
    with command.start("user", "set-password", anna, **options) as process:
        out, err = process.communicate(b"short\nshort\n" + b"correct horse\n" * 2, timeout=240)
    assert (process.returncode, out) == (1, b"")
    assert err.endswith(b"finance-api: a password has 8 to 1024 characters\n")
    assert user().password_hash is None


def test_tokens_end_too_where_that_is_asked_for(command, anna):
    command.done("token", "create", anna, "--name", "x")
    arguments = ("user", "set-password", anna, "--password-stdin", "--revoke-tokens")
    said = command.done(*arguments, stdin=f"{NEW}\n".encode()).decode()
    assert said.endswith("all its sessions, JWTs, tokens and links have ended\n")
    (token,) = json.loads(command.done("token", "list", anna, "--json"))
    assert token["revokedAt"]
