"""The command with an ini file, on a new SQLite database with tables; and installations."""

import pytest
from sqlalchemy import make_url

from support.command import Command
from support.installation import ANNA, BERT, Installation
from support.ledger import account, record


@pytest.fixture
def command(tmp_path, new_sqlite_url):
    return Command(tmp_path, {"sqlalchemy.url": new_sqlite_url()})


@pytest.fixture
def anna(command):
    """The e-mail of a user with premium."""
    command.done("user", "add", ANNA, "--premium")
    return ANNA


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request, tmp_path, new_settings):
    """An installation on either database, with two users."""
    made = Installation(tmp_path, new_settings(request.param)["sqlalchemy.url"])
    for email in (ANNA, BERT):
        made.done("user", "add", email, "--premium")
    made.load(ANNA, account(), *(record(n) for n in range(100, 150)))
    return made


@pytest.fixture
def backup(house):
    """The path of a backup that does not exist yet."""
    return str(house.directory / "finance.backup")


@pytest.fixture
def empty(house, empty_url, tmp_path):
    """An installation whose database does not exist yet."""
    directory = tmp_path / "new"
    directory.mkdir()
    return Installation(directory, empty_url(make_url(house.url).get_backend_name()))
