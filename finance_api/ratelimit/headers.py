"""Rate limit headers: ``X-RateLimit-*``, and those of draft-ietf-httpapi-ratelimit-headers."""

from functools import lru_cache

from finance_api.ratelimit.limits import Decision, Limit


def rate_headers(decision: Decision) -> dict[str, str]:
    """``X-RateLimit-*`` are of the limit with the fewest requests left, the others of all limits.

    X-RateLimit-Reset: seconds until all requests are available again. ``t`` in RateLimit: until
    one more request is.
    """
    tightest = decision.tightest
    levels = decision.levels
    states = [f'"{le.limit.name}";r={le.remaining};t={_seconds(le.next_ms)}' for le in levels]
    headers = {
        "X-RateLimit-Limit": str(tightest.limit.count),
        "X-RateLimit-Remaining": str(tightest.remaining),
        "X-RateLimit-Reset": str(_seconds(tightest.full_ms)),
        "RateLimit-Policy": _policy(tuple([level.limit for level in levels])),
        "RateLimit": ", ".join(states),
    }
    if not decision.allowed:
        headers["Retry-After"] = str(decision.retry_after_seconds)
    return headers


@lru_cache
def _policy(limits: tuple[Limit, ...]) -> str:
    return ", ".join(f'"{one.name}";q={one.count};w={one.window_seconds}' for one in limits)


def _seconds(milliseconds: int) -> int:
    """Whole seconds, rounded up."""
    return -(-milliseconds // 1000)
