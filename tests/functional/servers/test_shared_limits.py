"""Processes that share limits in one Redis, also while Redis is unavailable."""

import re
import threading
import time

import pytest

from finance_api.storage.interface import Token
from support.nightly import count
from support.process import ServerProcess
from support.programs import redis_server, wait_until
from support.service import Service

PROCESSES = count(2, 4)
CLIENTS = 8
#: Requests per hour, and how many each client sends.
LIMIT, SENT = count((100, 26), (500, 130))


class Server(ServerProcess):
    """A process of the service with the ini file for development."""

    @property
    def fallbacks(self):
        text = self.ask("GET", "/__metrics__")[2].decode()
        return float(re.search(r"^finance_api_ratelimit_fallbacks_total (\S+)", text, re.M)[1])


class Place:
    """A database, a user with tokens in it, and servers on it."""

    def __init__(self, directory, settings):
        self.directory = directory
        self.settings = settings
        self.service = Service("sqlite", settings)
        self.servers = []

    def token(self):
        return self.service.client().token

    def start(self, redis_url, number=1, limit=500):
        settings = {
            "sqlalchemy.url": self.settings["sqlalchemy.url"],
            "finance_api.ratelimit.public": f"{limit}/hour",
            "finance_api.ratelimit.backend": "redis",
            "finance_api.ratelimit.redis_url": redis_url,
        }
        servers = [Server(self.directory, settings=settings) for _ in range(number)]
        self.servers += servers
        for server in servers:
            server.wait()
        return servers


@pytest.fixture(scope="module")
def place(tmp_path_factory, new_settings):
    place = Place(tmp_path_factory.mktemp("shared"), new_settings("sqlite"))
    yield place
    codes = [server.stop() for server in place.servers]
    place.service.stop()
    assert set(codes) <= {0}


@pytest.fixture(scope="module")
def servers(place, redis_url):
    """Processes that share a Redis."""
    return place.start(redis_url, PROCESSES, LIMIT)


@pytest.fixture(scope="module")
def own_redis():
    with redis_server() as server:
        yield server


@pytest.fixture(scope="module")
def started_alone(place, own_redis):
    """A process that started while its Redis was unavailable."""
    own_redis.stop()
    return place.start(own_redis.url)[0]


@pytest.fixture
def alone(started_alone, own_redis):
    """The same process while its Redis is unavailable."""
    own_redis.kill()
    return started_alone


def at_once(work, arguments):
    """Call ``work`` with each of the arguments at the same time, and return the results."""
    results = [None] * len(arguments)

    def run(index):
        results[index] = work(arguments[index])

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(arguments))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.nightly
def test_several_processes_grant_a_token_what_one_would(place, servers):
    def ask(server):
        with server.connect() as connection:
            return [server.get("/v1/api/labels", token, connection)[0] for _ in range(SENT)]

    client = place.service.client()
    token = client.token
    started = time.time()
    asked = servers * (CLIENTS // PROCESSES)
    statuses = [status for each in at_once(ask, asked) for status in each]
    refilled = (time.time() - started) * LIMIT // 3600 + 1
    assert [server.fallbacks for server in servers] == [0] * PROCESSES
    assert len(statuses) == CLIENTS * SENT
    assert set(statuses) == {200, 429}
    assert LIMIT <= statuses.count(200) <= LIMIT + refilled
    # Every process knows that nothing is left.
    for server in servers:
        status, headers, _ = server.get("/v1/api/api-usage/stats", token)
        assert (status, headers["X-RateLimit-Limit"]) == (200, str(LIMIT))
        assert int(headers["X-RateLimit-Remaining"]) <= refilled
    # The database adds up what each of them counted.
    wait_until(lambda: counted(place, client.user) == statuses.count(200))


def counted(place, user):
    now = int(time.time())
    days = place.service.change(
        lambda s: s.usage.list_days(user.id, now - 2 * 86_400, now + 86_400)
    )
    return sum(number for _, number in days)


def test_a_redis_that_is_killed_under_load_costs_no_request(place, started_alone, own_redis):
    server = started_alone
    own_redis.stop()
    own_redis.start()
    first = place.token()
    wait_until(lambda: server.get("/v1/api/labels", first)[0] == 200 and _is_used(own_redis))
    tokens = [place.token() for _ in range(4)]
    stop = threading.Event()
    answers = []

    def ask(token):
        # Fewer requests than a token may make.
        with server.connect() as connection:
            for _ in range(450):
                if stop.is_set():
                    return
                status, headers, _ = server.get("/v1/api/labels", token, connection)
                answers.append((status, headers["X-RateLimit-Limit"]))
                time.sleep(0.008)

    clients = [threading.Thread(target=ask, args=(token,)) for token in tokens]
    for client in clients:
        client.start()
    wait_until(lambda: len(answers) > 50)
    fallbacks = server.fallbacks
    own_redis.kill()
    wait_until(lambda: server.fallbacks > fallbacks + 20)
    before = len(answers)
    wait_until(lambda: len(answers) > before + 50)
    own_redis.start()
    # Within a second or two, Redis is used again.
    wait_until(lambda: _is_used(own_redis))
    stop.set()
    for client in clients:
        client.join()
    assert set(answers) == {(200, "500")}
    # From now on, no decision is made without Redis.
    fallbacks = server.fallbacks
    for _ in range(5):
        assert server.get("/v1/api/labels", place.token())[0] == 200
    assert server.fallbacks == fallbacks


def _is_used(server):
    """Return whether Redis, which was empty at its start, has any keys."""
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(server.url) as client:
        return client.dbsize() > 0


def test_a_redis_that_is_away_does_not_stop_the_start(place, alone):
    token = place.token()
    fallbacks = alone.fallbacks
    for remaining in (499, 498, 497):
        status, headers, _ = alone.get("/v1/api/labels", token)
        assert (status, headers["X-RateLimit-Remaining"]) == (200, str(remaining))
    assert alone.fallbacks == fallbacks + 3
    warnings = [line for line in alone.said.splitlines() if "WARNING" in line]
    assert any("limiter does not respond" in line for line in warnings)


def test_credentials_are_checked_as_ever_without_redis(place, alone):
    client = place.service.client()
    assert alone.get("/v1/api/labels", client.token)[0] == 200
    (token,) = place.service.change(lambda s: s.users.list_owned(Token, client.user.id))
    place.service.change(lambda s: s.users.revoke(Token, token.id, int(time.time())))
    assert alone.get("/v1/api/labels", client.token)[0] == 401
    assert alone.get("/v1/api/labels", "x")[0] == 401
    assert alone.get("/v1/api/labels", place.token())[0] == 200
