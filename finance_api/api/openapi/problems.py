"""Descriptions of error responses: problem documents (RFC 9457)."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson

from finance_api.api.openapi.responses import Header
from finance_api.api.openapi.schemas import Schema, array_of, of_members, value
from finance_api.http.errors import NOT_FOUND, UNEXPECTED, problem_body
from finance_api.http.tweens import MAX_URL_BYTES
from finance_api.resources.common import EXAMPLE_ID

RETRY_AFTER = Header("Retry-After", "Seconds to wait before the next try.", "7")
_CHALLENGE = Header(
    "WWW-Authenticate", "The credentials needed (RFC 6750).", 'Bearer realm="finance_api"'
)
_INDEX = Header(
    "Link",
    "The index of the API and its reference (RFC 8631).",
    '</v1>; rel="index", </docs>; rel="service-doc"',
)

PROBLEM: Schema = of_members(
    "Problem",
    {
        "type": value("Always about:blank; the status identifies the problem.", "about:blank"),
        "title": value(
            "The name of the status, or a short description of the problem.", "Bad Request"
        ),
        "status": value("The status.", 400),
        "detail": value("The problem in one sentence.", "limit: is given 2 times"),
        "error": value("The same as detail.", "limit: is given 2 times"),
        "errors": array_of(
            of_members(
                "Fault",
                {
                    "in": value("The place of the fault: always query.", "query"),
                    "name": value("The parameter.", "limit"),
                    "message": value("The fault.", "is given 2 times"),
                },
            )
        ),
        "moreErrors": value("Number of faults that errors does not list.", 3),
        "partIds": array_of(value("A part of a record that was split.", EXAMPLE_ID)),
        "question": value("The name of a saved question with a fault.", "Groceries by month"),
        "questionId": value("Its identifier.", EXAMPLE_ID),
        "help": value(
            "Path of the guide's section about this status.",
            "/docs/guides/errors#400-bad-request",
            format="uri-reference",
        ),
        "requestId": value("The id to report an unexpected error with.", "4f1c2a9e"),
    },
    ["type", "title", "status", "detail", "error"],
)


@dataclass(frozen=True)
class Problem:
    """An error response. meaning: when it is sent. detail: an example of the sentence."""

    meaning: str
    detail: str
    headers: tuple[Header, ...] = ()

    def body(self, status: int) -> Any:
        """Return an example of the document."""
        name, _, message = self.detail.partition(": ")
        faults = [{"in": "query", "name": name, "message": message}] if status == 400 else []
        return orjson.loads(problem_body(status, self.detail, faults))


PROBLEMS: Mapping[int, Problem] = {
    400: Problem(
        "A parameter is unknown, repeated or has a wrong value; errors has all faults.",
        'limit: "1000" is not a whole number from 1 to 100',
    ),
    401: Problem("There is no valid token.", "The token is not valid.", (_CHALLENGE,)),
    403: Problem(
        "The token lacks a scope, or its user lacks premium.", "The token lacks the scope records."
    ),
    404: Problem("Nothing is at this path, or no object has this id.", NOT_FOUND, (_INDEX,)),
    406: Problem(
        "The Accept header excludes every available format.",
        "This is available as application/json; the Accept header excludes them.",
    ),
    409: Problem(
        "The address of the saved question is no longer valid: question names it, errors "
        "lists what to change. Or the data has changed since the page with this revision: start "
        "over.",
        'The question "Groceries by month" can no longer be answered: categry: there is no such '
        'parameter; did you mean "category"? Change its address.',
    ),
    410: Problem(
        "The change history does not reach back that far: start again with since=0. Or the record "
        "was split: partIds are the ids of its parts.",
        "since is older than the change history. Discard your copy and start again with since=0.",
    ),
    414: Problem("The URL is too long.", f"The URL is longer than {MAX_URL_BYTES} bytes."),
    416: Problem(
        "The part that Range asks for is behind the end of the body.",
        "The body has 4,711 bytes, and none where the requested range begins.",
        (Header("Content-Range", "The length of the whole body.", "bytes */4711"),),
    ),
    429: Problem(
        "The quota is used up.", "Too many requests; please try again in 7 seconds.", (RETRY_AFTER,)
    ),
    500: Problem("Something went wrong.", UNEXPECTED.format("4f1c2a9e")),
    503: Problem(
        "The database is unavailable or busy; or, without Retry-After, the request took too long.",
        "The database is unavailable; please try again.",
        (RETRY_AFTER,),
    ),
}


def name_of(status: int) -> str:
    """Return the name of the response in a description."""
    return HTTPStatus(status).phrase.title().replace(" ", "")
