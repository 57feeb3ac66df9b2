"""A link's address: it gives the answer to a saved question to anyone who has the address."""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pyramid.renderers import render
from pyramid.response import Response

from finance_api.auth.authentication import no_link
from finance_api.auth.personal_tokens import digest
from finance_api.auth.policy import Permission
from finance_api.http.errors import problem
from finance_api.http.identity import LinkIdentity
from finance_api.http.requests import Request, is_https
from finance_api.questions.answering import AnswerRefused, answer
from finance_api.questions.forms import FORMS, forms_of
from finance_api.questions.subscriptions import as_calendar, as_feed
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question
from finance_api.values.time import parse_time
from finance_api.web.answer_tables import answer_table, rows_of
from finance_api.web.rendering import static_url
from finance_api.web.routes import get

#: The headers of the answer that a link shows. All others are about the request or its user.
_SHOWN = ("Content-Type", "Content-Encoding", "ETag", "X-Next-Offset")
_HEADERS = (("Cache-Control", "private, no-cache"), ("Vary", "Accept-Encoding, Accept-Language"))
#: The member in which the API says that something named in a question is gone.
_HINTS = "hints"

_Object = dict[str, Any]
#: Content type and body.
_Made = tuple[str, bytes]


def _page(request: Request, question: Question, document: _Object, changed_at: int) -> _Made:
    variables = {
        "title": question.name,
        "table": answer_table(document, request.region, question.address),
        "has_more": document.get("nextOffset") is not None,
        # Only its time zone is used.
        "user": request.identity.user,
        "region": request.region,
        "changed_at": changed_at,
        "static_url": static_url,
    }
    return "text/html; charset=utf-8", render("link.jinja2", variables, request).encode()


def _calendar(request: Request, question: Question, document: _Object, changed_at: int) -> _Made:
    content = as_calendar(question.name, rows_of(document), _moment(changed_at))
    return "text/calendar; charset=utf-8", content


def _feed(request: Request, question: Question, document: _Object, changed_at: int) -> _Made:
    # A feed must name the site that it is about.
    scheme = "https" if is_https(request) else "http"
    home = f"{scheme}://{request.host}{request.script_name}/"
    content = as_feed(question.name, rows_of(document), _moment(changed_at), home)
    return "application/rss+xml; charset=utf-8", content


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


#: Ending of an address -> the API's suffix for this form of an answer. The other forms are made
#: from the API's JSON.
_OF_API = {".csv": ".csv", ".xlsx": ".xlsx", ".json": ""}
_MAKERS: dict[str, Callable[[Request, Question, _Object, int], _Made]] = {
    ".html": _page,
    ".ics": _calendar,
    ".rss": _feed,
}


@get("link", Permission.LINK_READ)
def show_answer(request: Request) -> Response:
    identity = request.identity
    assert isinstance(identity, LinkIdentity)
    try:
        question = request.storage.questions.get(identity.user.id, identity.question_id)
    except NotFound:
        raise no_link() from None
    _, dot, rest = request.path_text("address").partition(".")
    ending = dot + rest
    endings = [form.ending for form in forms_of(question.address)]
    if ending not in endings:
        raise problem(404, _no_form(ending, endings))
    # The address alone decides the answer, so the client's preferences change nothing.
    request.environ.pop("HTTP_ACCEPT", None)
    try:
        if ending in _OF_API:
            return _as_api(request, question, ending)
        return _as_made(request, question, ending)
    except AnswerRefused:
        # The error's own sentence would reveal the question, its parameters and their values.
        detail = "This question can no longer be answered: its owner has to change it."
        raise problem(409, detail) from None


def _no_form(ending: str, endings: Sequence[str]) -> str:
    known = f"{', '.join(endings[:-1])} and {endings[-1]}"
    if any(form.ending == ending for form in FORMS):
        return f"This answer is not available as {ending}, only as {known}."
    return f"The address of a link ends with a form of the answer: {known}."


def _as_api(request: Request, question: Question, ending: str) -> Response:
    """Return the API's own form of the answer."""
    suffix = _OF_API[ending]
    response = answer(request, request.identity.user, question, suffix)
    if suffix and response.status_int == 200:
        _refuse_empty(_read(request, question)[1])
    return _shown(response, ending)


def _as_made(request: Request, question: Question, ending: str) -> Response:
    """Return a form made from the answer's JSON. Its entity tag is the JSON's, with a suffix."""
    # What the form depends on besides the JSON.
    parts = (question.name, request.identity.user.time_zone, request.region.tag)
    mark = f"-{ending[1:]}-{digest(chr(0).join(parts))[:16]}"
    known = request.environ.get("HTTP_IF_NONE_MATCH", "")
    if known.strip() != "*":
        tags = re.findall(rf'("[^"]*){mark}"', known)
        request.environ["HTTP_IF_NONE_MATCH"] = ", ".join(f'{tag}"' for tag in tags)
    response, document = _read(request, question, keep_condition=True)
    shown = _shown(response, ending)
    shown.headers["ETag"] = f'{response.headers["ETag"][:-1]}{mark}"'
    if document is not None:
        if ending != ".html":
            _refuse_empty(document)
        changed = parse_time(response.headers["X-Last-Data-Change-At"])
        shown.headers["Content-Type"], shown.body = _MAKERS[ending](
            request, question, document, changed
        )
    return shown


def _read(
    request: Request, question: Question, *, keep_condition: bool = False
) -> tuple[Response, _Object | None]:
    """Return the response and its JSON, with exact numbers. The JSON is None for a 304."""
    request.environ.pop("HTTP_ACCEPT_ENCODING", None)
    if not keep_condition:
        request.environ.pop("HTTP_IF_NONE_MATCH", None)
    response = answer(request, request.identity.user, question)
    if response.status_int == 304:
        return response, None
    return response, json.loads(response.body, parse_float=Decimal)


def _refuse_empty(document: _Object | None) -> None:
    """Raise a 409 if the answer is empty because something in the question is gone.

    JSON and the page say so themselves, but the other forms cannot.
    """
    if document is not None and document.get(_HINTS):
        raise problem(409, " ".join(document[_HINTS]))


def _shown(response: Response, ending: str) -> Response:
    """Return the answer with only the headers that a link shows."""
    kept = [(name, response.headers[name]) for name in _SHOWN if name in response.headers]
    # Without this header, browsers would name the downloaded file after the address: a secret.
    file = ("Content-Disposition", f'inline; filename="answer{ending}"')
    status, headers = response.status_int, [*kept, file, *_HEADERS]
    return Response(body=response.body, status=status, headerlist=headers)
