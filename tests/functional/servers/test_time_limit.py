"""A request has one time limit for everything that it reads and computes."""

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from finance_api.auth.personal_tokens import issue_token
from finance_api.http.surfaces import is_page
from finance_api.runtime import time_limit as limits
from finance_api.storage.sql.reading import SqlDataReader
from support.browser import new_user, signed_in
from support.html import shown_text
from support.native_rows import account, budget, category, goal, label, record, standing_order, uid
from support.service import Client, Service

DETAIL = "This request took longer than 5 s. "
RECORDS, ORDERS, OTHERS = 3_000, 40, 60

#: At most this many lines of Python run between two checks of the time: for data, and for a page
#: with its templates.
LINES, LINES_OF_A_PAGE = 70_000, 140_000

PATHS = (
    "/v1/api/records?q=payee",
    "/v1/api/records?sortBy=-note&withTotal=true",
    "/v1/api/records?convertTo=USD",
    "/v1/api/records/summary?groupBy=label,payee,day",
    "/v1/api/records/summary?groupBy=payee&sortBy=-net&convertTo=USD",
    "/v1/api/records/summary?groupBy=day&fill=true",
    "/v1/api/records/summary.xlsx?groupBy=category,payee",
    "/v1/api/accounts/balances?interval=day&from=2026-01-01",
    "/v1/api/standing-orders?sortBy=nextDueDate",
    "/v1/api/standing-orders/upcoming?days=366&limit=1",
    "/v1/api/budgets",
    f"/v1/api/budgets/{uid('Budget', 1)}/periods?last=120",
    "/v1/api/goals",
    "/v1/api/changes?since=0",
    f"/v1/api/records/by-id?id={uid('Record', 1)}",
    "/wallet/v1/api/records?recordDate=gte.2020-01-01",
    "/wallet/v1/api/budgets",
    "/wallet/v1/api/accounts",
    "/wallet/v1/api/standing-orders/items",
    "/internal/v1/get-records?sort_by=-amount",
    "/internal/v1/get-docs?document_type=Budget",
    "/overview",
    "/records?q=payee",
    "/budgets",
)
EXPORTS = ("/v1/api/export/records.csv", "/v1/api/export/all.ndjson")


def rows() -> Iterator[dict[str, Any]]:
    yield account()
    yield account(2, name="Dollars", currencyCode="USD")
    for number in range(1, OTHERS):
        yield category(number, name=f"category {number}")
        yield label(number, name=f"label {number}")
        yield goal(number, targetAmount=100)
        ids = [uid("Label", number)]
        yield budget(number, type="BUDGET_INTERVAL_MONTH", startDate="2015-01-01", labelIds=ids)
    for number in range(1, ORDERS):
        rule = {"recurrenceRule": "FREQ=DAILY", "startDate": "2020-01-01"}
        yield standing_order(number, amount=-1, currencyCode="EUR", **rule)
    for number in range(1, RECORDS):
        yield record(
            number,
            accountId=uid("Account", 1 + number % 2),
            recordDate=f"2026-{1 + number % 12:02}-{1 + number % 28:02}",
            payee=f"payee {number}",
            categoryId=uid("Category", 1 + number % (OTHERS - 1)),
            labelIds=[uid("Label", 1 + number % (OTHERS - 1))],
        )


class Clock:
    """A clock that stands still for a number of readings; then each reading is ten seconds
    later.
    """

    def __init__(self, still: float = math.inf) -> None:
        self.still, self.read, self.now = still, 0, 0.0

    def monotonic(self) -> float:
        self.read += 1
        if self.read > self.still:
            self.now += 10
        return self.now


class Stretches:
    """A clock that counts the lines of Python that run between two readings."""

    def __init__(self) -> None:
        self.lines = self.longest = 0

    def monotonic(self) -> float:
        self.longest, self.lines = max(self.longest, self.lines), 0
        return 0.0

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        self.lines += event == "line"
        return self.trace


class Site:
    """A service with one user who has much data, and every kind of request."""

    def __init__(self, service: Service) -> None:
        self._service = service
        user = new_user(service)
        now = service.clock.now()
        token = service.change(lambda s: issue_token(s, user, name="test", now=now))
        self.client = Client(service, user, token)
        self.client.load(*rows())
        self._jwt = {"Authorization": f"Bearer {service.jwt(user)}"}
        self._visitor = signed_in(service, user, lint=False)

    def get(self, path: str) -> Any:
        if is_page(path.partition("?")[0]):
            return self._visitor.request("GET", path)
        headers = self._jwt if path.startswith("/internal") else self.client.headers
        return self._service.web.get(path, headers=headers, status="*", expect_errors=True)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(
    request: pytest.FixtureRequest, new_settings: Callable[[str], dict[str, str]]
) -> Iterator[Site]:
    service = Service(
        request.param, {**new_settings(request.param), "finance_api.cache.max_bytes": "0"}
    )
    yield Site(service)
    service.stop()


@pytest.mark.parametrize("path", PATHS)
def test_a_request_is_ended_at_its_time_limit_and_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    assert site.get(path).status_int == 200
    usual = Clock()
    monkeypatch.setattr(limits, "time", usual)
    site.get(path)
    # Half of the usual readings, because the number of waits for PostgreSQL varies.
    monkeypatch.setattr(limits, "time", Clock(still=usual.read // 2))
    late = site.get(path)
    assert (late.status_int, late.headers.get("Retry-After")) == (503, None)
    assert DETAIL in late.text and "database" not in late.text
    assert (
        "This took too long"
        if is_page(path.partition("?")[0])
        else '"title":"Request took too long"'
    ) in late.text


@pytest.mark.parametrize("path", EXPORTS)
def test_an_export_is_ended_until_it_begins(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    get_state = SqlDataReader.get_state

    def get_state_late(reader: SqlDataReader, user_id: int) -> Any:
        clock.now += 10
        return get_state(reader, user_id)

    monkeypatch.setattr(SqlDataReader, "get_state", get_state_late)
    late = site.get(path)
    assert late.status_int == 503
    assert late.json["detail"].startswith(DETAIL)


LESS, ORDERS_ADVICE = "If it cannot ask for less, ", "remove standing orders that you do not need."
MORE_TIME = "Only the operator of this service can give it more time."
#: What is advised after the sentence on the limit. `test_dear_requests.py` asks every path.
ADVICE = {
    "/v1/api/records/summary?groupBy=day": (
        "Ask for fewer groups, a shorter period or fewer records."
    ),
    "/v1/api/records?q=payee": "Ask for a shorter period or fewer records.",
    "/v1/api/accounts/balances": "Ask for a shorter period.",
    "/v1/api/budgets": "Ask for fewer records.",
    "/v1/api/records/duplicates": MORE_TIME,
    "/v1/api/accounts/forecast": f"Ask for a shorter period. {LESS}{ORDERS_ADVICE}",
    "/v1/api/standing-orders/upcoming": f"Ask for a shorter period. {LESS}{ORDERS_ADVICE}",
    "/wallet/v1/api/standing-orders/items": ORDERS_ADVICE.capitalize(),
    "/internal/v1/get-records": "Ask for a shorter period or fewer records.",
    "/records": "Ask for a shorter period or fewer records.",
    "/overview": f"Ask for a shorter period. {LESS}{ORDERS_ADVICE}",
    "/budgets": MORE_TIME,
}


@pytest.mark.parametrize("site", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", ADVICE)
def test_the_advice_names_what_the_request_can_ask_for_less_of(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    site.get(path)
    monkeypatch.setattr(limits, "time", Clock(still=clock.read * 3 // 4))
    late = site.get(path)
    text = shown_text(late.text) if is_page(path) else late.json["detail"]
    assert late.status_int == 503
    assert DETAIL + ADVICE[path] in text


@pytest.mark.parametrize("site", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
def test_the_time_is_looked_at_however_much_there_is_to_work_out(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Only few lines run between two checks of the time: longer loops use `in_time`."""
    site.get(path)
    stretches = Stretches()
    monkeypatch.setattr(limits, "time", stretches)
    before = sys.gettrace()
    sys.settrace(stretches.trace)
    try:
        response = site.get(path)
    finally:
        sys.settrace(before)
    assert response.status_int == 200
    stretches.monotonic()
    assert stretches.longest < (LINES_OF_A_PAGE if is_page(path.partition("?")[0]) else LINES)
