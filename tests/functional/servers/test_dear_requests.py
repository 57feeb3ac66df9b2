"""Every GET request over data that makes requests dear.

By day with little data, counting lines of Python: twice the data takes about twice the lines, and
only few lines run between two checks of the time. At night with much data, on both databases: each
answer is a 200, or a 503 at the time limit, and the health checks answer meanwhile.
"""

import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import pytest
from webob import Request

from finance_api.auth.personal_tokens import issue_token
from finance_api.http.surfaces import SUFFIX, is_page
from finance_api.planning.recurrence import Schedule, first_day
from finance_api.runtime import time_limit as limits
from support import dear_data
from support.browser import new_user, signed_in
from support.native_rows import uid
from support.nightly import NIGHTLY
from support.routes import page_paths, surface_paths
from support.service import Client, Service

#: The queries of paths that need one, or that answer more with one.
QUERIES = {
    "/v1/api/accounts/balances": ("interval=day&from=2026-01-01",),
    "/v1/api/accounts/forecast": ("", "to=2028-03-01&interval=day&include=typical"),
    "/v1/api/changes": ("since=0",),
    "/v1/api/records": ("q=shop", "sortBy=-note&withTotal=true", "convertTo=USD"),
    "/v1/api/records/by-id": (f"id={uid('Record', 1)}",),
    "/v1/api/records/duplicates": ("", "limit=1000"),
    "/v1/api/records/summary": ("groupBy=payee,day", "groupBy=payee&sortBy=-net&convertTo=USD"),
    "/v1/api/standing-orders": ("", "sortBy=nextDueDate"),
    "/v1/api/standing-orders/upcoming": ("", "days=366&limit=1000"),
    "/internal/v1/get-records": ("sort_by=-amount",),
    "/internal/v1/get-docs": ("document_type=all",),
    "/wallet/v1/api/records/by-id": (f"id={uid('Record', 1)}",),
    **{
        f"/wallet/v1/api/{path}/references": (f"id={uid(kind, 1)}",)
        for kind, paths in {
            "Account": ("account", "accounts"),
            "Category": ("category", "categories"),
            "Label": ("label", "labels"),
            "Record": ("record", "records"),
        }.items()
        for path in paths
    },
}
#: Paths of surfaces that need a question, or a method other than GET.
NO_DATA = ("/questions/", "/categories/custom")
#: Refused because the result would be too large, with the way out.
TOO_MUCH = "ask for|would return more|more than [0-9,]+"
#: At most this many lines of Python run between two checks of the time.
LINES = 150_000
#: A request answers within its limit of 5 s, and as long again: other tests run meanwhile.
SECONDS = 10


def asked(registry: Any) -> Iterator[str]:
    """Yield every path with its queries. The ids are those of the first object of each type."""
    types = {"accounts": "Account", "budgets": "Budget", "categories": "Category", "goals": "Goal"}
    types |= {"labels": "Label", "rules": "RecordRule", "record-rules": "RecordRule"}
    types |= {"records": "Record", "standing-orders": "StandingOrder"}
    for pattern in chain(surface_paths(registry), page_paths(registry)):
        path = pattern.removesuffix(SUFFIX)
        parent = re.search(r"([a-z-]+)/{id\b", path)
        object_id = uid(types.get(parent[1] if parent else "", "Record"), 1)
        path = re.sub(r"{id[^/]*?(?:{[0-9]+}[^/]*?)*}(?=/|$)", object_id, path)
        path = re.sub(r"{[^/]*}$|{[^/]*}(?=/)|\*subpath", "1", path)
        for query in QUERIES.get(path, ("",)):
            yield f"{path}?{query}" if query else path


class Site:
    """A service with one user who has dear data."""

    def __init__(self, service: Service, *imports: dear_data.Rows) -> None:
        self.service = service
        self.user = new_user(service)
        now = service.clock.now()
        token = service.change(lambda s: issue_token(s, self.user, name="test", now=now))
        self.client = Client(service, self.user, token)
        for rows in imports:
            service.load(self.user, rows)
        self._jwt = {"Authorization": f"Bearer {service.jwt(self.user)}"}
        self._visitor = signed_in(service, self.user, lint=False)

    @property
    def paths(self) -> list[str]:
        return list(asked(self.service.app.registry))

    def get(self, path: str) -> Any:
        headers = self._jwt if path.startswith("/internal") else self.client.headers
        if is_page(path.partition("?")[0]):
            cookies = self._visitor.cookies.items()
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies)}
        self.service.web.reset()
        return self.service.web.get(path, headers=headers, status="*", expect_errors=True)


def is_answer(path: str, response: Any) -> bool:
    """Whether the response is an answer, or what a path answers that takes no GET, or needs more
    than its id."""
    status = response.status_int
    if status == 400:
        return bool(re.search(TOO_MUCH, response.text))
    is_data = not is_page(path.partition("?")[0]) and not any(each in path for each in NO_DATA)
    return status == 200 if is_data else status in (200, 303, 404, 405)


class Lines:
    """Counts the lines of Python that run, and those between two readings of the clock."""

    def __init__(self) -> None:
        self.total = self.since = self.longest = 0

    def monotonic(self) -> float:
        self.longest, self.since = max(self.longest, self.since), 0
        return 0.0

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self.total += 1
            self.since += 1
        return self.trace

    def of(self, site: Site, path: str) -> Any:
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            response = site.get(path)
        finally:
            sys.settrace(before)
        self.monotonic()
        return response


SIZE = 100


@pytest.fixture(scope="module")
def sites(new_settings: Callable[[str], dict[str, str]]) -> Iterator[list[Site]]:
    settings = {**new_settings("sqlite"), "finance_api.cache.max_bytes": "0"}
    settings["finance_api.ratelimit.public"] = "100000/hour"
    service = Service("sqlite", settings)
    yield [
        Site(
            service,
            chain(dear_data.few(), dear_data.orders(size), dear_data.rules(size // 2, 5)),
            chain(dear_data.equal_records(size), dear_data.payees(size)),
            dear_data.equal_records(size, first=size),
        )
        for size in (SIZE, 2 * SIZE)
    ]
    service.stop()


def test_twice_the_data_takes_about_twice_the_steps(
    sites: list[Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = []
    for path in sites[0].paths:
        counts = []
        for site in sites:
            site.get(path)
            lines = Lines()
            with monkeypatch.context() as patched:
                patched.setattr(limits, "time", lines)
                response = lines.of(site, path)
            counts.append(lines.total)
            if not is_answer(path, response):
                faults.append(f"{path}: {response.status}: {response.text[:200]}")
            if lines.longest > LINES:
                faults.append(f"{path}: {lines.longest} lines without a check of the time")
        if counts[1] > 2.3 * counts[0]:
            faults.append(f"{path}: {counts[0]} lines become {counts[1]}")
        print(f"{counts[0]:10} {counts[1]:10} {path}")
    assert not faults, "\n".join(faults)


def test_payments_find_their_orders_in_about_twice_the_steps(
    new_settings: Callable[[str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many payments want the same orders: ``dear_data.orders`` has 700 that differ."""
    service = Service("sqlite", {**new_settings("sqlite"), "finance_api.cache.max_bytes": "0"})
    monkeypatch.setattr(limits, "time", Ending())
    path, counts = "/v1/api/records/recurring", []
    for size in (700, 1_400):
        orders = chain(dear_data.few(), dear_data.orders(size))
        site, lines = Site(service, orders, dear_data.payees(size)), Lines()
        # The first time rules are searched whose days are then known.
        site.get(path)
        assert lines.of(site, path).status_int == 200
        counts.append(lines.total)
    service.stop()
    print(counts)
    assert counts[1] < 2.3 * counts[0]


class Ending:
    """A clock whose time is over after a number of readings. read: how often it was read."""

    def __init__(self, still: float = math.inf) -> None:
        self.still, self.read = still, 0

    def monotonic(self) -> float:
        self.read += 1
        return 0.0 if self.read <= self.still else math.inf


def test_standing_orders_are_named_where_their_days_are_searched(
    sites: list[Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only there does it help to remove some, if a request takes too long."""
    searched: list[Schedule] = []
    days = Schedule.days

    def noted(schedule: Schedule, *end: int) -> Iterator[int]:
        searched.append(schedule)
        return days(schedule, *end)

    monkeypatch.setattr(Schedule, "days", noted)
    site, ended, faults = sites[0], 0, []
    # The time of an export ends before its first line; then it streams.
    for path in (path for path in site.paths if "/export" not in path):
        searched.clear()
        first_day.cache_clear()
        clock = Ending()
        monkeypatch.setattr(limits, "time", clock)
        site.get(path)
        is_searched = bool(searched)
        monkeypatch.setattr(limits, "time", Ending(clock.read // 2))
        text = site.get(path).text
        if "took longer than" in text:
            ended += 1
            is_named = "remove standing orders" in text.casefold()
            if is_searched != is_named and not (is_named and "/standing-orders" in path):
                faults.append(f"{path}: days of standing orders are searched: {is_searched}")
    assert ended > 50
    assert not faults, "\n".join(faults)


MUCH = {
    "equal records": lambda: (
        dear_data.few(),
        dear_data.equal_records(100_000),
        dear_data.equal_records(100_000, first=100_000),
    ),
    "payees and orders": lambda: (
        chain(dear_data.few(), dear_data.orders(10_000)),
        chain(dear_data.equal_records(1), dear_data.payees(20_000)),
    ),
    "rules": lambda: (
        chain(dear_data.few(), dear_data.rules(2_000), dear_data.equal_records(60_000)),
    ),
}


#: Answered within the time limit, however many equal records there are.
IN_TIME = ("/v1/api/records/duplicates", f"/records/{uid('Record', 1)}/link")


class Health:
    """Asks for the health of a service again and again. longest: seconds of the slowest answer."""

    def __init__(self, service: Service) -> None:
        self._service, self._ended = service, threading.Event()
        self.longest = 0.0
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._ended.wait(0.05):
            began = time.monotonic()
            response = Request.blank("/__lbheartbeat__").get_response(self._service.app)
            assert response.status_int == 200
            self.longest = max(self.longest, time.monotonic() - began)

    def __enter__(self) -> "Health":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()


@pytest.mark.skipif(not NIGHTLY, reason="loads 500,000 records: by night only")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("kind", MUCH)
def test_every_request_over_much_data_ends_at_its_time_limit(
    new_settings: Callable[[str], dict[str, str]], database: str, kind: str
) -> None:
    settings = {**new_settings(database), "finance_api.cache.max_bytes": "0"}
    settings["finance_api.ratelimit.public"] = "100000/hour"
    service = Service(database, settings)
    site = Site(service, *MUCH[kind]())
    faults, figures = [], []
    for path in site.paths:
        began, used = time.monotonic(), time.process_time()
        with Health(service) as health:
            response = site.get(path)
        seconds, used = time.monotonic() - began, time.process_time() - used
        figures.append((used, seconds, health.longest, response.status_int, path))
        if kind == "equal records" and path.startswith(IN_TIME) and response.status_int != 200:
            faults.append(f"{path}: {response.status}")
        is_export = "/export" in path
        if response.status_int != 503 and not is_answer(path, response):
            faults.append(f"{path}: {response.status}: {response.text[:200]}")
        if (seconds > SECONDS and not is_export) or health.longest > 1:
            faults.append(f"{path}: {seconds:.1f} s, health {health.longest:.2f} s")
    service.stop()
    print(f"{kind} on {database}: seconds of the processor, of the request, of health; status")
    for used, seconds, longest, status, path in sorted(figures, reverse=True)[:20]:
        print(f"{used:7.2f} {seconds:7.2f} {longest:6.2f} {status} {path}")
    assert not faults, "\n".join(faults)
