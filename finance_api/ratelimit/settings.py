"""The settings of rate limits."""

from finance_api.ratelimit.interface import parse_limits
from finance_api.runtime.settings import Setting, integer, required_text, url


def _limit(name: str, default: str, meaning: str) -> Setting:
    return Setting(f"finance_api.ratelimit.{name}", parse_limits, default, "requests/unit", meaning)


SETTINGS = (
    _limit(
        "public",
        "500/hour",
        "Requests of a personal token, as a token bucket; units are second, minute, hour, day.",
    ),
    _limit(
        "internal",
        "100/minute, 1000/hour",
        "Requests of a user to the internal API, in sliding windows; all of them must pass.",
    ),
    _limit("links", "60/hour", "Requests to a link of a saved question, as a token bucket."),
    Setting(
        "finance_api.ratelimit.free",
        integer(1, 10_000),
        "20",
        "requests a second",
        "304s and requests for API usage that don't count against the quota of a token or user, "
        "as a token bucket of 5 seconds; once it is empty, they count.",
    ),
    _limit(
        "failed_auth",
        "30/minute",
        "Failed authentications from an address before it gets 429, as a token bucket.",
    ),
    _limit(
        "sign_in_account_address",
        "10/hour",
        "Failed sign-ins to the settings pages for an account from a client address, as a token "
        "bucket.",
    ),
    _limit(
        "sign_in_account",
        "100/hour",
        "Failed sign-ins for an account from all addresses together, as a token bucket.",
    ),
    _limit(
        "sign_in_address", "30/hour", "Failed sign-ins from a client address, as a token bucket."
    ),
    _limit(
        "sign_in_browser",
        "10/hour",
        "Failed sign-ins from a browser that has signed in to the account before, as a token "
        "bucket; the three limits above do not count these.",
    ),
    _limit(
        "password_change",
        "10/hour",
        "Wrong current passwords in a session when changing the password, as a token bucket.",
    ),
    Setting(
        "finance_api.ratelimit.backend",
        required_text,
        "memory",
        "memory, redis or a dotted name",
        "Where requests are counted: in each process, or in a shared Redis. A dotted name must be "
        "a function that takes the settings and returns a RateLimiter.",
    ),
    Setting(
        "finance_api.ratelimit.redis_url",
        url("@/#?"),
        "",
        "Redis URL",
        "Redis for the backend redis: redis://host:6379/0.",
        secret=True,
    ),
)
