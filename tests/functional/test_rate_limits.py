"""What a token and a user may ask: exactly so much, told in headers, and refused with 429."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

import pytest
from webtest import TestApp

from finance_api.api.response_cache import ResponseCache
from finance_api.auth.issuing import issue_token
from finance_api.storage.errors import StatementTimeout, StorageUnavailable
from finance_api.storage.memory import MemoryDataReader
from finance_api.storage.sql.backend import SqlBackend
from support.books import account, label, record
from support.locks import locked
from support.service import USUAL_LIMITS, Service

CAPACITY = 500
SECONDS_EACH = Decimal("7.2")
STATS = "/v1/api/api-usage/stats"
RATE_HEADERS = (
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "RateLimit-Policy",
    "RateLimit",
)
ITEM = re.compile(r'"([a-z]+)"((?:;[a-z]+=[0-9]+)+)')


@pytest.fixture(scope="module")
def shared():
    """A service with the limits that are set where nothing is; every test has its own users."""
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


@pytest.fixture
def service(shared):
    shared.clock.set("2026-03-18T12:00:00Z")
    return shared


@pytest.fixture
def client(service):
    return service.client()


@pytest.fixture
def ask(service, client):
    """Requests of one token."""
    return Asking(service, client.headers)


@pytest.fixture
def ask_internally(service, client):
    """Requests with one JSON Web Token."""
    jwt = service.jwt(client.user, expires_at=service.clock.now() + 86_400)
    return Asking(service, {"Authorization": f"Bearer {jwt}"}, "/internal/v1/get-records")


class Asking:
    def __init__(self, service, headers, path="/v1/api/records"):
        self.service = service
        self.headers = headers
        self.path = path

    def __call__(self, path=None, method="GET", **headers):
        return self.service.web.request(
            path or self.path,
            method=method,
            headers={**self.headers, **{k.replace("_", "-"): v for k, v in headers.items()}},
            expect_errors=True,
        )

    def status(self, *arguments, **options):
        return self(*arguments, **options).status_int

    def passed(self, count):
        """How many of so many requests are not refused; all others must be."""
        statuses = [self.status() for _ in range(count)]
        assert set(statuses) <= {200, 429}
        return statuses.count(200)

    def exhaust(self):
        assert self.passed(CAPACITY + 1) == CAPACITY


def parameters(field):
    """{name: {parameter: number}} of a header of the IETF draft, in its order."""
    found = {}
    for item in field.split(", "):
        match = ITEM.fullmatch(item)
        assert match, field
        pairs = (pair.split("=") for pair in match[2][1:].split(";"))
        found[match[1]] = {name: int(number) for name, number in pairs}
    return found


def ceiling(number):
    return int(Decimal(number).to_integral_value(ROUND_CEILING))


def assert_bucket(response, used):
    """The headers of a token that has ``used`` requests fewer than it could have."""
    h = response.headers
    assert h["X-RateLimit-Limit"] == "500"
    assert h["X-RateLimit-Remaining"] == str(CAPACITY - used)
    assert h["X-RateLimit-Reset"] == str(ceiling(used * SECONDS_EACH))
    assert h["RateLimit-Policy"] == '"hour";q=500;w=3600'
    assert parameters(h["RateLimit"]) == {"hour": {"r": CAPACITY - used, "t": 8 if used else 0}}
    assert ("Retry-After" in h) is (response.status_int in (429, 503))


def assert_windows(response, used, *, t_minute=60, t_hour=3600):
    """The headers of a user who made ``used`` requests, all of them in this second."""
    h = response.headers
    assert h["X-RateLimit-Limit"] == "100"
    assert h["X-RateLimit-Remaining"] == str(100 - used)
    assert h["X-RateLimit-Reset"] == str(t_minute if used else 0)
    assert h["RateLimit-Policy"] == '"minute";q=100;w=60, "hour";q=1000;w=3600'
    assert parameters(h["RateLimit"]) == {
        "minute": {"r": 100 - used, "t": t_minute if used else 0},
        "hour": {"r": 1000 - used, "t": t_hour if used else 0},
    }


def assert_429(response, seconds):
    assert response.status_int == 429
    assert response.headers["Retry-After"] == str(seconds)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-Id"]
    body = response.json
    assert body["status"] == 429
    assert body["error"] == body["detail"]
    assert f" {seconds} seconds" in body["detail"]
    assert {"type", "title"} <= body.keys()
    assert "ETag" not in response.headers
    assert "X-Last-Data-Change-Rev" not in response.headers


# -- the public surface: a token bucket ------------------------------------------------------------


def test_exactly_500_of_1000_requests_of_a_token_pass(ask):
    statuses = [ask.status() for _ in range(1000)]
    assert statuses == [200] * 500 + [429] * 500


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgresql"])
def test_exactly_500_of_1000_requests_of_64_threads_pass(new_settings, kind):
    service = Service(kind, {**new_settings(kind), **USUAL_LIMITS})
    headers = service.client().headers

    def some(count):
        web = TestApp(service.app)
        answers = (web.get("/v1/api/labels", headers=headers, status="*") for _ in range(count))
        return [(a.status_int, int(a.headers["X-RateLimit-Remaining"])) for a in answers]

    counts = [16] * 40 + [15] * 24
    with ThreadPoolExecutor(64) as pool:
        answers = [answer for each in pool.map(some, counts) for answer in each]
    service.stop()
    assert sum(counts) == len(answers) == 1000
    # Each one that passed was told another number.
    assert sorted(left for status, left in answers if status == 200) == list(range(500))
    assert [left for status, left in answers if status == 429] == [0] * 500


def test_waiting_for_as_long_as_told_is_enough_and_a_second_less_is_not(service, ask):
    ask.exhaust()
    for _ in range(20):
        refused = ask()
        seconds = int(refused.headers["Retry-After"])
        assert_429(refused, seconds)
        assert 1 <= seconds <= 8
        service.clock.advance(seconds - 1)
        assert_429(ask(), 1)
        service.clock.advance(1)
        assert ask.status() == 200
        assert ask.status() == 429


def test_an_exhausted_token_gets_a_request_back_every_7_2_seconds(service, ask):
    ask.exhaust()
    passed = 0
    for second in range(1, 721):
        service.clock.advance(1)
        passed += ask.passed(1) if second % 3 else ask.passed(2)
        assert passed <= second * 500 // 3600
    assert passed == 100


def test_after_an_hour_the_bucket_is_full_and_not_fuller(service, ask):
    ask.exhaust()
    service.clock.advance(3_599)
    # 499 and a fraction are back.
    assert ask(STATS).headers["X-RateLimit-Remaining"] == "499"
    assert ask(STATS).headers["X-RateLimit-Reset"] == "1"
    service.clock.advance(1)
    assert_bucket(ask(STATS), 0)
    service.clock.advance(100_000)
    ask.exhaust()


def test_another_token_of_the_same_user_has_a_bucket_of_its_own(service, client, ask):
    ask.exhaust()
    now = service.clock.now()
    second = service.change(lambda s: issue_token(s, client.user, name="second", now=now))
    other = Asking(service, {"Authorization": f"Bearer {second}"})
    assert_bucket(other(), 1)
    assert Asking(service, service.client().headers).status() == 200
    assert ask.status() == 429


def test_refusals_cost_nothing(service, ask):
    ask.exhaust()
    for _ in range(200):
        assert_429(ask(), 8)
    service.clock.advance(8)
    assert ask.status() == 200


@pytest.mark.parametrize("jump", [-86_400 * 365, -3_601, -3_600, -60, -1, 60, 86_400 * 365])
def test_a_clock_that_jumps_locks_nobody_out_for_longer_than_the_window(service, ask, jump):
    ask.exhaust()
    service.clock.advance(jump)
    told = ask(STATS)
    assert 0 <= int(told.headers["X-RateLimit-Remaining"]) <= 500
    # Twice a window: until the clock is where it was, and a window to refill from there.
    assert 0 <= int(told.headers["X-RateLimit-Reset"]) <= 7_200
    response = ask()
    if response.status_int == 429:
        seconds = int(response.headers["Retry-After"])
        assert 1 <= seconds <= 3_600
        service.clock.advance(seconds)
        response = ask()
    assert response.status_int == 200


def test_a_clock_that_jumps_to_and_fro_refills_nothing(service, ask):
    ask.exhaust()
    for seconds in (-60, 60, -3_000, 3_000, -1, 1) * 5:
        service.clock.advance(seconds)
        assert ask.status() == 429


# -- the internal surface: sliding windows ---------------------------------------------------------


def test_the_101st_request_of_a_minute_is_refused_and_consumes_neither(service, ask_internally):
    ask = ask_internally
    for second in range(50):
        service.clock.set(f"2026-03-18T12:00:{second:02}Z")
        assert ask.passed(2) == 2
    for second in range(50, 60):
        service.clock.set(f"2026-03-18T12:00:{second:02}Z")
        for _ in range(20):
            assert_429(ask(), 60 - second)
    # Two a second become free, as they were made.
    for second in range(10):
        service.clock.set(f"2026-03-18T12:01:{second:02}Z")
        assert ask.passed(5) == 2
    assert parameters(ask().headers["RateLimit"])["hour"] == {"r": 1000 - 120, "t": 3600 - 69}


def test_the_1001st_request_of_an_hour_is_refused_until_the_exact_second(service, ask_internally):
    ask = ask_internally
    for minute in range(10):
        service.clock.set(f"2026-03-18T12:{minute:02}:00Z")
        assert ask.passed(110) == 100
    service.clock.set("2026-03-18T12:10:00Z")
    refused = ask()
    assert_429(refused, 3_000)
    # The minute is free again; the hour is not.
    assert refused.headers["X-RateLimit-Limit"] == "1000"
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert refused.headers["X-RateLimit-Reset"] == str(3_600 - 60)
    assert parameters(refused.headers["RateLimit"]) == {
        "minute": {"r": 100, "t": 0},
        "hour": {"r": 0, "t": 3_000},
    }
    service.clock.set("2026-03-18T12:59:59Z")
    assert_429(ask(), 1)
    service.clock.set("2026-03-18T13:00:00Z")
    assert ask.passed(101) == 100


def test_the_headers_describe_the_window_with_the_least_left(service, ask_internally):
    ask = ask_internally
    assert_windows(ask(), 1)
    for minute in range(9):
        service.clock.set(f"2026-03-18T12:{minute + 1:02}:00Z")
        assert ask.passed(100) == 100
    # 901 of the hour are gone: 99 are left of it, and 100 of the minute.
    service.clock.set("2026-03-18T12:10:00Z")
    first = ask()
    assert first.headers["X-RateLimit-Limit"] == "1000"
    assert first.headers["X-RateLimit-Remaining"] == "98"
    assert first.headers["X-RateLimit-Reset"] == "3600"
    # What the first second of the hour brought comes back first.
    assert parameters(first.headers["RateLimit"]) == {
        "minute": {"r": 99, "t": 60},
        "hour": {"r": 98, "t": 3_000},
    }
    assert first.headers["RateLimit-Policy"] == '"minute";q=100;w=60, "hour";q=1000;w=3600'
    assert ask.passed(99) == 98


def test_all_json_web_tokens_of_a_user_share_the_limits_and_no_others(service, client):
    assert [client.internal("get-records").status_int for _ in range(101)] == [200] * 100 + [429]
    assert client.internal("get-docs", document_type="all").status_int == 429
    assert client.get("records").headers["X-RateLimit-Remaining"] == "499"
    assert service.client().internal("get-records").headers["X-RateLimit-Remaining"] == "99"


def test_exactly_100_requests_of_64_threads_pass_internally(service, ask_internally):
    def some(_):
        web = TestApp(service.app)
        path = "/internal/v1/get-records"
        return [web.get(path, headers=ask_internally.headers, status="*") for _ in range(4)]

    with ThreadPoolExecutor(64) as pool:
        answers = [answer.status_int for each in pool.map(some, range(64)) for answer in each]
    assert answers.count(200) == 100
    assert answers.count(429) == 156


# -- what counts, and what it is told --------------------------------------------------------------


def test_every_answer_to_a_token_tells_what_is_left(ask):
    used = 0
    for path, method, headers, status in (
        ("/v1/api/records", "GET", {}, 200),
        ("/v1/api/records", "HEAD", {}, 200),
        ("/v1/api/records", "GET", {"Accept": "text/csv"}, 200),
        ("/v1/api/records/by-id?id=00000004-0000-4000-8000-000000000001", "GET", {}, 200),
        ("/v1/api/records?limit=0", "GET", {}, 400),
        ("/v1/api/records?limit=%ff", "GET", {}, 400),
        ("/v1/api/records?token=x", "GET", {}, 400),
        ("/v1/api/nothing", "GET", {}, 404),
        ("/v1/api/", "GET", {}, 404),
        ("/v1/api/records/", "GET", {}, 404),
        ("/v1/api/api-usage/stats/", "GET", {}, 404),
        ("/v1/api/records", "POST", {}, 405),
        ("/v1/api/records", "DELETE", {}, 405),
        ("/v1/api/records", "OPTIONS", {}, 405),
        ("/v1/api/records", "GET", {"Accept": "image/png"}, 406),
    ):
        response = ask(path, method, **headers)
        used += 1
        assert (path, response.status_int) == (path, status)
        assert_bucket(response, used)
    not_modified = ask(If_None_Match="*")
    assert not_modified.status_int == 304
    assert_bucket(not_modified, used)
    assert_bucket(ask(STATS), used)


def test_every_answer_to_a_json_web_token_tells_what_is_left(ask_internally):
    used = 0
    for path, method, headers, status in (
        ("/internal/v1/get-records", "GET", {}, 200),
        ("/internal/v1/get-records", "HEAD", {}, 200),
        ("/internal/v1/get-docs?document_type=all", "GET", {}, 200),
        ("/internal/v1/get-docs", "GET", {}, 400),
        ("/internal/v1/get-records?limit=301", "GET", {}, 400),
        ("/internal/v1/nothing", "GET", {}, 404),
        ("/internal/v1/get-records", "PUT", {}, 405),
        ("/internal/v1/get-records", "GET", {"Accept": "text/csv"}, 406),
    ):
        response = ask_internally(path, method, **headers)
        used += 1
        assert (path, response.status_int) == (path, status)
        assert_windows(response, used)
    not_modified = ask_internally(If_None_Match="*")
    assert not_modified.status_int == 304
    assert_windows(not_modified, used)


def test_what_a_token_may_not_read_is_told_and_counted_too(service):
    poor, narrow = service.client(premium=False), service.client(scopes=["labels"])
    for client, word in ((poor, "premium"), (narrow, "scope")):
        ask = Asking(service, client.headers)
        for used in (1, 2):
            response = ask()
            assert response.status_int == 403
            assert word in response.json["detail"]
            assert_bucket(response, used)


@pytest.mark.parametrize(("error", "status"), [(RuntimeError, 500), (StorageUnavailable, 503)])
def test_what_went_wrong_here_is_given_back(
    service, ask, ask_internally, monkeypatch, error, status
):
    # One that is kept would do without the storage.
    uncached = replace(service.services, response_cache=ResponseCache(0))
    monkeypatch.setattr(service.app.registry, "services", uncached)
    for asking, assert_headers in ((ask, assert_bucket), (ask_internally, assert_windows)):
        assert_headers(asking(), 1)
        with monkeypatch.context() as patch:
            patch.setattr(MemoryDataReader, "list_rows", raising(error("nobody may read this")))
            for _ in range(5):
                response = asking()
                assert response.status_int == status
                assert "nobody" not in response.text
                assert_headers(response, 1)
        assert_headers(asking(), 2)


def test_what_ran_into_its_time_limit_is_charged(service, ask, ask_internally, monkeypatch):
    """Before: it was given back, so that one token could use all of the processor."""
    for asking, assert_headers in ((ask, assert_bucket), (ask_internally, assert_windows)):
        with monkeypatch.context() as patch:
            patch.setattr(MemoryDataReader, "list_rows", raising(StatementTimeout("late")))
            for used in range(1, 6):
                response = asking()
                assert (response.status_int, response.headers["Retry-After"]) == (503, "2")
                assert_headers(response, used)


class Hasty(SqlBackend):
    """No time is left to a request when it comes to its data."""

    def read(self, deadline=math.inf):
        return replace(super().read(deadline), data=super().read(0).data)


def test_a_request_whose_time_is_up_is_charged(new_settings):
    """Before: it was given back."""
    settings = new_settings("sqlite")
    service = Service("sqlite", {**settings, **USUAL_LIMITS})
    client = service.client()
    client.load(account(), *(record(n, note="x" * 50) for n in range(1, 5_001)))
    hasty = Hasty(settings["sqlalchemy.url"])
    service.replace(storage=hasty)
    assert_ends_and_is_charged(service, client, "records?sortBy=note", "get-records?sort_by=note")
    hasty.close()
    service.stop()


def test_a_statement_that_postgresql_ends_is_charged(new_settings):
    """Before: it was given back."""
    settings = new_settings("postgresql")
    limit = {"sqlalchemy.statement_seconds": "1"}
    service = Service("postgresql", {**settings, **USUAL_LIMITS, **limit})
    client = service.client()
    with locked(settings["sqlalchemy.url"], "budgets"):
        assert_ends_and_is_charged(service, client, "budgets", "get-docs?document_type=Budget")
    service.stop()


def assert_ends_and_is_charged(service, client, public, internal):
    jwt = {"Authorization": f"Bearer {service.jwt(client.user)}"}
    for headers, path, assert_headers in (
        (client.headers, f"/v1/api/{public}", assert_bucket),
        (jwt, f"/internal/v1/{internal}", assert_windows),
    ):
        response = Asking(service, headers)(path)
        assert response.status_int == 503
        assert_headers(response, 1)


def raising(error):
    def fail(*arguments, **options):
        raise error

    return fail


def test_a_304_is_given_back_with_a_tag_and_by_head_too(client, ask):
    client.load(account(), record())
    tag = ask().headers["ETag"]
    for method in ("GET", "HEAD"):
        for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            response = ask(method=method, If_None_Match=known)
            assert response.status_int == 304
            assert_bucket(response, 1)
    assert_bucket(ask(If_None_Match='"x"'), 2)


def test_a_304_on_the_internal_surface_makes_room_in_both_windows(service, ask_internally):
    ask = ask_internally
    assert ask.passed(99) == 99
    for _ in range(100):
        assert ask.status(If_None_Match="*") == 304
    assert ask.status() == 200
    assert ask.status(If_None_Match="*") == 429


def test_304s_are_free_up_to_20_a_second_and_charged_past_that(service, client, ask):
    """Before: as many as one liked cost nothing, on both surfaces."""
    internally = Asking(service, {"Authorization": f"Bearer {service.jwt(client.user)}"})
    internally.path = "/internal/v1/get-records"
    for asking, limit in ((ask, CAPACITY), (internally, 100)):

        def cost(requests, asking=asking):
            """What is left after each of so many 304s."""
            answers = [asking(If_None_Match="*") for _ in range(requests)]
            assert {answer.status_int for answer in answers} == {304}
            assert not any("Retry-After" in answer.headers for answer in answers)
            return [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers]

        # Five seconds' worth at once.
        assert cost(100) == [limit] * 100
        assert cost(3) == [limit - 1, limit - 2, limit - 3]
        service.clock.advance(1)
        assert cost(21) == [limit - 3] * 20 + [limit - 4]
        # Another token, or user, has free ones of its own.
        other = service.client()
        assert other.get("labels", headers={"If-None-Match": "*"}).status_int == 304
        assert other.get("labels").headers["X-RateLimit-Remaining"] == "499"
        assert cost(limit - 4) == list(range(limit - 5, -1, -1))
        assert_429(asking(If_None_Match="*"), 7 if asking is ask else 59)
        # What is free is saved up while nothing else is left, and is of no use then.
        service.clock.advance(6)
        assert_429(asking(If_None_Match="*"), 1 if asking is ask else 53)


def test_with_nothing_left_there_is_no_304_either(client, ask):
    client.load(label())
    tag = ask("/v1/api/labels").headers["ETag"]
    assert ask.passed(CAPACITY) == CAPACITY - 1
    for known in (tag, "*"):
        assert_429(ask("/v1/api/labels", If_None_Match=known), 8)
    head = ask("/v1/api/labels", If_None_Match=tag, method="HEAD")
    assert (head.status_int, head.body, head.headers["Retry-After"]) == (429, b"", "8")


def test_asking_for_the_usage_costs_nothing_and_always_answers(service, ask):
    for _ in range(5):
        assert_bucket(ask(STATS), 0)
        assert_bucket(ask(STATS, "HEAD"), 0)
        assert_bucket(ask("/v1/api/api-usage/st%61ts"), 0)
    ask.exhaust()
    for _ in range(5):
        response = ask(STATS)
        assert response.status_int == 200
        assert_bucket(response, CAPACITY)
        assert response.json["rateLimit"] == {
            "limit": 500,
            "remaining": 0,
            "resetAt": "2026-03-18T13:00:00Z",
        }
    for path, method, headers, status in (
        (f"{STATS}?period=0days", "GET", {}, 400),
        (STATS, "POST", {}, 405),
        (STATS, "GET", {"Accept": "text/csv"}, 406),
        (f"{STATS}/", "GET", {}, 429),
        (f"{STATS}/x", "GET", {}, 429),
    ):
        assert (path, ask.status(path, method, **headers)) == (path, status)


def test_usage_is_free_up_to_20_a_second_and_charged_past_that(service, ask):
    """Before: as many as one liked cost nothing, and all of them were answered."""
    assert [ask(STATS).headers["X-RateLimit-Remaining"] for _ in range(100)] == ["500"] * 100
    charged = ask(STATS)
    assert_bucket(charged, 1)
    assert charged.json["rateLimit"]["remaining"] == 499
    # A 304 is not free then, either.
    assert_bucket(ask(If_None_Match="*"), 2)
    assert ask.passed(CAPACITY) == CAPACITY - 2
    assert_429(ask(STATS), 8)
    service.clock.advance(1)
    assert [ask.status(STATS) for _ in range(21)] == [200] * 20 + [429]
    assert ask.status() == 429


@pytest.mark.parametrize("free", ["1", "7"])
def test_what_is_free_is_a_setting(new_settings, free):
    settings = {"finance_api.ratelimit.free": free}
    service = Service("memory", {**new_settings("memory"), **USUAL_LIMITS, **settings})
    ask = Asking(service, service.client().headers)
    assert [ask.status(If_None_Match="*") for _ in range(5 * int(free))] == [304] * 5 * int(free)
    assert_bucket(ask(If_None_Match="*"), 1)
    service.stop()


def test_a_refusal_comes_before_every_other_fault_but_401(service, client, ask):
    ask.exhaust()
    for path, method, headers in (
        ("/v1/api/records?limit=0", "GET", {}),
        ("/v1/api/records?access_token=x", "GET", {}),
        ("/v1/api/nothing", "GET", {}),
        ("/v1/api/records", "POST", {}),
        ("/v1/api/records", "GET", {"Accept": "image/png"}),
    ):
        assert_429(ask(path, method, **headers), 8)
    service.change(lambda s: s.users.update(client.user.id, premium=False))
    assert_429(ask(), 8)
    assert ask.status(Authorization="Bearer x") == 401
    assert ask.status(Authorization="") == 401
    (token,) = service.change(lambda s: s.tokens.list_by_user(client.user.id))
    service.change(lambda s: s.tokens.revoke(token.id, service.clock.now()))
    assert ask.status() == 401


def test_an_exhausted_token_that_has_expired_is_401(service):
    client = service.client(expires_in_days=1)
    ask = Asking(service, client.headers)
    service.clock.advance(86_399)
    ask.exhaust()
    service.clock.advance(1)
    assert ask.status() == 401


def test_an_exhausted_user_who_is_disabled_is_401(service, client, ask, ask_internally):
    ask.exhaust()
    assert ask_internally.passed(101) == 100
    service.change(lambda s: s.users.update(client.user.id, enabled=False))
    assert ask.status() == ask_internally.status() == 401


def test_no_401_tells_of_a_quota(ask):
    response = ask(Authorization="Bearer x")
    assert response.status_int == 401
    assert not [name for name in RATE_HEADERS if name in response.headers]


def test_health_is_never_counted_or_refused(service, ask):
    ask.exhaust()
    for path in ("/__lbheartbeat__", "/__heartbeat__", "/__version__"):
        response = ask(path)
        assert response.status_int == 200
        assert not [name for name in RATE_HEADERS if name in response.headers]


def test_an_answer_that_is_a_page_of_data_says_in_every_form_what_is_left(client, ask):
    client.load(label(1), label(2))
    for used, accept in enumerate(("application/json", "text/csv", "application/x-ndjson"), 1):
        response = ask("/v1/api/labels?limit=1&withTotal=true", Accept=accept)
        assert response.content_type == accept
        assert_bucket(response, used)


def test_limits_are_settings_and_several_may_hold_at_once(new_settings):
    settings = {
        "finance_api.ratelimit.public": "3/minute, 5/hour",
        "finance_api.ratelimit.internal": "2/second",
    }
    service = Service("memory", {**new_settings("memory"), **settings})
    client = service.client()
    ask = Asking(service, client.headers)
    assert ask.passed(4) == 3
    assert parameters(ask().headers["RateLimit-Policy"]) == {
        "minute": {"q": 3, "w": 60},
        "hour": {"q": 5, "w": 3600},
    }
    service.clock.advance(60)
    assert ask.passed(4) == 2
    # An hour's fifth is 720 seconds, of which 60 have passed.
    assert_429(ask(), 660)
    service.clock.advance(659)
    assert ask.status() == 429
    service.clock.advance(1)
    assert ask.status() == 200
    assert [client.internal("get-records").status_int for _ in range(3)] == [200, 200, 429]
    service.clock.advance(1)
    assert client.internal("get-records").status_int == 200
    service.stop()
