"""The service in several granian processes with one SQLite and one Redis, as operators start it.

A process of waitress serves the same database, and responds in the same way.
"""

import http.client
import json
import re
import signal
import threading
import time
from collections import Counter
from contextlib import ExitStack

import pytest
from redis import Redis

from finance_api.storage.interface import Token
from support.native_rows import household, label
from support.nightly import count
from support.process import ServerProcess
from support.programs import wait_until
from support.service import Service

PATIENCE_SECONDS = 60


class Server(ServerProcess):
    def by_each(self, ask):
        """Call ``ask`` with a connection to each process, and return the results."""
        found = {}
        with ExitStack() as stack:
            while len(found) < len(self.workers):
                connection = stack.enter_context(self.connect())
                self.ask("GET", "/__lbheartbeat__", {}, connection)
                found.setdefault(self.worker_of(connection), connection)
            return [ask(connection) for connection in found.values()]


class Place:
    """A database, and the servers that use it."""

    def __init__(self, directory, settings):
        self.directory = directory
        self.settings = {
            "sqlalchemy.url": settings["sqlalchemy.url"],
            "finance_api.allowed_hosts": "127.0.0.1 localhost",
            "finance_api.require_https": "false",
            "finance_api.jwt.keys": "",
        }
        self.service = Service("sqlite", settings)
        self.servers = []

    def start(self, ini="production.ini", **settings):
        """settings: names as keyword arguments; see `_name`."""
        given = {_name(key): value for key, value in settings.items()}
        server = Server(self.directory, ini=ini, settings={**self.settings, **given})
        self.servers.append(server)
        return server

    def granian(self, redis_url, workers=2, **more):
        redis = {"ratelimit__backend": "redis", "ratelimit__redis_url": redis_url}
        settings = {
            "server__workers": str(workers),
            "metrics__clients": "127.0.0.1",
            **redis,
            **more,
        }
        server = self.start(**settings).wait()
        wait_until(lambda: server.said.count("Started worker") == workers)
        return server


def _name(keyword):
    name = keyword.replace("__", ".")
    return name if name.startswith("server.") else f"finance_api.{name}"


@pytest.fixture(scope="module")
def place(tmp_path_factory, new_settings):
    place = Place(tmp_path_factory.mktemp("granian"), new_settings("sqlite"))
    yield place
    codes = [server.stop() for server in place.servers]
    place.service.stop()
    assert set(codes) <= {0, 1}


@pytest.fixture(scope="module")
def granian(place, redis_url):
    """A server with two worker processes."""
    with Redis.from_url(redis_url) as redis:
        # Other tests may have used up this address's failed sign-ins.
        redis.flushall()
    server = place.granian(redis_url)
    workers = server.workers
    yield server
    assert server.workers == workers
    assert server.stop() == 0, server.said


@pytest.fixture(scope="module")
def waitress(place):
    return place.start("development.ini").wait()


@pytest.fixture(scope="module")
def client(place):
    client = place.service.client()
    client.load(*household())
    return client


#: Headers that differ in each response, or depend on the connection or the server.
_OF_THE_SERVER = {"connection", "date", "server", "x-request-id"}
#: CSRF tokens are random, and the expiry of a file depends on when it was sent.
_RANDOM = {"set-cookie", "expires"}
#: Headers about limits, which each server counts separately here.
_COUNTED = {"ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"}

_REQUEST_ID = re.compile(rb"\b[0-9a-f]{32}\b")

PATHS = [
    "/v1/api/records",
    "/v1/api/records?",
    "/v1/api/records?limit=2&offset=1",
    "/v1/api/records?payee=eq.Corner+Shop",
    "/v1/api/records?payee=eq.Corner%20Shop",
    "/v1/api/records?payee=eq.Corner%2BShop",
    "/v1/api/records?payee=contains-i.%C3%A9cole",
    "/v1/api/records?payee=%ff",
    "/v1/api/records?payee=%zz",
    "/v1/api/records?note=contains.%25",
    "/v1/api/records?limit=x&offset=-1",
    "/v1/api/records?nothing=1",
    "/v1/api/accounts",
    "/v1/api/categories?sortBy=-name",
    "/v1/api/%ff",
    "/v1/api/%00",
    "/v1/api/%zz",
    "/v1/api/nothing",
    "/v1//api/records",
    "/v1/api/records/",
    "/v1/api/records#x",
    "/v1/api/re%63ords?limit=1",
    "/v1/api/" + "x" * 8184,
    "/v1/api/openapi.json",
    "/internal/v1/get-records",
    "/overview",
    "/settings/login/nothing",
    "/settings/static/pages.css",
    "/",
    "/__heartbeat__",
    "/__version__",
]


def comparable(answer):
    status, headers, body = answer
    kept = {k.lower(): v for k, v in headers.items()}
    return (
        status,
        {k: v for k, v in kept.items() if k not in _OF_THE_SERVER | _RANDOM | _COUNTED},
        _REQUEST_ID.sub(b"", body),
    )


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "DELETE"])
def test_both_servers_answer_the_same(granian, waitress, client, method):
    different = {}
    for path in PATHS:
        headers = {"Authorization": f"Bearer {client.token}"}
        of_granian, of_waitress = (s.ask(method, path, headers) for s in (granian, waitress))
        assert re.fullmatch("[0-9a-f]{32}", of_granian[1]["x-request-id"]), path
        if comparable(of_granian) != comparable(of_waitress):
            different[path[:60]] = comparable(of_granian), comparable(of_waitress)
    assert different == {}


@pytest.mark.parametrize("path", ["/v1/api/" + "x" * 8185, "/v1/api/records?note=" + "x" * 8172])
def test_both_servers_refuse_a_url_of_more_than_8_kib(granian, waitress, client, path):
    answers = [s.get(path, client.token) for s in (granian, waitress)]
    assert answers[0][0] == 414
    assert comparable(answers[0]) == comparable(answers[1])


def test_two_slashes_at_the_beginning_are_another_path_with_granian(granian, waitress, client):
    answers = [s.get("//v1/api/labels", client.token) for s in (granian, waitress)]
    assert [status for status, _, _ in answers] == [404, 200]


def test_no_server_sends_its_name(granian, waitress, client):
    answers = [s.get("/v1/api/labels", client.token) for s in (granian, waitress)]
    assert answers[0][1]["server"] == "finance_api"
    assert not {"Server", "Via"} & set(answers[1][1])


@pytest.mark.parametrize("query", ["payee=eq.caf\xe9", "payee=eq.\u65e5"])
def test_a_query_that_is_not_percent_encoded_is_refused(granian, waitress, query):
    raw = f"GET /v1/api/records?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    for server in (granian, waitress):
        with server.connect() as connection:
            connection.connect()
            connection.sock.sendall(raw)
            assert connection.sock.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 401")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer x"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": ""},
        {"Host": "elsewhere.example"},
        {"Accept": "text/csv"},
        {"Accept": "application/x-ndjson"},
        {"Accept": "image/png"},
        {"If-None-Match": "*"},
        {"If-None-Match": '"x"'},
        {"X-Padding": "p" * 16_384},
        {"Cookie": "a=b; session=x"},
        {"Origin": "https://elsewhere.example"},
    ],
    ids=lambda headers: next(iter(headers), "none"),
)
def test_both_servers_answer_the_same_to_headers(granian, waitress, client, headers):
    sent = headers if "Authorization" in headers else {"Authorization": f"Bearer {client.token}"}
    sent = {**sent, **headers} if headers else {}
    answers = [s.ask("GET", "/v1/api/labels", sent) for s in (granian, waitress)]
    assert comparable(answers[0]) == comparable(answers[1])


def test_an_answer_that_is_known_is_304_without_a_body(granian, waitress, client):
    status, headers, _ = granian.get("/v1/api/records", client.token)
    assert status == 200
    known = {"Authorization": f"Bearer {client.token}", "If-None-Match": headers["etag"]}
    for method in ("GET", "HEAD"):
        answers = [s.ask(method, "/v1/api/records", known) for s in (granian, waitress)]
        assert (answers[0][0], answers[0][2]) == (304, b"")
        assert comparable(answers[0]) == comparable(answers[1])


# -- several processes


def test_a_quota_is_one_for_all_processes(granian, place):
    token = place.service.client().token
    remaining = [
        int(headers["x-ratelimit-remaining"])
        for _ in range(3)
        for _, headers, _ in granian.by_each(lambda c: granian.get("/v1/api/labels", token, c))
    ]
    assert remaining == [499, 498, 497, 496, 495, 494]


def test_an_import_by_another_process_is_seen_by_all(granian, place):
    client = place.service.client()

    def ask(connection):
        _, headers, body = granian.get("/v1/api/labels", client.token, connection)
        return headers["x-last-data-change-rev"], body.count(b'"id"')

    assert granian.by_each(ask) == [("0", 0)] * 2
    client.load(label(name="one"))
    assert granian.by_each(ask) == [("1", 1)] * 2


def test_the_metrics_of_all_processes_are_what_their_clients_counted(granian, place):
    clients = [place.service.client() for _ in range(8)]
    clients[0].load(label(name="one"))
    counted, lock = Counter(), threading.Lock()

    def ask(token):
        own = Counter()
        with granian.connect() as connection:
            for n in range(count(15, 100)):
                route = ("/v1/api/labels", "/v1/api/accounts")[n % 2]
                query = "?limit=0" if n % 5 == 4 else ""
                own[route, granian.get(route + query, token, connection)[0]] += 1
        with lock:
            counted.update(own)

    before = counted_by(granian)
    threads = [threading.Thread(target=ask, args=(each.token,)) for each in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {status for _, status in counted} == {200, 400}
    # Each process gives the same counts.
    for after in granian.by_each(lambda c: counted_by(granian, c)):
        assert after - before == counted


def counted_by(server, connection=None):
    """Return the counted requests for data, by route and status."""
    text = server.ask("GET", "/__metrics__", {}, connection)[2].decode()
    found = re.findall(
        r'(?m)^finance_api_request_seconds_count\{route="(/v1/.*)",status="(.*)"\} (\S+)$', text
    )
    return Counter({(route, int(status)): int(float(number)) for route, status, number in found})


def assert_json(server, token):
    """Check that each line of the log is a JSON object without the token."""
    # Ignore pserve's line about its start.
    lines = [line for line in server.said.splitlines() if not line.startswith("Starting server")]
    assert {"requestId", "level", "logger", "message"} <= set.intersection(
        *(set(json.loads(line)) for line in lines)
    )
    assert token not in server.said


@pytest.mark.nightly
@pytest.mark.parametrize("how", count([signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]))
def test_waitress_writes_all_usage_at_its_end(place, how):
    server = place.start("development.ini", log__format="json").wait()
    client = place.service.client()
    with server.connect() as connection:
        answered = [server.get("/v1/api/labels", client.token, connection)[0] for _ in range(100)]
    # Stop at once, while most counts are only in the memory of the process.
    assert server.stop(how) == 0, server.said
    assert answered == [200] * 100
    assert used(place, client) == 100
    assert "Traceback" not in server.said
    assert_json(server, client.token)


def used(place, client):
    """Return the stored requests, once the token's use is stored, too."""
    (token,) = place.service.change(lambda s: s.users.list_owned(Token, client.user.id))
    assert token.last_used_at is not None
    days = place.service.change(lambda s: s.usage.list_days(client.user.id, 0, 2**40))
    return sum(number for _, number in days)


def end(place, server, how):
    """End the server while requests are in flight, which must be answered and counted."""
    client = place.service.client()
    answered = []
    begun = threading.Barrier(9)

    def ask():
        begun.wait()
        while True:
            try:
                answered.append(server.get("/v1/api/labels", client.token)[0])
            except (OSError, http.client.HTTPException):
                # No process listens any more, or granian has not read the request.
                return

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun.wait()
    while len(answered) < 50:
        time.sleep(0.005)
    assert server.stop(how) == 0, server.said
    for thread in threads:
        thread.join()
    assert set(answered) <= {200, 429}
    assert used(place, client) == answered.count(200)
    assert "Traceback" not in server.said


@pytest.mark.nightly
@pytest.mark.parametrize("how", count([signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]))
def test_a_process_that_dies_is_replaced_and_what_is_in_flight_at_the_end_is_answered(
    place, redis_url, how
):
    server = place.granian(redis_url, log__format="json")
    token = place.service.client().token
    server.ask("GET", f"/v1/api/labels/{token}", {"Host": token})
    killed, kept = server.workers
    killed.kill()
    wait_until(lambda: server.said.count("Started worker") == 3)
    assert kept in server.workers and len(server.workers) == 2
    statuses = server.by_each(lambda c: server.get("/v1/api/labels", token, c)[0])
    assert statuses == [200, 200]
    end(place, server, how)
    assert_json(server, token)


def test_the_log_of_all_processes_is_that_of_the_ini_file(granian, client):
    line = (
        r"(?m)^[0-9-]+ [0-9:,]+ INFO finance_api\.access [0-9a-f]{32} 127\.0\.0\.1 "
        r"GET /v1/api/goals 200 .+ms [0-9a-f-]{36}$"
    )
    before = len(re.findall(line, granian.said))
    granian.by_each(lambda c: granian.get("/v1/api/goals", client.token, c))
    assert len(re.findall(line, granian.said)) == before + 2
    assert client.token not in granian.said


# -- the start


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"server__workers": "2", "ratelimit__backend": "memory"},
            "server.workers: 2 need finance_api.ratelimit.backend = redis, to count together",
        ),
        ({"cors__origins": "x"}, "finance_api.cors.origins: 'x' x is not an origin"),
    ],
)
def test_what_stops_the_start_is_reported_in_one_line(place, settings, said):
    server = place.start(**settings)
    assert server.process.wait(PATIENCE_SECONDS) == 1
    lines = [line for line in server.said.splitlines() if not line.startswith("Starting server")]
    assert len(lines) == 1
    assert lines[0].startswith(f"finance-api: {said}")


def test_a_second_server_leaves_the_port_to_the_first(granian, place, client):
    second = place.start(server__port=str(granian.port))
    assert second.process.wait(PATIENCE_SECONDS) == 1
    assert f"cannot listen on 127.0.0.1:{granian.port}: Address already in use" in second.said
    statuses = granian.by_each(lambda c: granian.get("/v1/api/labels", client.token, c)[0])
    assert statuses == [200, 200]
