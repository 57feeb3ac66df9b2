"""Quotas of a token and a user: the exact number of requests, and when more are allowed."""

from finance_api.auth.personal_tokens import issue_token
from support.rate_limits import Asking, assert_429, assert_bucket, assert_windows, parameters

# -- the public surface: a token bucket ------------------------------------------------------------


def test_exactly_500_of_1000_requests_of_a_token_pass(ask):
    statuses = [ask.status() for _ in range(1000)]
    assert statuses == [200] * 500 + [429] * 500


def test_waiting_for_retry_after_is_enough_and_a_second_less_is_not(service, ask):
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


def test_another_token_of_the_same_user_has_a_bucket_of_its_own(service, client, ask):
    ask.exhaust()
    now = service.clock.now()
    second = service.change(lambda s: issue_token(s, client.user, name="second", now=now))
    other = Asking(service, {"Authorization": f"Bearer {second}"})
    assert_bucket(other(), 1)
    assert Asking(service, service.client().headers).status() == 200
    assert ask.status() == 429


# -- the internal surface: sliding windows ---------------------------------------------------------


def test_the_1001st_request_of_an_hour_is_refused_until_the_exact_second(service, ask_internally):
    ask = ask_internally
    for minute in range(10):
        service.clock.set(f"2026-03-18T12:{minute:02}:00Z")
        assert ask.passed(110) == 100
    service.clock.set("2026-03-18T12:10:00Z")
    refused = ask()
    assert_429(refused, 3_000)
    # The limit of the minute allows requests again; that of the hour does not.
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
    # 901 of the hour's requests are used: 99 are left, and 100 of the minute's.
    service.clock.set("2026-03-18T12:10:00Z")
    first = ask()
    assert first.headers["X-RateLimit-Limit"] == "1000"
    assert first.headers["X-RateLimit-Remaining"] == "98"
    assert first.headers["X-RateLimit-Reset"] == "3600"
    # The oldest requests of the hour come back first.
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
