"""Several workers share three PgBouncer connections; a model checks the results."""

import http.client
import io
import random
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import pytest

from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import household, record, uid
from support.nightly import count
from support.process import ServerProcess
from support.service import Client, Service, native_line

USERS = count(6, 50)
WORKERS = count(2, 4)
CLIENTS = 8
REQUESTS = count(150, 100_000)
PATHS = [
    *(f"/v1/api/{resource.path}" for resource in PUBLIC_RESOURCES),
    *(f"/v1/api/{resource.path}?withTotal=true&limit=2" for resource in PUBLIC_RESOURCES),
    *(f"/v1/api/{resource.path}?sortBy=-id&offset=1" for resource in PUBLIC_RESOURCES),
    *(f"/v1/api/records?limit={limit}&offset={offset}" for limit in (3, 7) for offset in (0, 20)),
    *(f"/v1/api/records?{name}=contains-i.{text}" for name in ("note", "payee") for text in "rnu"),
    *(f"/v1/api/records?sortBy={sign}amount,id&limit=9" for sign in ("%2B", "-")),
    "/v1/api/records?amount=gte.-5&amount=lt.3&withTotal=true",
    "/v1/api/records?recordDate=gte.2026-03-05&recordDate=lt.2026-03-20&limit=50",
    f"/v1/api/records/by-id?id={uid('Record', 1)},{uid('Record', 17)}",
]
ACCEPTS = ["application/json", "text/csv", "application/x-ndjson"]


def rows_of(number: int) -> list[dict[str, object]]:
    """Return rows whose ids are the same for every user, with different texts and amounts."""
    chosen = random.Random(number)
    named = [
        {**row, "name": f"{row['name']} of {number}"} if row.get("name") else row
        for row in household()
    ]
    more = (
        record(
            n,
            amount=chosen.randrange(-900, 900) / 100,
            note=f"{chosen.choice(['rent', 'tea', 'run'])} {number}",
            recordDate=f"2026-03-{chosen.randrange(1, 29):02}",
        )
        for n in range(10, 10 + number)
    )
    return [*named, *more]


@dataclass(frozen=True)
class Asker:
    """A user of the service, and the same user in the model."""

    served: Client
    model: Client


@pytest.fixture
def served(tmp_path, new_settings, redis_url):
    """A server with workers, and a service in this process on the same database."""
    settings = new_settings("pgbouncer_transaction")
    settings["sqlalchemy.url"] += "?target_session_attrs=read-write"
    service = Service("postgresql", settings)
    server = ServerProcess(
        tmp_path,
        ini="production.ini",
        settings={
            "sqlalchemy.url": settings["sqlalchemy.url"],
            # Many clients on few processors wait long.
            "sqlalchemy.statement_seconds": "60",
            "finance_api.cache.max_bytes": "0",
            "finance_api.allowed_hosts": "127.0.0.1",
            "finance_api.require_https": "false",
            "finance_api.jwt.keys": "",
            "finance_api.ratelimit.public": "1000000/hour",
            "finance_api.ratelimit.backend": "redis",
            "finance_api.ratelimit.redis_url": redis_url,
            "server.workers": str(WORKERS),
            # More than the clients send at once, so that slow requests wait here and are not
            # refused.
            "server.threads": "12",
            "finance_api.max_data_requests": "9",
            "sqlalchemy.pool_size": "12",
        },
    )
    try:
        server.wait("/__heartbeat__")
        yield server, service
    finally:
        code = server.stop()
        service.stop()
    assert code == 0, server.said
    assert "Traceback" not in server.said
    assert " ERROR " not in server.said, server.said


def load(client: Client, rows: list[dict[str, object]]) -> None:
    data = "".join(map(native_line, rows)).encode()
    import_file(
        client.service.backend, ImportOrder(client.user.email, io.BytesIO(data), now=1_773_835_200)
    )


@pytest.mark.nightly
def test_every_answer_is_that_of_the_model(served):
    server, service = served
    model = Service("memory", {"finance_api.storage": "memory"})
    askers = []
    for number in range(USERS):
        asker = Asker(service.client(), model.client())
        for client in (asker.served, asker.model):
            load(client, rows_of(number))
        askers.append(asker)
    lock = threading.Lock()

    @cache
    def expected(number: int, path: str, accept: str) -> tuple[int, bytes]:
        model.clock.set(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        client = askers[number].model
        headers = {"Accept": accept, **client.headers}
        answer = model.web.get(path, headers=headers, status="*")
        return answer.status_int, answer.body

    left = iter(range(REQUESTS))
    wrong: list[object] = []

    def ask(seed: int) -> None:
        chosen = random.Random(seed)
        address = ("127.0.0.1", server.port)
        with closing(http.client.HTTPConnection(*address, timeout=120)) as connection:
            while not wrong:
                with lock:
                    if next(left, None) is None:
                        return
                number, path = chosen.randrange(USERS), chosen.choice(PATHS)
                accept = ACCEPTS[0] if "by-id" in path else chosen.choice(ACCEPTS)
                headers = {"Accept": accept, **askers[number].served.headers}
                connection.request("GET", path, headers=headers)
                response = connection.getresponse()
                found = response.status, response.read()
                with lock:
                    if found != expected(number, path, accept):
                        wrong.append((path, accept, found, expected(number, path, accept)))

    def run(seed: int) -> None:
        try:
            ask(seed)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert next(left, None) is None
    model.stop()
