"""A read-only database, such as a standby: reading works, and changes are refused."""

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from support.browser import Visitor, assert_error_page, new_user
from support.command import Command
from support.native_rows import account
from support.service import Client, Service, native_line


def alter(settings, change):
    """Change the database for new connections."""
    url = make_url(settings["sqlalchemy.url"])
    server = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text(f"ALTER DATABASE {url.database} {change}"))
    server.dispose()


@pytest.fixture
def read_only(new_settings, tmp_path):
    """A service, a command, and a client and a user with valid credentials."""
    settings = new_settings("postgresql")
    first = Service("postgresql", settings)
    client, user = first.client(), new_user(first)
    client.load(account())
    first.stop()
    alter(settings, "SET default_transaction_read_only = on")
    second = Service("postgresql", settings)
    yield second, Command(tmp_path, settings), Client(second, client.user, client.token), user
    second.backend.close()


def test_reading_works_and_changing_is_unavailable(read_only):
    service, _, client, user = read_only
    assert client.names("accounts", "name") == ["Giro"]
    assert_error_page(Visitor(service).sign_in(user, status=503), 503)
    assert client.names("accounts", "name") == ["Giro"]


def test_after_a_refused_change_new_connections_find_the_server_that_can_be_written_to(read_only):
    # The guard: READ_ONLY in `_tell_unavailable` of connections/engine.py.
    service, command, _, user = read_only
    Visitor(service).sign_in(user, status=503)
    alter(command.settings, "RESET default_transaction_read_only")
    Visitor(service).sign_in(user)


@pytest.mark.parametrize("arguments", [["user", "add", "new@example.org"], ["import"]])
def test_a_command_says_it_in_a_sentence(read_only, arguments):
    _, command, client, _ = read_only
    if arguments == ["import"]:
        rows = "".join(native_line(account(n)) for n in (2, 3))
        arguments = ["import", client.user.email, command.file("a.ndjson", rows)]
    said = command.refused(*arguments)
    assert said == "finance-api: the database is read-only: nothing can be changed now\n"
    dumped = command.run("dump", client.user.email)
    assert dumped.code == 0 and "Giro" in dumped.out
    assert "not in the audit log" in dumped.err
