"""Links of a saved question: create, show once, revoke one or all."""

from dataclasses import dataclass
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth.personal_tokens import IssueRefused, is_live, is_open_to_all
from finance_api.auth.policy import Permission, has_api_access
from finance_api.auth.question_links import (
    digest_of_path,
    issue_link,
    link_path,
    revoke_link,
    revoke_links,
)
from finance_api.http.requests import Request, is_https
from finance_api.http.surfaces import QUESTIONS_PAGE
from finance_api.questions.forms import forms_of
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question, QuestionLink
from finance_api.web.expiry import expires_at, expiry_page, expiry_values
from finance_api.web.page import (
    SeeOther,
    done,
    form_text,
    identity_of,
    page,
    path_id,
    path_text,
    refused,
    sentence,
    show_once,
    taken,
    writing_for_user,
)
from finance_api.web.routes import get, post

_WRITE = Permission.QUESTIONS_CHANGE


@dataclass(frozen=True)
class QuestionLinks:
    """The links of a question, active and ended ones, the newest first."""

    active: list[QuestionLink]
    ended: list[QuestionLink]


def links_of(request: Request, question: Question) -> QuestionLinks:
    now = request.services.clock.now()
    found = reversed(request.storage.links.list_by_user(question.user_id))
    links = [link for link in found if link.question_id == question.id]
    active = [link for link in links if is_live(link, now)]
    return QuestionLinks(active, [link for link in links if link not in active])


def _own(request: Request) -> Question:
    """The question in the path; 404 if the user has no such question."""
    try:
        return request.storage.questions.get(identity_of(request).user.id, path_id(request))
    except NotFound:
        raise HTTPNotFound() from None


def _own_link(request: Request, question: Question) -> QuestionLink:
    """The link in the path; 404 if the question has no such link, or it has ended."""
    for link in links_of(request, question).active:
        if link.id == path_text(request, "link"):
            return link
    raise HTTPNotFound()


def _path(question: Question, below: str = "") -> str:
    return f"{QUESTIONS_PAGE}/{question.id}{below}"


# -- creating one


@get("question.link_new", _WRITE, "question_link_new")
def show_form(request: Request) -> dict[str, Any]:
    question = _own(request)
    values = {"name": question.name, "expiry": "never", "expires_on": ""}
    form = _form(request, question, values, {})
    # Without access to the API the page says how to get it.
    allowed = has_api_access(identity_of(request).user, request.registry.settings)
    return form if allowed else refused(request, form, 403)


def _form(
    request: Request, question: Question, values: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    return page(
        "questions",
        "Create a link",
        question=question,
        values=values,
        errors=errors,
        forms=forms_of(question.address),
        **expiry_page(request),
    )


@post("question.link_new", _WRITE, "question_link_new")
def create(request: Request) -> Any:
    question, settings = _own(request), request.registry.settings
    values = {"name": form_text(request, "name"), **expiry_values(request)}
    errors: dict[str, str] = {}
    ends = expires_at(request, "link", errors)
    if not errors:
        try:
            with writing_for_user(request) as storage:
                secret = issue_link(
                    storage,
                    identity_of(request).user,
                    question.id,
                    name=values["name"],
                    now=request.services.clock.now(),
                    expires_at=ends,
                    max_live=settings["finance_api.links.max_live"],
                    is_open_to_all=is_open_to_all(settings),
                )
            return show_once(request, _path(question, "/links/made"), secret)
        except IssueRefused as error:
            errors["name" if "name" in str(error) else "form"] = sentence(error)
    return refused(request, _form(request, question, values, errors))


@get("question.link_made", _WRITE, "question_link_made")
def show_link(request: Request) -> Any:
    """Show the addresses once; then redirect to the question."""
    question, secret = _own(request), taken(request)
    sha256 = digest_of_path(link_path(secret, ""))
    made = [link for link in links_of(request, question).active if link.sha256 == sha256]
    if not made:
        return SeeOther(_path(question))
    # request.scheme is only the scheme between proxy and server.
    start = f"{'https' if is_https(request) else 'http'}://{request.host}{request.script_name}"
    addresses = [
        (form, start + link_path(secret, form.ending)) for form in forms_of(question.address)
    ]
    return page("questions", "Your new link", question=question, link=made[0], addresses=addresses)


# -- revoking


@get("question.link_revoke", _WRITE, "question_link_revoke")
def confirm_one(request: Request) -> dict[str, Any]:
    question = _own(request)
    link = _own_link(request, question)
    return page("questions", "Revoke a link", question=question, links=[link], one=link)


@post("question.link_revoke", _WRITE)
def revoke_one(request: Request) -> Response:
    question = _own(request)
    link = _own_link(request, question)
    with writing_for_user(request) as storage:
        revoke_link(storage, link, request.services.clock.now())
    return done(_path(question), "link-revoked")


@get("question.links_revoke", _WRITE, "question_link_revoke")
def confirm_all(request: Request) -> dict[str, Any]:
    question = _own(request)
    links = links_of(request, question).active
    return page("questions", "Revoke all links", question=question, links=links, one=None)


@post("question.links_revoke", _WRITE)
def revoke_all(request: Request) -> Response:
    question = _own(request)
    with writing_for_user(request) as storage:
        revoke_links(storage, question.user_id, request.services.clock.now(), question.id)
    return done(_path(question), "links-revoked")
