"""Which requests count against a limit, and what headers and a 429 say about the limit."""

from dataclasses import replace

import pytest

from finance_api.runtime.response_cache import ResponseCache
from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Token
from finance_api.storage.memory.data import MemoryData
from support.locks import locked
from support.native_rows import account, label, record
from support.rate_limits import (
    CAPACITY,
    RATE_HEADERS,
    STATS,
    Asking,
    assert_429,
    assert_bucket,
    assert_windows,
    parameters,
)
from support.service import USUAL_LIMITS, Service


def test_every_answer_to_a_token_states_what_is_left(ask):
    used = 0
    for path, method, headers, status in (
        ("/v1/api/records", "GET", {}, 200),
        ("/v1/api/records", "HEAD", {}, 200),
        ("/v1/api/records?limit=1&withTotal=true", "GET", {"Accept": "text/csv"}, 200),
        ("/v1/api/records", "GET", {"Accept": "application/x-ndjson"}, 200),
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


def test_every_answer_to_a_json_web_token_states_what_is_left(ask_internally):
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


def test_what_a_token_may_not_read_is_reported_and_counted_too(service):
    poor, narrow = service.client(premium=False), service.client(scopes=["labels"])
    for client, word in ((poor, "premium"), (narrow, "scope")):
        ask = Asking(service, client.headers)
        for used in (1, 2):
            response = ask()
            assert response.status_int == 403
            assert word in response.json["detail"]
            assert_bucket(response, used)


@pytest.mark.parametrize(
    ("error", "status", "cost"),
    [
        (RuntimeError("nobody may read this"), 500, 0),
        (StorageUnavailable("nobody may read this"), 503, 0),
        (TookTooLong(), 503, 1),
    ],
)
def test_what_went_wrong_here_is_refunded_except_after_the_time_limit(
    service, ask, ask_internally, monkeypatch, error, status, cost
):
    # A cached response would not need the storage.
    uncached = replace(service.services, response_cache=ResponseCache(0))
    monkeypatch.setattr(service.app.registry, "services", uncached)
    for asking, assert_headers in ((ask, assert_bucket), (ask_internally, assert_windows)):
        assert_headers(asking(), 1)
        with monkeypatch.context() as patch:
            patch.setattr(MemoryData, "list_rows", raising(error))
            for number in range(1, 6):
                response = asking()
                assert response.status_int == status
                assert "nobody" not in response.text
                assert_headers(response, 1 + number * cost)
        assert_headers(asking(), 2 + 5 * cost)


def test_a_query_that_postgresql_ends_is_charged(new_settings):
    settings = new_settings("postgresql")
    limit = {"sqlalchemy.statement_seconds": "1"}
    service = Service("postgresql", {**settings, **USUAL_LIMITS, **limit})
    client = service.client()
    jwt = {"Authorization": f"Bearer {service.jwt(client.user)}"}
    with locked(settings["sqlalchemy.url"], "budgets"):
        for headers, path, assert_headers in (
            (client.headers, "/v1/api/budgets", assert_bucket),
            (jwt, "/internal/v1/get-docs?document_type=Budget", assert_windows),
        ):
            response = Asking(service, headers)(path)
            assert response.status_int == 503
            assert_headers(response, 1)
    service.stop()


def raising(error):
    def fail(*arguments, **options):
        raise error

    return fail


def test_a_304_is_refunded_with_a_tag_and_by_head_too(client, ask):
    client.load(account(), record())
    tag = ask().headers["ETag"]
    for method in ("GET", "HEAD"):
        for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            response = ask(method=method, If_None_Match=known)
            assert response.status_int == 304
            assert_bucket(response, 1)
    assert_bucket(ask(If_None_Match='"x"'), 2)


def test_304s_are_free_up_to_20_a_second_and_charged_past_that(service, client, ask):
    internally = Asking(service, {"Authorization": f"Bearer {service.jwt(client.user)}"})
    internally.path = "/internal/v1/get-records"
    for asking, limit in ((ask, CAPACITY), (internally, 100)):

        def cost(requests, asking=asking):
            """Send this many requests that get a 304. Return what is left after each."""
            answers = [asking(If_None_Match="*") for _ in range(requests)]
            assert {answer.status_int for answer in answers} == {304}
            assert not any("Retry-After" in answer.headers for answer in answers)
            return [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers]

        # Five seconds' worth of free requests can come at once.
        assert cost(100) == [limit] * 100
        assert cost(3) == [limit - 1, limit - 2, limit - 3]
        service.clock.advance(1)
        assert cost(21) == [limit - 3] * 20 + [limit - 4]
        # Other tokens and users have their own free requests.
        other = service.client()
        assert other.get("labels", headers={"If-None-Match": "*"}).status_int == 304
        assert other.get("labels").headers["X-RateLimit-Remaining"] == "499"
        assert cost(limit - 4) == list(range(limit - 5, -1, -1))
        assert_429(asking(If_None_Match="*"), 7 if asking is ask else 59)
        # Free requests come back meanwhile, but are of no use while the quota is used up.
        service.clock.advance(6)
        assert_429(asking(If_None_Match="*"), 1 if asking is ask else 53)


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
    assert [ask(STATS).headers["X-RateLimit-Remaining"] for _ in range(100)] == ["500"] * 100
    charged = ask(STATS)
    assert_bucket(charged, 1)
    assert charged.json["rateLimit"]["remaining"] == 499
    # After that, a 304 is not free either.
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


def test_a_refusal_comes_before_every_other_fault_but_401(service, client, ask, ask_internally):
    client.load(label())
    tag = ask("/v1/api/labels").headers["ETag"]
    assert ask.passed(CAPACITY) == CAPACITY - 1
    for path, method, headers in (
        # With nothing left there is no 304 either.
        ("/v1/api/labels", "GET", {"If_None_Match": tag}),
        ("/v1/api/labels", "GET", {"If_None_Match": "*"}),
        ("/v1/api/records?limit=0", "GET", {}),
        ("/v1/api/records?access_token=x", "GET", {}),
        ("/v1/api/nothing", "GET", {}),
        ("/v1/api/records", "POST", {}),
        ("/v1/api/records", "GET", {"Accept": "image/png"}),
    ):
        assert_429(ask(path, method, **headers), 8)
    head = ask("/v1/api/labels", If_None_Match=tag, method="HEAD")
    assert (head.status_int, head.body, head.headers["Retry-After"]) == (429, b"", "8")
    service.change(lambda s: s.users.update(client.user.id, premium=False))
    assert_429(ask(), 8)
    assert ask_internally.passed(101) == 100
    # Health checks and 401s use no quota.
    refused = [ask(Authorization="Bearer x"), ask(Authorization="")]
    healthy = [ask(path) for path in ("/__lbheartbeat__", "/__heartbeat__", "/__version__")]
    (token,) = service.change(lambda s: s.users.list_owned(Token, client.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    service.change(lambda s: s.users.update(client.user.id, enabled=False))
    refused += [ask(), ask_internally()]
    assert [each.status_int for each in (*refused, *healthy)] == [401] * 4 + [200] * 3
    for response in (*refused, *healthy):
        assert not [name for name in RATE_HEADERS if name in response.headers]


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
