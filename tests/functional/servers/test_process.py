"""The service as a process: started from the ini file, ended by a signal."""

import json
import shutil
from pathlib import Path

import pytest

from support.command import Command
from support.process import ServerProcess

ROOT = Path(__file__).parents[3]


@pytest.fixture
def place(tmp_path):
    """A folder with the ini file, and the command for it."""
    command = Command(tmp_path, {})
    command.ini = tmp_path / "development.ini"
    command.ini.write_text((ROOT / "development.ini").read_text())
    return command


def new_token(place):
    return place.done("token", "create", "demo@example.com", "--name", "x").decode().strip()


@pytest.fixture
def server(place, new_sqlite_url):
    (place.directory / "var").mkdir()
    shutil.copy(new_sqlite_url().removeprefix("sqlite:///"), place.directory / "var" / "finance.db")
    place.done("load-demo", "--records-per-user", "20")
    server = ServerProcess(place.directory).wait()
    yield server
    server.stop()


def test_a_service_from_the_ini_file_serves_until_it_is_ended(place, server):
    token = new_token(place)
    status, headers, body = server.get("/v1/api/records?limit=2", token)
    assert status == 200
    assert len(json.loads(body)["records"]) == 2
    assert "Server" not in headers
    assert f"Serving on http://127.0.0.1:{server.port}" in server.said
    # A revocation by another process counts at the next request.
    place.done("token", "revoke", "--value", token)
    assert server.get("/v1/api/labels", token)[0] == 401
    # The last use of tokens is written when the process stops.
    assert server.stop() == 0, server.said
    listed = place.done("token", "list", "demo@example.com").decode().splitlines()[1]
    assert listed.split()[5].endswith("Z")
    assert token not in server.said


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("FINANCE_API_STORGE", "sql", "FINANCE_API_STORGE"),
        ("FINANCE_API_SQLALCHEMY_URL", "sqlite:///nothing.db", "db upgrade"),
    ],
)
def test_what_stops_the_start_is_reported_in_one_line(place, setting, value, said):
    assert said in place.refused("serve", "--port", "1", environment={setting: value})


def test_waitress_has_to_leave_what_proxies_say_and_a_thread(place):
    ini = place.ini.read_text()
    trusting = ini.replace("trusted_proxies =\n", "trusted_proxies = 127.0.0.1\n")
    for text, said in (
        (
            trusting.replace("clear_untrusted_proxy_headers = false\n", ""),
            "finance_api.trusted_proxies: waitress removes their headers unless [server:main] has "
            "clear_untrusted_proxy_headers = false",
        ),
        (
            ini.replace("threads = 8", "threads = 7"),
            "finance_api.max_data_requests: 5, together with 2 of finance_api.max_downloads, are "
            "too many for the server's 7 threads: one thread must be left for health "
            "checks",
        ),
    ):
        place.ini.write_text(text)
        assert place.refused("serve", "--port", "1") == f"finance-api: {said}\n"
