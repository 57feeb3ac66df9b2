"""Errors as the client sees them: problem documents (RFC 9457), whatever went wrong.

`problem` makes one to be raised; the exception views make one of everything else.
"""

import logging
from collections.abc import Iterable, Mapping

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException, status_map
from pyramid.response import Response

from finance_api.problem import CONTENT_TYPE, problem_body
from finance_api.requests import Request
from finance_api.storage.errors import StorageNotReady, StorageUnavailable

logger = logging.getLogger(__name__)

#: When a client may ask again while the storage is away.
STORAGE_RETRY_SECONDS = 2

UNEXPECTED = "Something went wrong; please report the request id {}."

_DETAILS = {
    404: "There is nothing at this path.",
    405: "Only GET and HEAD are allowed here.",
    503: "The database is unavailable; please try again.",
}


def problem(
    status: int,
    detail: str,
    *,
    errors: Iterable[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    **members: str,
) -> HTTPException:
    """An exception to raise (or a response to return) with a problem document as its body.

    detail: one sentence. errors: every fault, as ``{"in", "name", "message"}``.
    """
    error = status_map[status](headers=list((headers or {}).items()))
    error.content_type = CONTENT_TYPE
    error.charset = None
    error.body = problem_body(status, detail, errors, **members)
    error.headers["Cache-Control"] = "no-store"
    error.headers["X-Content-Type-Options"] = "nosniff"
    return error


def as_problem(error: HTTPException, request: Request) -> Response:
    """Anything that Pyramid or Cornice raises, in our form; its headers stay."""
    if error.content_type == CONTENT_TYPE:
        return error
    detail = _DETAILS.get(error.status_int) or error.explanation or error.title
    kept = {k: v for k, v in error.headers.items() if k in ("Allow", "Location", "Retry-After")}
    return problem(error.status_int, detail, headers=kept)


def storage_unavailable(error: Exception, request: Request) -> Response:
    """503: nothing is known, so nothing is said; the client may try again."""
    logger.error("storage: %s", error)
    return problem(503, _DETAILS[503], headers={"Retry-After": str(STORAGE_RETRY_SECONDS)})


def unexpected(error: Exception, request: Request) -> Response:
    """500: the log has what happened, the client its request id."""
    request_id = log_unexpected(error, request)
    return problem(500, UNEXPECTED.format(request_id), requestId=request_id)


def log_unexpected(error: Exception, request: Request) -> str:
    """The request id, under which the log has where it went wrong.

    Without the message, which may hold what the user looked for.
    """
    logger.error("unexpected %s", type(error).__name__, exc_info=error)
    return request.request_id


def includeme(config: Configurator) -> None:
    config.add_exception_view(as_problem, context=HTTPException)
    config.add_notfound_view(as_problem)
    config.add_exception_view(storage_unavailable, context=StorageUnavailable)
    config.add_exception_view(storage_unavailable, context=StorageNotReady)
    config.add_exception_view(unexpected, context=Exception)
