"""A dashboard asks for all its panels at once: no panel is refused, and others are answered."""

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from support.native_rows import account, category, record, uid
from support.nightly import count
from support.process import ServerProcess
from support.service import Service

pytestmark = pytest.mark.nightly

SEED = 2911
#: Twenty panels take about 0.4 s of processor time together.
RECORDS = 6_000
CATEGORIES = 30
FIRST = date(2024, 1, 1)
DAYS = 900
#: Programs that only compute, beside the server: one for each core of a small machine.
BUSY_LOOPS = 2
SERVERS = count(["development.ini"], ["development.ini", "production.ini"])
NUMBERS = count([20], [20, 40, 60])
KINDS = (
    "records/summary?groupBy=month&recordDate=gte.{}",
    "records/summary?groupBy=category,month&recordDate=gte.{}",
    "records/summary?groupBy=payee&sortBy=-net&limit=20&recordDate=gte.{}",
    "records/summary?groupBy=week&fill=true&recordDate=gte.{}",
    "records?sortBy=-amount&limit=30&recordDate=gte.{}",
    "accounts/balances?interval=week&from={}",
    "records?limit=30&recordDate=gte.{}",
)


def rows() -> Iterator[dict[str, Any]]:
    chance = random.Random(SEED)
    yield account()
    for number in range(1, CATEGORIES + 1):
        yield category(number, name=f"category {number}")
    for number in range(1, RECORDS + 1):
        yield record(
            number,
            amount=-chance.randint(1, 100_000) / 100,
            recordDate=str(FIRST + timedelta(chance.randrange(DAYS))),
            payee=f"payee {chance.randrange(300)}",
            categoryId=uid("Category", 1 + chance.randrange(CATEGORIES)),
        )


def panels(number: int) -> list[str]:
    """Return paths of different panels, costly ones and cheap ones."""
    chance = random.Random(SEED)
    days = chance.sample(range(DAYS - 300), number)
    return [_panel(chance.choice(KINDS), day) for day in days]


def _panel(kind: str, day: int) -> str:
    return f"/v1/api/{kind.format(FIRST + timedelta(day))}"


@contextmanager
def busy_cores() -> Iterator[None]:
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_LOOPS)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def at_once(server: ServerProcess, paths: list[tuple[str, str]]) -> list[tuple[int, float]]:
    """Send all requests (path, token) at once. Return their statuses and seconds."""
    answers: list[tuple[int, float]] = []
    begin = threading.Barrier(len(paths))

    def ask(path: str, token: str) -> None:
        with server.connect() as connection:
            connection.connect()
            begin.wait(60)
            began = time.monotonic()
            status, _, _ = server.get(path, token, connection)
            answers.append((status, time.monotonic() - began))

    threads = [threading.Thread(target=ask, args=each) for each in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return answers


@pytest.mark.parametrize("ini", SERVERS)
@pytest.mark.parametrize("number", NUMBERS)
def test_no_panel_of_a_dashboard_is_refused(
    tmp_path: Path,
    new_settings: Callable[[str], dict[str, str]],
    figures: Callable[[str], None],
    ini: str,
    number: int,
) -> None:
    settings = new_settings("sqlite")
    service = Service("sqlite", settings)
    client, other = service.client(), service.client()
    client.load(*rows())
    other.load(account())
    given = {
        "sqlalchemy.url": settings["sqlalchemy.url"],
        "finance_api.allowed_hosts": "localhost",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": "",
        "finance_api.ratelimit.public": "100000/hour",
    }
    server = ServerProcess(tmp_path, ini=ini, settings=given).wait("/__heartbeat__")
    try:
        for kind in KINDS:
            # The first request of a kind loads modules.
            assert server.get(_panel(kind, DAYS), client.token)[0] == 200
        with busy_cores():
            # Different users, so that no answer of the first is in the cache.
            asked = [(path, client.token) for path in panels(number)]
            asked_by_others = [("/__heartbeat__", ""), ("/v1/api/accounts", other.token)]
            answers: list[tuple[int, float]] = []
            others: list[tuple[int, float]] = []
            burst = threading.Thread(target=lambda: answers.extend(at_once(server, asked)))
            burst.start()
            while burst.is_alive():
                others += at_once(server, asked_by_others)
                time.sleep(0.02)
            burst.join()
    finally:
        assert server.stop() == 0, server.said
        service.stop()
    statuses = Counter(status for status, _ in answers)
    slowest = sorted(seconds for _, seconds in answers)
    figures(
        f"{ini}, {number} panels: {dict(statuses)}, p99 {slowest[int(len(slowest) * 0.99)]:.2f} s;"
        f" {len(others)} requests of others {dict(Counter(s for s, _ in others))}, the slowest"
        f" {max(seconds for _, seconds in others):.2f} s"
    )
    assert {status for status, _ in others} == {200}
    assert "Traceback" not in server.said
    if number <= 40:
        assert statuses == {200: number}
    else:
        assert statuses.keys() <= {200, 503}
