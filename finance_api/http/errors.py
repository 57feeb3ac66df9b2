"""Error responses: problem documents (RFC 9457).

`problem` makes an error response to raise. The exception views respond to all other exceptions.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import NamedTuple

import orjson
from pyramid.config import Configurator
from pyramid.exceptions import PredicateMismatch
from pyramid.httpexceptions import HTTPException, HTTPMethodNotAllowed, status_map
from pyramid.response import Response

from finance_api.http.requests import Request
from finance_api.http.surfaces import DOCS, INDEX, near_path, route_patterns
from finance_api.runtime.bulkhead import BulkheadFull, DownloadRunning
from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage.errors import (
    StorageDamaged,
    StorageLocked,
    StorageNotReady,
    StorageUnavailable,
)

logger = logging.getLogger(__name__)

#: Retry-After while the storage is unavailable or busy.
STORAGE_RETRY_SECONDS = 2

#: Retry-After if the stored data is damaged.
DAMAGED_RETRY_SECONDS = 300

#: Retry-After while another download of the same user runs.
DOWNLOAD_RETRY_SECONDS = 10

BUSY = "The database is busy with other requests; please try again."
OWN_BUSY = "Your other requests are still running; please try again when they have finished."
LOCKED = "Another import or change is running; please try again when it has finished."
DAMAGED = (
    "Some of the data is damaged and cannot be read; only the operator of this service can "
    "repair it."
)
DOWNLOAD_RUNNING = (
    "Another download or upload of yours is running; please try again when it has finished."
)
TOO_LONG_TITLE = "Request took too long"
TOO_LONG = "This request took longer than {:g} s. {}"
#: What a request can ask for less of, and the parameters that limit it.
_LESS = {
    "fewer groups": {"groupBy"},
    "a shorter period": {"recordDate", "date_from", "from", "to", "days", "last"},
    "fewer records": {"id", "sort_by", "since", "document_type", "size"},
}
_FEWER_ORDERS = "remove standing orders that you do not need."
_FEWEST_ORDERS = _FEWER_ORDERS.capitalize()
_MORE_TIME = "Only the operator of this service can give it more time."
#: The paths whose answers search the days of standing orders.
_OF_ORDERS = re.compile("standing-orders|/forecast|/recurring|/overview")
UNEXPECTED = "Something went wrong; please report the request id {}."

NOT_FOUND = "There is nothing at this path."

_DETAILS = {
    404: NOT_FOUND,
    405: "Only GET and HEAD are allowed here.",
    503: "The database is unavailable; please try again.",
}

#: The exceptions that make the service refuse a request temporarily.
OUTAGES = (StorageUnavailable, StorageNotReady, TookTooLong, BulkheadFull, DownloadRunning)


class Outage(NamedTuple):
    """The response to one of `OUTAGES`. retry_seconds: Retry-After; None if retrying is useless."""

    detail: str
    retry_seconds: int | None = STORAGE_RETRY_SECONDS
    status: int = 503


_told_damage: set[str] = set()


def is_news(error: Exception) -> bool:
    """Return whether to log the error. A process logs the same damage only once."""
    if not isinstance(error, StorageDamaged):
        return True
    known = str(error) in _told_damage
    _told_damage.add(str(error))
    return not known


#: Headers of exceptions that are kept in the responses.
_KEPT = ("Allow", "Link", "Location", "Retry-After")


def problem(
    status: int,
    detail: str,
    *,
    title: str | None = None,
    errors: Iterable[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    **members: str | Sequence[str],
) -> HTTPException:
    """Make an exception to raise, or a response to return, with a problem document as its body.

    detail: one sentence. title: replaces the phrase of the status.
    errors: every fault, as ``{"in", "name", "message"}``.
    """
    error = status_map[status](headers=list((headers or {}).items()))
    error.content_type = CONTENT_TYPE
    error.charset = None
    error.body = problem_body(status, detail, errors, title=title, **members)
    error.headers["Cache-Control"] = "no-store"
    return error


def words_about(faults: Sequence[tuple[str, str]]) -> tuple[str, list[dict[str, str]]]:
    """Return the detail and the errors of a problem about parameters.

    faults: the name of each faulty parameter, and a message about it.
    """
    errors = [{"in": "query", "name": name, "message": message} for name, message in faults]
    first = f"{errors[0]['name']}: {errors[0]['message']}"
    if len(errors) > 1:
        first += f" (and {len(errors) - 1} more)"
    return first, errors


def as_problem(error: HTTPException, request: Request) -> Response:
    """Respond to an exception of Pyramid or Cornice, and keep some of its headers."""
    if isinstance(error, PredicateMismatch):
        error = HTTPMethodNotAllowed(headers={"Allow": "GET, HEAD"})
    if error.status_int == 404:
        # Link to the entry points for programs and for people (RFC 8631).
        base = request.script_name
        links = {INDEX: "index", DOCS: "service-doc"}.items()
        patterns = route_patterns(request.registry)
        error.headers["Link"] = ", ".join(
            f'<{base}{path}>; rel="{relation}"' for path, relation in links if path in patterns
        )
    if error.content_type == CONTENT_TYPE:
        return error
    detail = _DETAILS.get(error.status_int) or error.explanation or error.title
    if error.status_int == 404:
        meant = near_path(request.registry, request.environ["PATH_INFO"])
        if meant is not None:
            detail = f"{detail.rstrip('.')}; did you mean {request.script_name}{meant}?"
    headers = {k: v for k, v in error.headers.items() if k in _KEPT}
    return problem(error.status_int, detail, headers=headers)


def _advice(request: Request) -> str:
    """Return how the request would take less time."""
    *others, last = [what for what, names in _LESS.items() if names & set(request.accepted)] or [""]
    asking = f"Ask for {', '.join(others)}{' or ' if others else ''}{last}." if last else ""
    if not _OF_ORDERS.search(request.environ["PATH_INFO"]):
        return asking or _MORE_TIME
    return f"{asking} If it cannot ask for less, {_FEWER_ORDERS}" if asking else _FEWEST_ORDERS


def outage_of(error: Exception, request: Request) -> Outage:
    """Log an exception of `OUTAGES`, and return the response to it."""
    if isinstance(error, BulkheadFull):
        return Outage(OWN_BUSY if error.is_own else BUSY)
    if isinstance(error, DownloadRunning):
        return Outage(DOWNLOAD_RUNNING, DOWNLOAD_RETRY_SECONDS, status=429)
    if isinstance(error, TookTooLong):
        logger.warning("time limit: a request %s", error)
        # The same request would take as long again.
        return Outage(TOO_LONG.format(error.seconds, _advice(request)), None)
    if isinstance(error, StorageLocked):
        logger.warning("storage: %s", error)
        return Outage(LOCKED)
    if is_news(error):
        logger.error("storage: %s", error)
    if isinstance(error, StorageDamaged):
        return Outage(DAMAGED, DAMAGED_RETRY_SECONDS)
    return Outage(_DETAILS[503])


def unavailable(error: Exception, request: Request) -> Response:
    outage = outage_of(error, request)
    retry = {} if outage.retry_seconds is None else {"Retry-After": str(outage.retry_seconds)}
    title = TOO_LONG_TITLE if isinstance(error, TookTooLong) else None
    return problem(outage.status, outage.detail, title=title, headers=retry)


def unexpected(error: Exception, request: Request) -> Response:
    """Return a 500 with the request id, under which the error is logged."""
    request_id = log_unexpected(error, request)
    return problem(500, UNEXPECTED.format(request_id), requestId=request_id)


def log_unexpected(error: Exception, request: Request) -> str:
    """Log the error's type and traceback, and return the request id.

    The error's message is not logged, as it may contain data of the user.
    """
    logger.error("unexpected %s", type(error).__name__, exc_info=error)
    return request.request_id


def includeme(config: Configurator) -> None:
    config.add_exception_view(as_problem, context=HTTPException)
    for error in OUTAGES:
        config.add_exception_view(unavailable, context=error)
    config.add_exception_view(unexpected, context=Exception)


CONTENT_TYPE = "application/problem+json"

#: Up to this many faults of a request are listed.
_LISTED = 20


def problem_body(
    status: int,
    detail: str,
    errors: Iterable[Mapping[str, str]] = (),
    *,
    title: str | None = None,
    **members: str | Sequence[str],
) -> bytes:
    """Return the JSON text of a problem.

    detail: one sentence for a person; it is repeated as ``error``, which older clients read.
    errors: ``{"in", "name", "message"}`` for each fault of the request. If there are many, only the
    first are listed, and ``moreErrors`` is the number of the rest.
    title: replaces the phrase of the status. members: further members of the document.
    """
    document: dict[str, object] = {
        "type": "about:blank",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "error": detail,
    }
    faults = list(errors)
    if faults:
        document["errors"] = faults[:_LISTED]
    if len(faults) > _LISTED:
        document["moreErrors"] = len(faults) - _LISTED
    document.update(members)
    return orjson.dumps(document)


def with_member(body: bytes, name: str, value: str) -> bytes:
    """Return the JSON text of a problem with a further member at its end."""
    return orjson.dumps({**orjson.loads(body), name: value})
