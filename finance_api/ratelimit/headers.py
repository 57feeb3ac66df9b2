"""What a client is told of its quota.

Beside the usual ``X-RateLimit-*`` the fields of draft-ietf-httpapi-ratelimit-headers.
"""

from finance_api.ratelimit.limits import Decision


def rate_headers(decision: Decision) -> dict[str, str]:
    """``X-RateLimit-*`` tell of the limit with the least left, the others of all limits.

    X-RateLimit-Reset: seconds until everything is available again. ``t`` in RateLimit: until one
    request more is.
    """
    tightest = decision.tightest
    policies, states = [], []
    for level in decision.levels:
        limit = level.limit
        policies.append(f'"{limit.name}";q={limit.count};w={limit.window_seconds}')
        states.append(f'"{limit.name}";r={level.remaining};t={_seconds(level.next_ms)}')
    headers = {
        "X-RateLimit-Limit": str(tightest.limit.count),
        "X-RateLimit-Remaining": str(tightest.remaining),
        "X-RateLimit-Reset": str(_seconds(tightest.full_ms)),
        "RateLimit-Policy": ", ".join(policies),
        "RateLimit": ", ".join(states),
    }
    if not decision.allowed:
        headers["Retry-After"] = str(decision.retry_after_seconds)
    return headers


def _seconds(milliseconds: int) -> int:
    """Whole seconds, rounded up."""
    return -(-milliseconds // 1000)
