"""Error pages, for browsers."""

import logging
import re
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import urlencode

from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken, PredicateMismatch
from pyramid.httpexceptions import HTTPException, HTTPMethodNotAllowed, HTTPNotFound
from pyramid.renderers import render_to_response
from pyramid.response import Response

from finance_api.http import errors
from finance_api.http.requests import Request
from finance_api.http.surfaces import LINKS, OVERVIEW, is_page
from finance_api.ratelimit.interface import LimiterUnavailable
from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage import errors as storage_errors
from finance_api.values.text import near_names
from finance_api.web import page as pages
from finance_api.web.kept_forms import carried_form, keep_of_ended_session, keep_of_older_session
from finance_api.web.object_pages import NAVIGATION
from finance_api.web.rendering import static_url, with_globals

#: Errors at these paths are problem documents, whatever the Accept header says.
_OF_PROGRAMS = re.compile("/(?:v1|wallet|internal)(?:/|$)|/__|/q$")

logger = logging.getLogger(__name__)

_TITLES = {
    400: "This request cannot be read",
    403: "Not allowed",
    404: "Page not found",
    405: "This cannot be done here",
    408: "This took too long",
    413: "This file is too large",
    415: "This form cannot be read",
    429: "Please try again",
    503: "Please try again",
}
_LINK_TITLES = {0: "This address has a wrong end", 404: "Unknown link", 410: "This link has ended"}
_DETAILS = {
    400: "Your browser sent something that this server cannot read.",
    403: "You are not allowed to do this.",
    404: "It may have been removed, or the address is wrong.",
    405: "Open the page itself, and use its forms.",
    415: "Forms must be sent as application/x-www-form-urlencoded in UTF-8, as browsers do.",
    503: "The database is unavailable, perhaps because an import is running. "
    "Please try again in a few seconds.",
}
#: Statuses whose pages suggest another page.
_LOST = (403, 404, 405)
#: Last part of a page's path -> the page's path and title.
_PAGES = {
    path.rpartition("/")[2]: (path, title)
    for path, title in (
        *((path, title) for _, entries in NAVIGATION for _, path, title in entries),
        (pages.LOGIN, "Sign in"),
        ("/docs", "API reference"),
    )
}
_LONGEST_PART = 40
_CHANGE_TOO_LONG = (
    "This change took longer than {:g} s, so nothing was changed. Change fewer records at once, or "
    "ask the operator of this service to use the command finance-api, which has no time limit."
)
_NOT_COUNTED = "Sign-in is unavailable at the moment. Please try again in a few seconds."


def error_page(
    request: Request,
    status: int,
    detail: str | None = None,
    title: str | None = None,
    retry_seconds: int | None = None,
) -> Response:
    """Return an error page. detail, title: by default the texts for the status.

    retry_seconds: the value of Retry-After, if any.
    """
    variables = {
        "page": "error",
        "title": title or _TITLES.get(status, "Something went wrong"),
        "status": status,
        "detail": detail or _DETAILS.get(status, ""),
        "request_id": request.request_id,
        "nearest": _nearest_page(request.environ["PATH_INFO"]) if status in _LOST else None,
    }
    response = render_to_response("error.jinja2", with_globals(request, variables), request=request)
    response.status_int = status
    if retry_seconds is not None:
        response.headers["Retry-After"] = str(retry_seconds)
    return response


def _nearest_page(path: str) -> tuple[str, str] | None:
    """Return path and title of a page whose name is like the first or last part of ``path``."""
    parts = [part[:_LONGEST_PART] for part in path.split("/") if part]
    for part in (*parts[:1], *parts[-1:]):
        for name in near_names(part, _PAGES):
            return _PAGES[name]
    return None


def http_error(error: HTTPException, request: Request) -> Response:
    with suppress(storage_errors.StorageUnavailable, storage_errors.StorageNotReady):
        # Authenticate, so that signed-in users see the navigation: nothing else does so for an
        # unknown path.
        _ = request.identity
    if error.status_int < 400:
        return error
    if error.status_int == 404 and (above := _page_above(request)):
        return pages.SeeOther(above)
    if isinstance(error, PredicateMismatch):
        error = HTTPMethodNotAllowed(headers={"Allow": ", ".join(sorted(_methods(request)))})
    response = error_page(request, error.status_int)
    response.headers.update({k: v for k, v in error.headers.items() if k == "Allow"})
    return response


def _page_above(request: Request) -> str | None:
    """Return the page above one that a change led to and has removed; it shows the same notice.

    None if the request is no such redirection of a signed-in user.
    """
    with suppress(UnicodeDecodeError):
        shown = [pair for pair in request.GET.items() if pair[0] in (pages.DONE, pages.CHANGED)]
        if shown and request.method == "GET" and request.known_identity is not None:
            path = request.path.rpartition("/")[0]
            return f"{path if is_page(path) else OVERVIEW}?{urlencode(shown)}"
    return None


def _methods(request: Request) -> set[str]:
    """Return the methods that the views of the request's route accept."""
    views = [view["introspectable"] for view in request.registry.introspector.get_category("views")]
    found = {v["request_methods"] for v in views if v["route_name"] == request.matched_route.name}
    return found | {"HEAD"} if "GET" in found else found


def forbidden(error: Any, request: Request) -> Response:
    """Redirect to the sign-in page; show an error instead if a sent form would be lost."""
    if request.identity is None:
        if request.method in ("GET", "HEAD"):
            return pages.SeeOther(pages.login_path(request.path_qs))
        answer = None if error.result is None else _keeping_form(request)
        if answer is not None:
            return answer
    # Our own exceptions have a detail for users; Pyramid's detail is about permissions.
    of_pyramid = None if request.identity is not None else pages.SIGNED_OUT
    return error_page(request, 403, error.detail if error.result is None else of_pyramid)


def _keeping_form(request: Request) -> Response | None:
    """Return a response that asks to sign in and keeps the form; None if the form is not kept."""
    if (kept := keep_of_ended_session(request)) is not None:
        return kept
    if (form := carried_form(request)) is None:
        return None
    variables = pages.login_page(
        next=request.path, carried=form, errors={"form": pages.SIGNED_OUT_KEPT}
    )
    response = render_to_response("login.jinja2", with_globals(request, variables), request=request)
    response.status_int = 403
    return response


def stale_form(error: BadCSRFToken, request: Request) -> Response:
    kept = keep_of_older_session(request)
    return kept or error_page(request, 403, "Reload it and try again.", "This page has expired")


def not_counted(error: LimiterUnavailable, request: Request) -> Response:
    logger.error("pages: %s", error)
    return error_page(request, 503, _NOT_COUNTED, retry_seconds=errors.STORAGE_RETRY_SECONDS)


def unavailable(error: Exception, request: Request) -> Response:
    outage = errors.outage_of(error, request)
    is_away = isinstance(error, storage_errors.StorageUnavailable | storage_errors.StorageNotReady)
    if isinstance(error, storage_errors.StorageDamaged):
        title, detail = "This page cannot be shown", outage.detail
    elif isinstance(error, storage_errors.StorageLocked):
        title, detail = _TITLES[503], outage.detail
    else:
        title = _TITLES[408 if isinstance(error, TookTooLong) else outage.status]
        detail = _DETAILS[503] if is_away else outage.detail
    if isinstance(error, TookTooLong) and request.method == "POST":
        detail = _CHANGE_TOO_LONG.format(error.seconds)
    return error_page(request, outage.status, detail, title, outage.retry_seconds)


def unexpected(error: Exception, request: Request) -> Response:
    return error_page(request, 500, errors.UNEXPECTED.format(errors.log_unexpected(error, request)))


def link_error(error: HTTPException, request: Request) -> Response:
    """Return the page of a link that has no answer, for strangers and for frames."""
    answer = errors.as_problem(error, request)
    # If the link is known, only the end of its address is wrong.
    status = 0 if request.known_identity and error.status_int == 404 else answer.status_int
    variables = {
        "title": _LINK_TITLES.get(status, "This link has no answer now"),
        "detail": answer.json["detail"],
        "is_over": status in (404, 410),
        "static_url": static_url,
    }
    response = render_to_response("link_error.jinja2", variables, request=request)
    response.status_int = answer.status_int
    kept = {k: v for k, v in answer.headers.items() if k in ("Allow", "Retry-After")}
    response.headers.update(kept | {"Cache-Control": "no-store"})
    return response


class ForBrowser:
    """A view predicate: true for pages, and for browsers' other requests outside the APIs.

    With ``link`` as its value: true for browsers that ask for the address of a link.
    """

    def __init__(self, value: bool | Literal["link"], config: Configurator) -> None:
        self._value = value

    def text(self) -> str:
        return f"for_browser = {self._value}"

    phash = text

    def __call__(self, context: Any, request: Request) -> bool:
        # Not request.path, which may not be decodable.
        path = request.environ["PATH_INFO"]
        if is_page(path):
            return self._value is True
        own_value = "link" if path.startswith(LINKS) else True
        return self._value == own_value and not _OF_PROGRAMS.match(path) and _prefers_html(request)


def _prefers_html(request: Request) -> bool:
    """Whether the Accept header names HTML, and prefers nothing else."""
    offers = request.accept.acceptable_offers(["application/json", "text/html"])
    return bool(offers) and offers[0][0] == "text/html"


def includeme(config: Configurator) -> None:
    config.add_view_predicate("for_browser", ForBrowser)
    config.add_exception_view(link_error, context=HTTPException, for_browser="link")
    here = {"for_browser": True}
    config.add_notfound_view(http_error, **here)
    config.add_forbidden_view(forbidden, **here)
    for error, view in (
        (HTTPException, http_error),
        (BadCSRFToken, stale_form),
        *((outage, unavailable) for outage in errors.OUTAGES),
        (LimiterUnavailable, not_counted),
        (storage_errors.NotFound, lambda error, request: http_error(HTTPNotFound(), request)),
        (UnicodeDecodeError, lambda error, request: error_page(request, 400)),
        (Exception, unexpected),
    ):
        config.add_exception_view(view, context=error, **here)
