"""Sends requests up to a limit, and checks the headers about the limit."""

import re
from decimal import ROUND_CEILING, Decimal

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
        """Send ``count`` requests. Return how many got 200; all others must get 429."""
        statuses = [self.status() for _ in range(count)]
        assert set(statuses) <= {200, 429}
        return statuses.count(200)

    def exhaust(self):
        assert self.passed(CAPACITY + 1) == CAPACITY


def parameters(field):
    """Parse a header of the IETF draft as {name: {parameter: number}}, in its order."""
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
    """Check the headers for a token that has used this many requests of its capacity."""
    h = response.headers
    assert h["X-RateLimit-Limit"] == "500"
    assert h["X-RateLimit-Remaining"] == str(CAPACITY - used)
    assert h["X-RateLimit-Reset"] == str(ceiling(used * SECONDS_EACH))
    assert h["RateLimit-Policy"] == '"hour";q=500;w=3600'
    assert parameters(h["RateLimit"]) == {"hour": {"r": CAPACITY - used, "t": 8 if used else 0}}
    # Waiting does not help a request that asks for too much.
    must_wait = response.status_int in (429, 503) and "took longer" not in response.text
    assert ("Retry-After" in h) is must_wait


def assert_windows(response, used, *, t_minute=60, t_hour=3600):
    """Check the headers for a user who made ``used`` requests, all within this second."""
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
