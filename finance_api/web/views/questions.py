"""Saved questions: list, answer, form, removal; and their links: create, show once, revoke."""

from collections.abc import Mapping
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth import question_links
from finance_api.auth.personal_tokens import IssueRefused, is_live, is_open_to_all
from finance_api.auth.policy import Permission, has_api_access
from finance_api.http.requests import Request, is_https
from finance_api.http.surfaces import EXPORTS, PUBLIC_SURFACE, QUESTIONS_PAGE
from finance_api.questions import answering
from finance_api.questions import saved as saving
from finance_api.questions.addresses import AddressRefused
from finance_api.questions.asking import fault_of, question_paths
from finance_api.questions.forms import forms_of
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import Question, QuestionLink
from finance_api.values.time import date_text
from finance_api.web import page as pages
from finance_api.web.answer_tables import answer_table
from finance_api.web.api_requests import ApiRequest
from finance_api.web.expiry import expires_at, expiry_page, expiry_values
from finance_api.web.forms import form_id
from finance_api.web.kept_forms import kept_form
from finance_api.web.routes import get, post

_READ, _WRITE = Permission.QUESTIONS_SHOW, Permission.QUESTIONS_CHANGE
_FIELDS = ("name", "address")
_DOWNLOADS = ("csv", "xlsx", "ndjson")


def _own(request: Request) -> Question:
    """Return the question in the path; raise a 404 if the user has no such question."""
    user_id = request.user.id
    return request.storage.users.get_question(user_id, request.path_id)


def _links(request: Request, question: Question) -> tuple[list[QuestionLink], int]:
    """Return the active links of a question, the newest first, and the number of ended ones."""
    now = request.now
    found = reversed(request.storage.users.list_owned(QuestionLink, question.user_id))
    links = [link for link in found if link.question_id == question.id]
    active = [link for link in links if is_live(link, now)]
    return active, len(links) - len(active)


def active_links(request: Request, question: Question) -> list[QuestionLink]:
    return _links(request, question)[0]


def _own_link(request: Request, question: Question) -> QuestionLink:
    """Return the link in the path; raise a 404 if it has ended or is not of this question."""
    links, link_id = active_links(request, question), request.path_text("link")
    return pages.first_of(link for link in links if link.id == link_id)


def _path(question: Question, below: str = "") -> str:
    return f"{QUESTIONS_PAGE}/{question.id}{below}"


@get("questions", _READ, "questions")
def list_questions(request: Request) -> dict[str, Any]:
    found = request.storage.users.list_owned(Question, request.user.id)
    rows = [(each, fault_of(request.registry, each.address)) for each in found]
    asked = ApiRequest(f"{PUBLIC_SURFACE}questions", {})
    return pages.page("questions", "Questions", rows=rows, api=[asked])


# -- one question and its answer


@get("question", _READ, "question")
def show_question(request: Request) -> dict[str, Any]:
    question = _own(request)
    links, ended_links = _links(request, question)
    table, has_more, fault = None, False, None
    try:
        answered = answering.answer(request, request.user, question)
        has_more = answered.next_offset is not None
        table = answer_table(answering.document_of(answered), request.region, question.address)
    except answering.AnswerRefused as error:
        fault = str(error)
    return pages.page(
        "questions",
        question.name,
        question=question,
        table=table,
        has_more=has_more,
        is_export=question.address.startswith(EXPORTS),
        links=links,
        ended_links=ended_links,
        fault=fault,
        api=[
            ApiRequest(f"{PUBLIC_SURFACE}questions/{question.id}/answer", {}, about="The answer"),
            ApiRequest(question.address, {}, about="What it asks"),
        ],
    )


@get("question.download", _READ)
def download_answer(request: Request) -> Response:
    question, form = _own(request), request.GET.get("format", "")
    if form not in _DOWNLOADS:
        raise HTTPNotFound()
    try:
        response = answering.respond(request, request.user, question, f".{form}")
    except answering.AnswerRefused as error:
        raise error.problem from None
    name = f"answer-{date_text(request.today)}.{form}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


# -- adding and changing


def _form(
    request: Request,
    values: Mapping[str, str],
    question: Question | None,
    errors: dict[str, str] | None = None,
) -> dict[str, Any]:
    title = "New question" if question is None else f"Change {question.name}"
    return pages.page(
        "questions",
        title,
        question=question,
        values=values,
        paths=question_paths(request.registry),
        links=0 if question is None else len(active_links(request, question)),
        most=saving.MAX_NAME_CHARACTERS,
        errors=errors or {},
    )


def _shown_form(
    request: Request, values: Mapping[str, str], question: Question | None
) -> dict[str, Any]:
    """Show the form that was kept when its session ended; if there is none, show these values."""
    sent = kept_form(request)
    if sent is not None:
        values = {name: str(sent.get(name, "")) for name in _FIELDS}
    return _form(request, values, question)


@get("question.new", _WRITE, "question_form")
def show_new(request: Request) -> dict[str, Any]:
    return _shown_form(request, {name: request.GET.get(name, "") for name in _FIELDS}, None)


@post("question.new", _WRITE, "question_form")
def add(request: Request) -> Any:
    return _saved(request, None)


@get("question.edit", _WRITE, "question_form")
def show_edit(request: Request) -> dict[str, Any]:
    question = _own(request)
    return _shown_form(request, {name: getattr(question, name) for name in _FIELDS}, question)


@post("question.edit", _WRITE, "question_form")
def change(request: Request) -> Any:
    return _saved(request, _own(request))


def _saved(request: Request, question: Question | None) -> Any:
    """Check the form, save it, and redirect to the question; or show the form with its errors."""
    values, now = {name: request.sent_text(name) for name in _FIELDS}, request.now
    errors, address = {}, ""
    try:
        saving.checked_name(values["name"])
    except saving.QuestionRefused as error:
        errors["name"] = str(error)
    try:
        address = answering.checked_address(request, request.user, values["address"])
    except AddressRefused as error:
        errors["address"] = str(error)
    if not errors:
        try:
            with pages.writing_for_user(request) as storage:
                given: dict[str, Any] = {"name": values["name"], "address": address, "now": now}
                if question is None:
                    saved = saving.add_question(storage, request.user, **given)
                else:
                    if address != question.address and not request.sent_text("keep_links"):
                        question_links.revoke_links(storage, question.user_id, now, question.id)
                    saved = saving.change_question(storage, question, **given)
            return pages.done(_path(saved), "saved")
        except saving.QuestionRefused as error:
            errors["name"] = str(error)
    return pages.refused(request, _form(request, values, question, errors))


# -- removal


@get("question.remove", _WRITE, "question_remove")
def confirm_removal(request: Request) -> dict[str, Any]:
    question = _own(request)
    links = len(active_links(request, question))
    return pages.page("questions", "Remove a question", question=question, links=links)


@post("question.remove", _WRITE)
def remove(request: Request) -> Response:
    user_id, question_id = request.user.id, request.path_id
    with pages.writing_for_user(request) as storage:
        storage.users.delete_question(user_id, question_id)
        question_links.revoke_links(storage, user_id, request.now, question_id)
    return pages.done(QUESTIONS_PAGE, "question-removed")


# -- creating a link


@get("question.link_new", _WRITE, "question_link_new")
def show_link_form(request: Request) -> dict[str, Any]:
    question = _own(request)
    values = {"name": question.name, "expiry": "365", "expires_on": ""}
    form = _link_form(request, question, values, {})
    # If the user has no access to the API, the page says how to get it.
    allowed = has_api_access(request.user, request.registry.settings)
    return form if allowed else pages.refused(request, form, 403)


def _link_form(
    request: Request, question: Question, values: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    return pages.page(
        "questions",
        "Create a link",
        question=question,
        values=values,
        errors=errors,
        forms=forms_of(question.address),
        **expiry_page(request),
    )


@post("question.link_new", _WRITE, "question_link_new")
def create_link(request: Request) -> Any:
    question, settings = _own(request), request.registry.settings
    values = {"name": request.sent_text("name"), **expiry_values(request)}
    errors: dict[str, str] = {}
    ends = expires_at(request, "link", errors)
    if not errors:
        try:
            with pages.writing_for_user(request) as storage:
                secret = question_links.issue_link(
                    storage,
                    request.user,
                    question.id,
                    name=values["name"],
                    now=request.now,
                    expires_at=ends,
                    max_live=settings["finance_api.links.max_live"],
                    is_open_to_all=is_open_to_all(settings),
                    link_id=form_id(request.POST),
                )
            return pages.show_once(request, _path(question, "/links/made"), secret)
        except Conflict:
            return pages.done(_path(question), "created-before")
        except IssueRefused as error:
            errors["name" if "name" in str(error) else "form"] = pages.sentence(error)
    return pages.refused(request, _link_form(request, question, values, errors))


@get("question.link_made", _WRITE, "question_link_made")
def show_link(request: Request) -> Any:
    """Show the addresses once; then redirect to the question."""
    question, secret = _own(request), pages.taken(request)
    sha256 = question_links.digest_of_path(question_links.link_path(secret, ""))
    made = [link for link in active_links(request, question) if link.sha256 == sha256]
    if not made:
        return pages.SeeOther(_path(question))
    # request.scheme is only the scheme between proxy and server.
    start = f"{'https' if is_https(request) else 'http'}://{request.host}{request.script_name}"
    addresses = [
        (form, start + question_links.link_path(secret, form.ending))
        for form in forms_of(question.address)
    ]
    return pages.page(
        "questions", "Your new link", question=question, link=made[0], addresses=addresses
    )


# -- revoking links


@get("question.link_revoke", _WRITE, "question_link_revoke")
def confirm_revoking_one(request: Request) -> dict[str, Any]:
    question = _own(request)
    link = _own_link(request, question)
    return pages.page("questions", "Revoke a link", question=question, links=[link], one=link)


@post("question.link_revoke", _WRITE)
def revoke_one(request: Request) -> Response:
    question = _own(request)
    link = _own_link(request, question)
    with pages.writing_for_user(request) as storage:
        question_links.revoke_link(storage, link, request.now)
    return pages.done(_path(question), "link-revoked")


@get("question.links_revoke", _WRITE, "question_link_revoke")
def confirm_revoking_all(request: Request) -> dict[str, Any]:
    question = _own(request)
    links = active_links(request, question)
    return pages.page("questions", "Revoke all links", question=question, links=links, one=None)


@post("question.links_revoke", _WRITE)
def revoke_all(request: Request) -> Response:
    question = _own(request)
    with pages.writing_for_user(request) as storage:
        question_links.revoke_links(storage, question.user_id, request.now, question.id)
    return pages.done(_path(question), "links-revoked")
