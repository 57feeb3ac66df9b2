"""A link's address: it gives the answer to a saved question to anyone who has the address."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pyramid.renderers import render
from pyramid.response import Response

from finance_api.auth.authentication import no_link
from finance_api.auth.policy import Permission
from finance_api.http.errors import problem
from finance_api.http.identity import LinkIdentity
from finance_api.http.requests import Request, base_url
from finance_api.planning.answers import Answer
from finance_api.questions import answering
from finance_api.questions.forms import FORMS, forms_of
from finance_api.questions.subscriptions import as_calendar, as_feed
from finance_api.serialization.rows import exact_documents
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question
from finance_api.web.answer_tables import answer_table
from finance_api.web.rendering import static_url
from finance_api.web.routes import get

#: The headers of the answer that a link shows. All others are about the request or its user.
_SHOWN = (
    *("Content-Type", "Content-Length", "Content-Encoding", "ETag"),
    *("X-Next-Offset", "X-Total-Count", "Accept-Ranges", "Content-Range"),
)
_HEADERS = (("Cache-Control", "private, no-cache"), ("Vary", "Accept-Encoding, Accept-Language"))


def _page(request: Request, question: Question, answer: Answer) -> bytes:
    variables = {
        "title": question.name,
        "table": answer_table(answering.document_of(answer), request.region, question.address),
        "has_more": answer.next_offset is not None,
        "remark": answer.remark,
        # Only its time zone is used.
        "user": request.identity.user,
        "region": request.region,
        "changed_at": answer.state.changed_at,
        "static_url": static_url,
    }
    return bytes(render("link.jinja2", variables, request), "utf-8")


def _calendar(request: Request, question: Question, answer: Answer) -> bytes:
    answering.refuse_empty(answer)
    return as_calendar(question.name, _rows(answer), _moment(answer), answer.remark)


def _feed(request: Request, question: Question, answer: Answer) -> bytes:
    answering.refuse_empty(answer)
    return as_feed(question.name, _rows(answer), _moment(answer), _home(request))


def _rows(answer: Answer) -> list[dict[str, Any]]:
    return exact_documents(answer.columns, answer.rows)


def _moment(answer: Answer) -> datetime:
    return datetime.fromtimestamp(answer.state.changed_at, UTC)


def _home(request: Request) -> str:
    """Return the URL of the pages; a feed must name the site that it is about."""
    return f"{base_url(request)}/"


#: The API's suffixes for its own forms of an answer.
_OF_API = {".csv": ".csv", ".xlsx": ".xlsx", ".json": ""}
#: The other forms: their content types, and the functions that make them.
_MAKERS: dict[str, tuple[str, Callable[[Request, Question, Answer], bytes]]] = {
    ".html": ("text/html; charset=utf-8", _page),
    ".ics": ("text/calendar; charset=utf-8", _calendar),
    ".rss": ("application/rss+xml; charset=utf-8", _feed),
}


@get("link", Permission.LINK_READ)
def show_answer(request: Request) -> Response:
    identity = request.identity
    assert isinstance(identity, LinkIdentity)
    try:
        question = request.storage.users.get_question(identity.user.id, identity.question_id)
    except NotFound:
        raise no_link() from None
    _, dot, rest = request.path_text("address").partition(".")
    ending = dot + rest
    endings = [form.ending for form in forms_of(question.address)]
    if ending not in endings:
        raise problem(404, _no_form(ending, endings))
    try:
        suffix, own_form = _OF_API.get(ending, ""), _own_form(request, question, ending)
        response = answering.respond(
            request, identity.user, question, suffix, own_form, is_for_link=True
        )
    except answering.AnswerRefused:
        # The error's own sentence would reveal the question, its parameters and their values.
        detail = "This question can no longer be answered: its owner has to change it."
        raise problem(409, detail) from None
    headers = [(name, response.headers[name]) for name in _SHOWN if name in response.headers]
    # Without this header, browsers would name the downloaded file after the address: a secret.
    file = ("Content-Disposition", f'inline; filename="answer{ending}"')
    response.headerlist = [*headers, file, *_HEADERS]
    return response


def _own_form(request: Request, question: Question, ending: str) -> answering.OwnForm | None:
    """Return the form with this ending; None if it is one of the API's."""
    if ending in _OF_API:
        return None
    content_type, make = _MAKERS[ending]
    parts = (question.name, request.user.time_zone, request.region.tag, _home(request))
    # A feed has the newest rows.
    is_whole = ending != ".rss"
    write = partial(make, request, question)
    return answering.OwnForm(content_type, write, "\0".join(parts), is_whole)


def _no_form(ending: str, endings: Sequence[str]) -> str:
    known = f"{', '.join(endings[:-1])} and {endings[-1]}"
    if any(form.ending == ending for form in FORMS):
        return f"This answer is not available as {ending}, only as {known}."
    return f"The address of a link ends with a form of the answer: {known}."
