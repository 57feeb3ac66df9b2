"""Exports by waitress, by granian and through nginx: what a client sees if one breaks off.

Also what a server does if the client disconnects.
"""

import http.client
import json
import socket
import ssl
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from finance_api.storage.interface import STREAMED_ROWS
from support import nginx as nginx_module
from support.breaking import PAGES
from support.native_rows import account, record
from support.nginx import HOST, nginx
from support.nightly import count
from support.process import ServerProcess
from support.programs import CLOSED_PORT, wait_until
from support.service import Service

INIS = ["development.ini", "production.ini"]
SERVERS = pytest.mark.parametrize("ini", INIS, ids=["waitress", "granian"])
COUNT = 40 * STREAMED_ROWS
LARGE_COUNT = count(4_000, 8_000)
EXPORT = "/v1/api/export/records.ndjson"
TESTS = Path(__file__).parents[2]


class Place:
    """A database with one user's records, and servers on it."""

    def __init__(self, directory, kind, settings, count, note):
        self.directory, self.kind = directory, kind
        self.url = settings["sqlalchemy.url"]
        self.service = Service(kind, settings)
        self.client = self.service.client()
        self.client.load(account(), *(record(n, note=note) for n in range(1, count + 1)))
        self.servers = {}

    def start(self, ini, **settings):
        """Start a server with these settings, unless it runs already."""
        key = (ini, *settings)
        if key not in self.servers:
            given = {
                "sqlalchemy.url": self.url,
                "finance_api.allowed_hosts": f"127.0.0.1 localhost {HOST}",
                "finance_api.require_https": "false",
                "finance_api.jwt.keys": "",
                **settings,
            }
            self.servers[key] = ServerProcess(self.directory, ini=ini, settings=given)
        return self.servers[key].wait()

    def start_breaking(self, ini):
        return self.start(ini, **{"finance_api.storage": "support.breaking.from_settings"})

    def ask(self, connection, path=EXPORT, host="localhost", **headers):
        sent = {"Host": host, "Authorization": f"Bearer {self.client.token}", **headers}
        connection.request("GET", path, headers=sent)
        return connection.getresponse()

    def status(self, server, path=EXPORT):
        with connect(server) as connection:
            return self.ask(connection, path).status

    def stop(self):
        codes = [server.stop() for server in self.servers.values()]
        self.service.stop()
        assert set(codes) <= {0}, [server.said for server in self.servers.values()]


@pytest.fixture(scope="module")
def place(tmp_path_factory, new_settings):
    """Return a function: database -> a place; on PostgreSQL it has more data than all buffers
    hold.
    """
    made = {}

    def of(kind):
        if kind not in made:
            size = {"sqlite": (COUNT, "n" * 500), "postgresql": (LARGE_COUNT, "n" * 4_000)}[kind]
            directory = tmp_path_factory.mktemp(kind)
            made[kind] = Place(directory, kind, new_settings(kind), *size)
        return made[kind]

    yield of
    for each in made.values():
        each.stop()


def connect(server, timeout=60):
    return closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout))


@pytest.fixture
def breaking(place, monkeypatch):
    """A place on which `start_breaking` starts servers whose exports break off."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    return place("sqlite")


@SERVERS
def test_a_whole_export_has_its_end(place, ini):
    found = place("sqlite")
    server = found.start(ini)
    with connect(server) as connection:
        for encoding in ("identity", "gzip"):
            answer = found.ask(connection, **{"Accept-Encoding": encoding})
            assert answer.getheader("Transfer-Encoding") == "chunked"
            assert answer.getheader("Content-Length") is None
            body = answer.read()
            if encoding == "identity":
                assert body.count(b"\n") == COUNT
        # The connection can be used again.
        assert found.ask(connection, "/v1/api/labels").read()


def test_waitress_closes_the_connection_of_an_export_that_breaks_off(breaking):
    server = breaking.start_breaking("development.ini")
    for path in (EXPORT, f"{EXPORT}?trailer=true", "/v1/api/export/records.csv"):
        with connect(server) as connection:
            answer = breaking.ask(connection, path)
            assert answer.status == 200
            with pytest.raises(http.client.IncompleteRead):
                answer.read()
    assert server.said.count("a download broke off: gone half-way") == 3


def test_granian_sends_no_end_of_an_export_that_breaks_off(breaking):
    server = breaking.start_breaking("production.ini")
    with connect(server) as connection:
        answer = breaking.ask(connection)
        assert answer.status == 200
        lines = [json.loads(answer.readline()) for _ in range(PAGES * STREAMED_ROWS)]
        assert len({line["id"] for line in lines}) == PAGES * STREAMED_ROWS
        connection.sock.settimeout(3)
        with pytest.raises(TimeoutError):
            answer.readline()
        with connect(server) as other:
            assert breaking.ask(other).status == 429

    # The client has disconnected, so what its request held is free.
    def is_there():
        with connect(server) as another:
            return breaking.ask(another).status == 200

    wait_until(is_there)
    assert "a download broke off: gone half-way" in server.said
    assert "Traceback" not in server.said


def test_nginx_closes_the_connection_of_an_export_that_breaks_off(breaking, monkeypatch, tmp_path):
    sample = nginx_module.SAMPLE.read_text()
    assert "proxy_read_timeout 60s;" in sample
    shorter = tmp_path / "nginx.conf"
    shorter.write_text(sample.replace("proxy_read_timeout 60s;", "proxy_read_timeout 2s;"))
    monkeypatch.setattr(nginx_module, "SAMPLE", shorter)
    server = breaking.start_breaking("production.ini")
    with nginx([server.port, CLOSED_PORT]) as proxy:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", proxy.port, timeout=60, context=proxy.tls
        )

        def is_answered():
            nonlocal answer
            answer = breaking.ask(connection, host=HOST)
            if answer.status == 429:
                answer.read()
            return answer.status == 200

        with closing(connection):
            answer = None
            # An export that has just broken off may still hold the user's place.
            wait_until(is_answered)
            with pytest.raises((http.client.IncompleteRead, ssl.SSLError, ConnectionError)):
                answer.read()


def in_transaction(url):
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend'"
        " AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(query).scalar_one()
    engine.dispose()
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("ini", count(INIS[1:], INIS))
def test_a_client_that_goes_away_ends_the_statement(place, ini):
    """The client reads slowly, and the export is larger than all buffers."""
    found = place("postgresql")
    server = found.start(ini)
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect(("127.0.0.1", server.port))
    with closing(plain):
        head = f"GET {EXPORT} HTTP/1.1\r\nHost: localhost\r\n"
        plain.sendall(f"{head}Authorization: Bearer {found.client.token}\r\n\r\n".encode())
        assert plain.recv(12) == b"HTTP/1.1 200"
        assert found.status(server) == 429
        # Other requests are answered meanwhile.
        assert found.status(server, "/v1/api/records") == 200
        assert in_transaction(found.url) == 1
    wait_until(lambda: in_transaction(found.url) == 0)
    with connect(server) as connection:
        # The place becomes free a moment after the transaction has ended.
        wait_until(lambda: found.ask(connection).read().count(b"\n") == LARGE_COUNT)
    assert "Traceback" not in server.said
