"""Wallet's headers and errors: ``{"error": …}`` or plain text; and their OpenAPI description."""

from dataclasses import replace
from functools import partial
from typing import Any

import orjson
from cornice import Service
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.document import PERSONAL_TOKEN, Surface, an_example
from finance_api.api.openapi.problems import PROBLEM
from finance_api.api.openapi.responses import OF_DATA, Header
from finance_api.api.openapi.schemas import Schema, of_members, value
from finance_api.api.ops import DESCRIPTION, description, respond_with_description
from finance_api.api.rendering import HeaderItems
from finance_api.http.errors import CONTENT_TYPE
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import WALLET
from finance_api.ratelimit.tween import taken_from_quota
from finance_api.serialization.formats import JSON
from finance_api.storage.interface import DataState
from finance_api.wallet.shapes import moment

#: Headers of every response to a request with a token.
OF_TOKEN = tuple(
    Header(f"{name}-Hour", f"The same as {name}, if the limit is per hour.", example, always=False)
    for name, example in (("X-RateLimit-Limit", "500"), ("X-RateLimit-Remaining", "499"))
)
#: Examples of the headers about the state of the data, which only lists have.
_STATE = {"X-Last-Data-Change-At": "2026-01-31T10:00:00.000Z", "X-Last-Data-Change-Rev": "r17"}
OF_LIST = (
    *(replace(each, example=_STATE.get(each.name, each.example)) for each in OF_DATA),
    Header("X-Sync-In-Progress", "Always false.", "false"),
)
#: Headers of other answers about the user's data.
OF_OTHERS = tuple(header for header in OF_DATA if header.name not in _STATE)


def state_headers(state: DataState) -> HeaderItems:
    """Return the headers of lists. A synchronisation is never in progress."""
    return (
        ("X-Last-Data-Change-At", moment(state.changed_at) or ""),
        ("X-Last-Data-Change-Rev", f"r{state.revision}"),
        ("X-Sync-In-Progress", "false"),
    )


_SENTENCES = {
    401: "Invalid or expired token",
    429: "Rate limit exceeded. Please try again later.",
    500: "Internal Error",
}


def wallet_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        if not request.environ["PATH_INFO"].startswith(f"{WALLET}/"):
            return handler(request)
        response = handler(request)
        if response.content_type == CONTENT_TYPE:
            _rewrite(response)
        # Another callback, which was added earlier, sets the headers of the rate limit.
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
    """Return a sentence, or an object with a sentence, in place of a problem document."""
    if status == 403:
        return str(problem["detail"])
    sentence = _SENTENCES.get(status, problem["detail"])
    if faults := problem.get("errors"):
        sentence = f"{faults[0]['name']} {faults[0]['message']}"
    return {**problem, "error": sentence}


def _add_hourly(request: Request, response: Response) -> None:
    taken = taken_from_quota(request)
    if taken is not None and taken.tightest.limit.window_seconds != 3_600:
        return
    response.headerlist += [
        (f"{name}-Hour", value)
        for name, value in response.headerlist
        if name in ("X-RateLimit-Limit", "X-RateLimit-Remaining")
    ]


_ERROR: Schema = of_members(
    "Error",
    {
        **PROBLEM["properties"],
        "error": value("Description of the error.", "limit must be at most 200"),
    },
    PROBLEM["required"],
)


def _error_content(status: int, problem: dict[str, Any]) -> dict[str, Any]:
    body = error_body(status, problem)
    if isinstance(body, str):
        return {"text/plain": {"schema": {"type": "string"}, **an_example(body)}}
    return {JSON.media_type: {"schema": _ERROR, **an_example(body)}}


SURFACE = Surface(
    title="finance_api: Wallet-compatible representation",
    about=(
        "The public API in the form of the hosted Wallet REST API; from an independent "
        "project. Read-only. Without recordDate or id, the list of records covers only the "
        "last 3 months, and states this in appliedRecordDateFilters."
    ),
    version="2.0.0",
    prefixes=(f"{WALLET}/",),
    scheme=PERSONAL_TOKEN,
    headers=OF_TOKEN,
    problem_content=_error_content,
)
openapi = Service("wallet.openapi", "/wallet/openapi", f"This description: {SURFACE.title}.")


@openapi.get(
    permission=NO_PERMISSION_REQUIRED, answer=partial(description, SURFACE), response=DESCRIPTION
)
def get_openapi(request: Request) -> Response:
    return respond_with_description(request)
