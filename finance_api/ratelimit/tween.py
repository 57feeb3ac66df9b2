"""Rate limiting: 429, after the checks of `edge` and before the 401.

Failed authentications are counted by client address.
"""

from collections.abc import Callable

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.auth.identity import Failure, Identity
from finance_api.edge.proxies import client_address
from finance_api.errors import problem
from finance_api.ratelimit.headers import rate_headers
from finance_api.ratelimit.limits import Decision
from finance_api.requests import Handler, Request
from finance_api.storage.errors import StatementTimeout
from finance_api.surfaces import SURFACES, USAGE_PATH


def ratelimit_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        if not request.environ["PATH_INFO"].startswith(SURFACES):
            return handler(request)
        found, quotas = request.authentication, request.services.quotas
        now_ms = request.services.clock.now_ms()
        if isinstance(found, Failure):
            decision = quotas.take_failure(client_address(request), now_ms)
            # The 401 is made by the next tween.
            return handler(request) if decision.allowed else _too_many(decision, _FAILURES)
        is_free = request.environ["PATH_INFO"] == USAGE_PATH
        decision = quotas.take(found, now_ms, is_free=is_free)
        if not decision.allowed:
            return _too_many(decision, _REQUESTS)
        request.add_response_callback(_settled(found, decision))
        return handler(request)

    def _settled(identity: Identity, taken: Decision) -> Callable[[Request, Response], None]:
        """304 is given back while it is free, 5xx if it is the fault of the service."""

        def settle(request: Request, response: Response) -> None:
            decision = taken
            is_free = response.status_int == 304
            if is_free or _is_fault_of_the_service(request, response):
                quotas, now_ms = request.services.quotas, request.services.clock.now_ms()
                decision = quotas.give_back(identity, taken, now_ms, is_free=is_free)
            headers = rate_headers(decision)
            # This request was not refused, even if none is left.
            headers.pop("Retry-After", None)
            response.headerlist.extend(headers.items())

        return settle

    return tween


def _is_fault_of_the_service(request: Request, response: Response) -> bool:
    """Whether it failed, but for one that asked for more than its time limit allows."""
    return response.status_int >= 500 and not isinstance(request.exception, StatementTimeout)


_REQUESTS = "Too many requests; please try again in {} seconds."
_FAILURES = "Too many requests without a valid token; please try again in {} seconds."


def _too_many(decision: Decision, detail: str) -> Response:
    seconds = decision.retry_after_seconds
    return problem(429, detail.format(seconds), headers=rate_headers(decision))
