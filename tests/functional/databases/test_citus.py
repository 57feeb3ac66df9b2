"""A Citus cluster: it responds as one PostgreSQL server does, and to the users of one worker even
while the other worker is unavailable.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import create_engine, text

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import User
from finance_api.storage.sql.backend import SqlBackend
from support.browser import Visitor, new_user
from support.native_rows import account, label
from support.nightly import count
from support.process import ServerProcess
from support.programs import postgresql, wait_until
from support.rounds import PATHS, is_internal, rows
from support.service import Client, Service
from support.two_users import be_quiet, plain_questions, whole

pytestmark = pytest.mark.nightly

REQUESTS = count(64, 10_000)
USERS = 8
READERS = count(1, 6)
#: Responses to each user before, during and after the fault.
RESPONSES = count(5, 100)
#: How long a reader waits between its requests.
PAUSE_SECONDS = count(0.03, 0)
OFTEN = ("labels", "accounts?withTotal=true", "labels?name=contains.of", "accounts.ndjson")
_TEXTS = ("eq.", "ne.", "in.", "contains.", "contains-i.", "startsWith-i.")
_RANGES = ("eq.", "ne.", "gt.", "gte.", "lt.", "lte.")
_PREFIXES = {Kind.TEXT: _TEXTS, Kind.TEXT_LIST: _TEXTS, Kind.NUMBER: (*_RANGES, "abs.gt.")}
_PREFIXES |= {Kind.DATE: _RANGES, Kind.DATETIME: _RANGES}


def made_service(url: str) -> Service:
    service = Service("postgresql", {"finance_api.storage": "sql", "sqlalchemy.url": url})
    service.clock.set("2026-03-18T12:00:00Z")
    return service


# -- the same as one server -----------------------------------------------------------------------


class Questions:
    """Random requests, with operands that occur in the lists of this user."""

    def __init__(self, client: Client, chance: random.Random) -> None:
        self._chance = chance
        self._plain = [*PATHS, *plain_questions()]
        self._lists = {
            resource: client.get(str(resource.path), limit=100).json[resource.name]
            for resource in PUBLIC_RESOURCES
        }

    def draw(self) -> str:
        if self._chance.random() < 0.3:
            return self._chance.choice(self._plain)
        resource = self._chance.choice(PUBLIC_RESOURCES)
        fields = list(resource.fields)
        query = [
            self._filter(resource, field)
            for field in self._chance.sample(fields, self._chance.randrange(min(3, len(fields))))
        ]
        sortable = [field.name for field in fields if field.sortable]
        for name in self._chance.sample(sortable, self._chance.randrange(min(3, len(sortable)))):
            query.append(f"sortBy={self._chance.choice(('', '-'))}{name}")
        query.append(f"limit={self._chance.choice((1, 7, 30, 100))}")
        query.append(self._chance.choice(("", "withTotal=true", "offset=3", "offset=110")))
        suffix = self._chance.choice(("", "", "", ".csv", ".ndjson"))
        return f"/v1/api/{resource.path}{suffix}?{'&'.join(query)}"

    def _filter(self, resource: Resource, field: Field) -> str:
        if field.can_be_missing and self._chance.random() < 0.2:
            return f"{field.name}=is.{self._chance.choice(('null', 'not_null'))}"
        found = [row[field.name] for row in self._lists[resource] if row.get(field.name)]
        value = self._chance.choice(found or ["1"])
        if isinstance(value, list):
            value = self._chance.choice(value)
        prefix = self._chance.choice(_PREFIXES.get(field.kind, ("eq.",)))
        operand = json.dumps(value) if isinstance(value, bool | int | float) else str(value)
        return f"{field.name}={prefix}{operand}".replace(" ", "%20").replace("+", "%2B")


def test_random_requests_are_answered_as_by_one_server(
    new_citus_url: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    figures: Callable[[str], None],
) -> None:
    chance = random.Random(2711)
    statuses: Counter[int] = Counter()
    with postgresql() as plain:
        backend = SqlBackend(plain.url)
        backend.upgrade()
        backend.close()
        services = [made_service(plain.url), made_service(new_citus_url())]
        for service in services:
            be_quiet(service, monkeypatch)
        users = [tuple(service.client() for service in services) for _ in range(USERS)]
        for number, clients in enumerate(users, 1):
            for client in clients:
                client.load(*rows(f"u{number}", "first"))
        questions = [Questions(clients[0], chance) for clients in users]
        for asked in range(REQUESTS):
            if asked % (REQUESTS // USERS) == REQUESTS // USERS // 2:
                number = asked * USERS // REQUESTS
                for client in users[number]:
                    client.load(*rows(f"u{number + 1}", "imported"))
            clients, draws = chance.choice([*zip(users, questions, strict=True)])
            path = draws.draw()
            found, expected = (answer(client, path) for client in reversed(clients))
            assert found == expected, path
            statuses[found[0]] += 1
        for service in services:
            service.stop()
    assert statuses[200] > REQUESTS / 2
    shown = ", ".join(f"{number:,} × {status}" for status, number in sorted(statuses.items()))
    figures(f"{REQUESTS:,} random requests, {shown}: 0 differ from one server")


def answer(client: Client, path: str) -> tuple[int, dict[str, str], bytes]:
    service = client.service
    bearer = service.jwt(client.user) if is_internal(path) else client.token
    headers = {"Authorization": f"Bearer {bearer}"}
    return whole(service.web.get(path, headers=headers, status="*"), without=("ETag",))


# -- a worker that is away ------------------------------------------------------------------------


class Reader(threading.Thread):
    """Reads one user's data until it is stopped, and notes each response."""

    def __init__(self, server: ServerProcess, client: Client, seed: int) -> None:
        super().__init__(daemon=True)
        self._server, self._chance = server, random.Random(seed)
        self.client = client
        self.stopped = threading.Event()
        #: Statuses with the seconds that the responses took.
        self.seen: list[tuple[int, float]] = []
        self.wrong: list[object] = []

    def run(self) -> None:
        with self._server.connect() as connection:
            while not self.stopped.wait(PAUSE_SECONDS):
                path = f"/v1/api/{self._chance.choice(OFTEN)}"
                began = time.monotonic()
                try:
                    status, headers, body = self._server.get(path, self.client.token, connection)
                    if status == 200:
                        assert set(owners_in(body)) == {self.client.user.id}, body
                    else:
                        assert status == 503 and int(headers["Retry-After"]) >= 1, (status, body)
                except Exception as error:
                    self.wrong.append(error)
                    return
                self.seen.append((status, time.monotonic() - began))


def name_of(client: Client) -> str:
    return f"of user {client.user.id}."


def owners_in(body: bytes) -> Iterator[int]:
    for part in body.decode().split("of user ")[1:]:
        yield int(part.partition(".")[0])


def worker_ports(url: str, users: list[User]) -> dict[int, int]:
    """Return the port of the worker that has the data, by user."""
    engine = create_engine(url)
    find = text(
        "SELECT nodeport FROM citus_shards"
        " WHERE shardid = get_shard_id_for_distribution_column('labels', :user)"
    )
    with engine.connect() as connection:
        found = {
            user.id: connection.execute(find, {"user": user.id}).scalar_one() for user in users
        }
    engine.dispose()
    return found


def test_a_worker_that_is_away_concerns_only_its_own_users(
    tmp_path, cluster, new_citus_url, figures
):
    url = new_citus_url()
    service = made_service(url)
    clients = [service.client() for _ in range(USERS)]
    for client in clients:
        client.load(label(name=name_of(client)), account(name=name_of(client)))
    ports = worker_ports(url, [client.user for client in clients])
    away, worker = next((s, s.host) for s in cluster.servers[1:])
    lost = {user for user, port in ports.items() if worker.endswith(f":{port}")}
    assert 0 < len(lost) < USERS
    settings = {
        "sqlalchemy.url": url,
        "finance_api.allowed_hosts": "localhost",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": "",
        "finance_api.ratelimit.public": "1000000/hour",
        "finance_api.cache.max_bytes": "0",
    }
    server = ServerProcess(tmp_path, ini="production.ini", settings=settings)
    server.wait("/__heartbeat__")
    readers = [Reader(server, client, seed) for client in clients for seed in range(READERS)]

    def wait(status: int, concerned: set[int]) -> None:
        """Wait until each reader of these users has had more such responses."""
        begun = {reader: len(reader.seen) for reader in readers}
        wait_until(
            lambda: (
                any(reader.wrong for reader in readers)
                or all(
                    sum(seen == status for seen, _ in reader.seen[begun[reader] :]) >= RESPONSES
                    for reader in readers
                    if reader.client.user.id in concerned
                )
            )
        )

    for reader in readers:
        reader.start()
    others = ports.keys() - lost
    # These users have a password, and no token.
    strangers = [new_user(service) for _ in range(USERS)]
    places = worker_ports(url, strangers)
    wait(200, {*ports})
    away.stop()
    wait(503, lost)
    wait(200, others)
    imported = 0
    for client in clients:
        if client.user.id in lost:
            with pytest.raises(StorageUnavailable):
                client.load(account(2, name=name_of(client)))
        else:
            client.load(account(2, name=name_of(client)))
            imported += 1
    Visitor(service).sign_in(next(u for u in strangers if not worker.endswith(f":{places[u.id]}")))
    away.start()
    wait(200, {*ports})
    for reader in readers:
        reader.stopped.set()
    for reader in readers:
        reader.join()
        assert reader.wrong == []
    refused = [seconds for reader in readers for status, seconds in reader.seen if status == 503]
    answered = sum(status == 200 for reader in readers for status, _ in reader.seen)
    assert {r.client.user.id for r in readers if any(s == 503 for s, _ in r.seen)} == lost
    for client in clients:
        expected = [name_of(client)] * (1 if client.user.id in lost else 2)
        assert client.names("accounts", "name") == expected
    assert list(service.backend.find_faults()) == []
    service.stop()
    assert server.stop() == 0, server.said
    figures(
        f"{len(lost)} of {USERS} users on the worker: {len(refused):,} × 503, the slowest after"
        f" {max(refused):.1f} s; {answered:,} × 200, 0 × 503 to the others; {imported} imports"
    )
