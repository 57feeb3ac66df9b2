"""Errors as Wallet has them, ``{"error": …}`` or plain text; and further headers of all answers."""

from typing import Any

import orjson
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.api.representation import JSON
from finance_api.http.problem import CONTENT_TYPE
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import WALLET
from finance_api.ratelimit.tween import taken_from_quota

_SENTENCES = {
    401: "Invalid or expired token",
    429: "Rate limit exceeded. Please try again later.",
    500: "Internal Error",
}
_HOUR_SECONDS = 3_600


def wallet_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        if not request.environ["PATH_INFO"].startswith(f"{WALLET}/"):
            return handler(request)
        response = handler(request)
        if response.content_type == CONTENT_TYPE:
            _rewrite(response)
        # Those of the rate limit are set later, too.
        request.add_response_callback(_add_hourly)
        return response

    return tween


def _rewrite(response: Response) -> None:
    body = error_body(response.status_int, orjson.loads(response.body))
    if isinstance(body, str):
        response.content_type, response.charset = "text/plain", "utf-8"
        response.text = body
    else:
        response.content_type = JSON.content_type
        response.body = orjson.dumps(body)


def error_body(status: int, problem: dict[str, Any]) -> str | dict[str, Any]:
    """A sentence, or an object with one, in place of a problem document."""
    if status == 403:
        return str(problem["detail"])
    sentence = _SENTENCES.get(status, problem["detail"])
    faults = problem.get("errors")
    if faults:
        sentence = f"{faults[0]['name']} {faults[0]['message']}"
    return {**problem, "error": sentence}


def _add_hourly(request: Request, response: Response) -> None:
    taken = taken_from_quota(request)
    if taken is not None and taken.tightest.limit.window_seconds != _HOUR_SECONDS:
        return
    response.headerlist += [
        (f"{name}-Hour", value)
        for name, value in response.headerlist
        if name in ("X-RateLimit-Limit", "X-RateLimit-Remaining")
    ]
