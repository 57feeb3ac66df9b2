"""Rate limiting: answers 429, and sets the headers about limits.

The tween comes after the request limits and before the 401. Failed authentications are counted by
client address.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pyramid.httpexceptions import HTTPException
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.errors import problem
from finance_api.http.identity import Failure, Identity
from finance_api.http.requests import Handler, Request, client_address
from finance_api.http.surfaces import INTERNAL_SURFACE, LINKS, USAGE_PATHS, needs_credential
from finance_api.ratelimit.interface import Decision, Limit
from finance_api.ratelimit.quotas import Quotas
from finance_api.runtime.time_limit import TookTooLong
from finance_api.values.time import instant_text

#: Surface -> the name of its credential in metrics. On the other surfaces it is "token".
_CREDENTIALS = ((INTERNAL_SURFACE, "jwt"), (LINKS, "link"))
_TAKEN = "finance_api.ratelimit.taken"


def quotas_of(request: Request) -> Quotas:
    quotas: Quotas = request.registry.services.quotas
    return quotas


def quota_of(request: Request) -> dict[str, Any]:
    """Return the document about what is left of the client's quota."""
    now_ms = request.services.clock.now_ms()
    level = quotas_of(request).peek(request.identity, now_ms).tightest
    return {
        "limit": level.limit.count,
        "remaining": level.remaining,
        "resetAt": instant_text(-(-(now_ms + level.full_ms) // 1000)),
    }


def taken_from_quota(request: Request) -> Decision | None:
    """Return the decision that took this request from the quota of its token or user."""
    taken: Decision | None = request.environ.get(_TAKEN)
    return taken


def ratelimit_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        if not needs_credential(request.environ["PATH_INFO"]):
            return handler(request)
        found, quotas = request.authentication, quotas_of(request)
        now_ms = request.services.clock.now_ms()
        if isinstance(found, Failure):
            path = request.environ["PATH_INFO"]
            credential = next((c for start, c in _CREDENTIALS if path.startswith(start)), "token")
            request.services.metrics.authentication_failures(credential, found.value).inc()
            decision = quotas.take_failure(client_address(request), now_ms)
            if not decision.allowed:
                raise _too_many(decision, _FAILURES)
            # The next tween answers 401.
            return handler(request)
        is_free = request.environ["PATH_INFO"] in USAGE_PATHS
        decision = quotas.take(found, now_ms, is_free=is_free)
        if not decision.allowed:
            raise _too_many(decision, _REQUESTS)
        request.environ[_TAKEN] = decision
        request.add_response_callback(_settled(found))
        return handler(request)

    def _settled(identity: Identity) -> Callable[[Request, Response], None]:
        """Return a callback that sets the headers and refunds requests that should not count.

        A 5xx does not count if it is the service's fault, nor a 304 or 429 while free requests are
        left. HEAD, and a part of a body, count as much of the whole's cost as they send.
        """

        def settle(request: Request, response: Response) -> None:
            decision = taken_from_quota(request)
            assert decision is not None
            status = response.status_int
            quotas, now_ms = quotas_of(request), request.services.clock.now_ms()
            is_free = status in (304, 429)
            # A 5xx is the service's fault unless the request ran out of time.
            if is_free or (status >= 500 and not isinstance(request.exception, TookTooLong)):
                decision = quotas.refund(identity, decision, now_ms, is_free=is_free)
            elif (cost := _cost_of_what_is_sent(request, response, decision.taken)) is not None:
                decision = quotas.take_instead(identity, decision, cost, now_ms, is_free=False)
                request.environ[_TAKEN] = decision
            headers = rate_headers(decision)
            # This tween has allowed the request. Whatever refuses it later sets Retry-After.
            headers.pop("Retry-After", None)
            response.headerlist.extend(headers.items())

        return settle

    return tween


#: This many rows of an export cost one request of the quota; an export costs up to `MAX_COST`.
ROWS_OF_A_REQUEST = 1_000
MAX_COST = 250


def cost_of_rows(rows: int) -> int:
    """Return how many requests of the quota an export costs."""
    return min(MAX_COST, 1 + -(-rows // ROWS_OF_A_REQUEST))


def _cost_of_what_is_sent(request: Request, response: Response, whole: int) -> int | None:
    """Return what HEAD, 206 and 416 cost if the whole costs more than 1; None for all others."""
    if whole > 1 and (request.method == "HEAD" or response.status_int == 416):
        return 1
    if whole > 1 and response.status_int == 206:
        start, stop, length = map(int, response.content_range)
        return -(-whole * (stop - start) // length)
    return None


def take_for_rows(request: Request, rows: int, what: str) -> None:
    """Take what the rows cost from the quota, instead of one request. Raises a 429 about ``what``.

    HEAD and parts get most of it back once their length is known, so that nothing is made for a
    quota that may not cover it. Pages and commands have no quota.
    """
    number = cost_of_rows(rows)
    quotas, identity = quotas_of(request), request.known_identity
    taken, now_ms = taken_from_quota(request), request.services.clock.now_ms()
    if identity is None or taken is None:
        return
    decision = request.environ[_TAKEN] = quotas.take_instead(identity, taken, number, now_ms)
    if not decision.allowed:
        seconds, left = decision.retry_after_seconds, decision.tightest.remaining
        detail = f"{what} costs {number} requests, more than the {left} left; "
        detail += f"please try again in {seconds} seconds, or ask for less."
        raise problem(429, detail, headers={"Retry-After": str(seconds)})


def refund(request: Request) -> None:
    """Refund the requests taken from the quota, after the response has begun."""
    identity, now_ms = request.known_identity, request.services.clock.now_ms()
    taken = taken_from_quota(request)
    if identity is not None and taken is not None:
        quotas_of(request).refund(identity, taken, now_ms, is_free=False)


_REQUESTS = "Too many requests; please try again in {} seconds."
_FAILURES = "Too many requests without a valid token; please try again in {} seconds."


def _too_many(decision: Decision, detail: str) -> HTTPException:
    seconds = decision.retry_after_seconds
    return problem(429, detail.format(seconds), headers=rate_headers(decision))


def rate_headers(decision: Decision) -> dict[str, str]:
    """Return the headers about limits.

    ``X-RateLimit-*`` describe the limit with the fewest requests left, the other headers all
    limits. X-RateLimit-Reset: seconds until all requests are available again. ``t`` in
    RateLimit: seconds until one more request is available.
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
    """Return whole seconds, rounded up."""
    return -(-milliseconds // 1000)
