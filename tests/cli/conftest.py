"""The command with an ini file, on a new SQLite database that has its tables."""

import pytest

from support.command import Command

ANNA = "anna@example.org"


@pytest.fixture
def command(tmp_path, new_sqlite_url):
    return Command(tmp_path, {"sqlalchemy.url": new_sqlite_url()})


@pytest.fixture
def anna(command):
    """The e-mail of a user with premium."""
    command.done("user", "add", ANNA, "--premium")
    return ANNA
