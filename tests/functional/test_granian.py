"""The service in processes of granian's, on one SQLite and one Redis, as an operator starts it.

Beside it one process of waitress serves the same database: both answer the same.
"""

import http.client
import re
import threading
import time
from contextlib import closing

import psutil
import pytest

from support.books import household, label
from support.process import ServerProcess
from support.service import Service

pytest.importorskip("granian", reason="granian is not installed (the extra granian)")

PATIENCE_SECONDS = 60


class Server(ServerProcess):
    """pserve on production.ini, filled in by variables."""

    def __init__(self, directory, settings, *options, workers=1):
        workers = f"http_workers={workers}"
        super().__init__(directory, *options, workers, ini="production.ini", settings=settings)

    def workers(self):
        return {child.pid for child in psutil.Process(self.process.pid).children()}

    def ask(self, method, path, headers):
        """(status, headers, body), on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with closing(connection):
            # Paths are sent as they are.
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": "localhost", **headers}.items():
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def get(self, path, token):
        return self.ask("GET", path, {"Authorization": f"Bearer {token}"})


class Place:
    """A database, and servers on it."""

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

    def start(self, *options, workers=1, **settings):
        given = {**self.settings, **{f"finance_api.{k}": v for k, v in settings.items()}}
        server = Server(self.directory, given, *options, workers=workers)
        self.servers.append(server)
        return server

    def granian(self, redis_url, workers=2):
        redis = {"ratelimit.backend": "redis", "ratelimit.redis_url": redis_url}
        return self.start("--server-name", "granian", workers=workers, **redis).wait()


@pytest.fixture(scope="module")
def place(tmp_path_factory, new_settings):
    place = Place(tmp_path_factory.mktemp("granian"), new_settings("sqlite"))
    yield place
    codes = [server.stop() for server in place.servers]
    place.service.stop()
    assert set(codes) <= {0, 1}


@pytest.fixture(scope="module")
def granian(place, redis_url):
    """Two processes."""
    server = place.granian(redis_url)
    workers = server.workers()
    yield server
    assert server.workers() == workers
    assert server.stop() == 0, server.said


@pytest.fixture(scope="module")
def waitress(place):
    return place.start().wait()


@pytest.fixture(scope="module")
def client(place):
    client = place.service.client()
    client.load(*household())
    return client


#: Different in each answer, or of the connection, or of the server itself.
_OF_THE_SERVER = {"connection", "date", "server", "x-request-id", "transfer-encoding"}
#: A CSRF token is another one each time.
_RANDOM = {"set-cookie"}
#: Counted by each server for itself here.
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
    "//v1/api/records?limit=1",
    "/v1//api/records",
    "/v1/api/records/",
    "/v1/api/records#x",
    "/v1/api/re%63ords?limit=1",
    "/v1/api/" + "x" * 8184,
    "/v1/api/openapi.json",
    "/internal/v1/get-records",
    "/settings",
    "/settings/login/nothing",
    "/settings/static/settings.css",
    "/",
    "/__heartbeat__",
    "/__version__",
    "/__metrics__",
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
    # waitress does it itself, for granian the application does.
    assert [s.get(path, client.token)[0] for s in (granian, waitress)] == [414, 414]


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
    if headers.get("X-Padding"):
        # waitress itself refuses those, the application those of granian.
        assert [status for status, _, _ in answers] == [431, 431]
    else:
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


def until_all_answer(server, ask):
    """Ask until each process has answered; returns all answers.

    Only the log says who answered: so each process is stopped in turn while others are asked.
    """
    answers = []
    workers = server.workers()
    for kept in workers:
        stopped = [psutil.Process(pid) for pid in workers - {kept}]
        for process in stopped:
            process.suspend()
            while process.status() != psutil.STATUS_STOPPED:
                time.sleep(0.001)
        try:
            answers.append(ask())
        finally:
            for process in stopped:
                process.resume()
    return answers


def test_a_quota_is_one_for_all_processes(granian, place):
    token = place.service.client().token
    remaining = [
        int(headers["x-ratelimit-remaining"])
        for _ in range(3)
        for _, headers, _ in until_all_answer(granian, lambda: granian.get("/v1/api/labels", token))
    ]
    assert remaining == [499, 498, 497, 496, 495, 494]


def test_a_revoked_token_is_refused_by_all_processes(granian, place):
    client = place.service.client()

    def ask():
        return granian.get("/v1/api/labels", client.token)[0]

    assert until_all_answer(granian, ask) == [200, 200]
    (token,) = place.service.change(lambda s: s.tokens.list_by_user(client.user.id))
    place.service.change(lambda s: s.tokens.revoke(token.id, int(time.time())))
    assert until_all_answer(granian, ask) == [401, 401]


def test_an_import_by_another_process_is_seen_by_all(granian, place):
    client = place.service.client()

    def ask():
        _, headers, body = granian.get("/v1/api/labels", client.token)
        return headers["x-last-data-change-rev"], body.count(b'"id"')

    assert until_all_answer(granian, ask) == [("0", 0)] * 2
    client.load(label(name="one"))
    assert until_all_answer(granian, ask) == [("1", 1)] * 2


def test_usage_is_exact_after_sigterm(place, redis_url):
    server = place.granian(redis_url)
    client = place.service.client()
    answered = []

    def ask():
        for _ in range(40):
            answered.append(server.get("/v1/api/labels", client.token)[0])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # At once: most of it is in the memory of the processes only.
    assert server.stop() == 0, server.said
    assert answered == [200] * 160
    used = place.service.change(lambda s: s.usage.list_days(client.user.id, 0, 2**40))
    assert sum(number for _, number in used) == 160
    (token,) = place.service.change(lambda s: s.tokens.list_by_user(client.user.id))
    assert token.last_used_at is not None


def test_requests_in_flight_at_sigterm_are_answered_and_counted(place, redis_url):
    server = place.granian(redis_url)
    client = place.service.client()
    answered = []
    begun = threading.Barrier(9)

    def ask():
        begun.wait()
        while True:
            try:
                answered.append(server.get("/v1/api/labels", client.token)[0])
            except OSError:
                # Nobody listens any more; before that nobody is let down.
                return

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun.wait()
    while len(answered) < 50:
        time.sleep(0.005)
    assert server.stop() == 0, server.said
    for thread in threads:
        thread.join()
    assert set(answered) <= {200, 429}
    used = place.service.change(lambda s: s.usage.list_days(client.user.id, 0, 2**40))
    counted = sum(number for _, number in used)
    # A connection that was still in the system's queue may have been lost, with its request.
    assert counted == answered.count(200)


def test_the_log_of_all_processes_is_that_of_the_ini_file(granian, client):
    before = granian.said.count("INFO finance_api.access GET /v1/api/goals 200")
    until_all_answer(granian, lambda: granian.get("/v1/api/goals", client.token))
    line = (
        r"(?m)^[0-9-]+ [0-9:,]+ INFO finance_api\.access GET /v1/api/goals 200 .+ms [0-9a-f]{32}$"
    )
    assert len(re.findall(line, granian.said)) == before + 2
    assert client.token not in granian.said


# -- the start


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"ratelimit.backend": "memory"},
            "server setting workers: 2 need finance_api.ratelimit.backend = redis, "
            "to count requests together",
        ),
        (
            {"storage": "memory", "ratelimit.backend": "redis", "ratelimit.redis_url": "{redis}"},
            "server setting workers: 2 need a finance_api.storage that they share; "
            "memory is one process' own",
        ),
        ({"cors.origins": "x"}, "finance-api: finance_api.cors.origins"),
    ],
)
def test_what_stops_the_start_is_said_in_one_line(place, redis_url, settings, said):
    settings = {name: value.format(redis=redis_url) for name, value in settings.items()}
    server = place.start("--server-name", "granian", workers=2, **settings)
    assert server.process.wait(PATIENCE_SECONDS) == 1
    lines = [line for line in server.said.splitlines() if not line.startswith("Starting server")]
    assert len(lines) == 1
    assert lines[0].startswith(said)


def test_one_process_serves_with_the_memory_limiter(place, client):
    server = place.start("--server-name", "granian").wait()
    assert server.get("/v1/api/labels", client.token)[0] == 200
    assert len(server.workers()) == 1
    assert server.stop() == 0
