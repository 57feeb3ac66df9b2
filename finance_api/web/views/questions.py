"""Saved questions: list, answer, form, removal; and their links: create, show once, revoke."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth import question_links
from finance_api.auth.personal_tokens import IssueRefused, is_live, is_open_to_all
from finance_api.auth.policy import Permission, has_api_access
from finance_api.http.requests import Request, base_url
from finance_api.http.surfaces import EXPORTS, PUBLIC_SURFACE, QUESTIONS_PAGE
from finance_api.questions import answering
from finance_api.questions import saved as saving
from finance_api.questions.addresses import AddressRefused
from finance_api.questions.asking import fault_of, question_paths
from finance_api.questions.forms import forms_of
from finance_api.runtime.time_limit import seconds_left, time_limit
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import Question, QuestionLink, WritableStorage
from finance_api.values.text import counted
from finance_api.values.time import date_text
from finance_api.web import page as pages
from finance_api.web.answer_tables import answer_table, figures_of, rows_of
from finance_api.web.api_requests import ApiRequest
from finance_api.web.expiry import expires_at, expiry_page, expiry_values
from finance_api.web.forms import form_id
from finance_api.web.kept_forms import kept_errors, kept_form
from finance_api.web.question_builder import QuestionBuilder, chosen_in
from finance_api.web.routes import get, post

_READ, _WRITE = Permission.QUESTIONS_SHOW, Permission.QUESTIONS_CHANGE
_FIELDS = ("name", "address")
#: The list of questions takes at most this long for all answers.
_LIST_SECONDS = 0.25
_DOWNLOADS = ("csv", "xlsx", "ndjson")


def _own(request: Request) -> Question:
    """Return the question in the path; raise a 404 if the user has no such question."""
    return request.storage.users.get_question(request.user.id, request.path_id)


def _links(request: Request, question: Question) -> tuple[list[QuestionLink], int]:
    """Return the active links of a question, the newest first, and the number of ended ones."""
    now = request.now
    found = reversed(request.storage.users.list_owned(QuestionLink, question.user_id))
    links = [link for link in found if link.question_id == question.id]
    active = [link for link in links if is_live(link, now)]
    return active, len(links) - len(active)


def active_links(request: Request, question: Question) -> list[QuestionLink]:
    return _links(request, question)[0]


def _path(question: Question, below: str = "") -> str:
    return f"{QUESTIONS_PAGE}/{question.id}{below}"


@get("questions", _READ, "questions")
def list_questions(request: Request) -> dict[str, Any]:
    found = request.storage.users.list_owned(Question, request.user.id)
    with time_limit(_LIST_SECONDS):
        rows = [
            (each, fault_of(request.registry, each.address), _short_answer(request, each))
            for each in found
        ]
    asked = ApiRequest(f"{PUBLIC_SURFACE}questions", {})
    return pages.page("questions", "Questions", rows=rows, api=[asked])


def _short_answer(request: Request, question: Question) -> str:
    """Return the answer's value, its number of rows, or why it is not shown here."""
    try:
        answered = answering.answer_in(seconds_left(), request, request.user, question)
    except answering.AnswerRefused as error:
        return str(error)
    if answered is None:
        return "takes too long for a list: open it"
    document = answering.document_of(answered)
    rows = rows_of(document)
    if figures := figures_of(document, request.region):
        left_out = [row["conversionError"] for row in rows if row.get("conversionError")]
        return "; ".join([", ".join(figure.text for figure in figures), *left_out])
    more = " and more" if answered.next_offset is not None else ""
    return " ".join(document.get("hints", ())) or f"{counted(len(rows), 'row')}{more}"


# -- one question and its answer


@get("question", _READ, "question")
def show_question(request: Request) -> dict[str, Any]:
    question = _own(request)
    links, ended_links = _links(request, question)
    return pages.page(
        "questions",
        question.name,
        question=question,
        **_answer(request, question.address, question),
        is_export=question.address.startswith(EXPORTS),
        links=links,
        ended_links=ended_links,
        api=[
            ApiRequest(f"{PUBLIC_SURFACE}questions/{question.id}/answer", {}, about="The answer"),
            ApiRequest(question.address, {}, about="What it asks"),
        ],
    )


def _answer(request: Request, address: str, question: Question | None = None) -> dict[str, Any]:
    """Return what templates show of an answer, and why there is none.

    address: "" shows nothing. question: the question that is saved with this address, if any.
    """
    shown: dict[str, Any] = {"table": None, "has_more": False, "fault": None}
    if not address:
        return shown
    try:
        if question is None:
            _, answered = answering.try_address(request, request.user, address)
        else:
            answered = answering.answer(request, request.user, question)
    except AddressRefused as error:
        return {**shown, "fault": str(error)}
    table = answer_table(answering.document_of(answered), request.region, address)
    return {**shown, "table": table, "has_more": answered.next_offset is not None}


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
    request: Request, values: dict[str, str], question: Question | None, errors: Mapping[str, str]
) -> dict[str, Any]:
    """Return the variables of the form. question: the question to change; None for a new one."""
    builder = QuestionBuilder.of(request) if question is None else None
    if builder is not None:
        errors = errors or builder.errors
        values = values | {name: values[name] or text for name, text in builder.built.items()}
    # A refused form redirects here.
    is_asked = builder is not None and request.method == "GET" and not errors.get("address")
    address = values["address"] if is_asked else ""
    new = "Create a link" if _is_shared(request) else "New question"
    return pages.page(
        "questions",
        new if question is None else f"Change {question.name}",
        question=question,
        values=values,
        builder=builder,
        is_shared=_is_shared(request),
        action=pages.here(request),
        paths=question_paths(request.registry),
        links=0 if question is None else len(active_links(request, question)),
        most=saving.MAX_NAME_CHARACTERS,
        errors=errors,
        **_answer(request, address),
        **expiry_page(request),
    )


def _is_shared(request: Request) -> bool:
    """Whether the form also creates a link of its question, which may be saved already."""
    return request.matched_route.name == "question.new" and "share" in request.GET


def _shown(request: Request) -> Response | None:
    """Redirect to the page that shows what was chosen in a form; None if the form is to be saved.

    Nothing is saved that was not shown. A name or an address that was typed stays.
    """
    sent, shown = request.POST, QuestionBuilder.of(request)
    chosen, built = chosen_in(sent), shown.choices.chosen["what"] and shown.choices.address
    typed = {
        name: text
        for name in _FIELDS
        for text in [request.sent_text(name)]
        if text not in ("", shown.built.get(name), built, sent.get("proposed"))
    }
    is_shown = chosen == shown.choices.chosen and not shown.errors
    is_other = not chosen["what"] or "address" in typed
    if (is_shown or is_other) and "show" not in sent:
        return None
    share = {"share": "yes"} if _is_shared(request) or sent.get("show") == "share" else {}
    query = typed if "address" in typed else chosen | typed
    return pages.SeeOther(f"{QUESTIONS_PAGE}/new?{urlencode(share | query)}")


def _changed(request: Request) -> Question | None:
    """Return the question in the path; None for the form of a new one."""
    return _own(request) if "id" in request.matchdict else None


@get("question.new", _WRITE, "question_form")
@get("question.edit", _WRITE, "question_form")
def show_form(request: Request) -> dict[str, Any]:
    """Show the form that was kept when its session ended; without one, show the values of the
    question, or those in the query.
    """
    sent, question = kept_form(request), _changed(request)
    given = request.GET if question is None else asdict(question)
    values = {"expiry": "365", "expires_on": "", **{name: given.get(name, "") for name in _FIELDS}}
    if sent is not None:
        values = {name: str(sent.get(name, "")) for name in values}
    form = _form(request, values, question, kept_errors(sent))
    # If the user has no access to the API, the page says how to get it.
    allowed = not _is_shared(request) or has_api_access(request.user, request.registry.settings)
    return form if allowed else pages.refused(request, form, 403)


@post("question.new", _WRITE, "question_form")
@post("question.edit", _WRITE, "question_form")
def save(request: Request) -> Any:
    """Check the form, save it, and redirect to the question; or show the form with its errors."""
    question = _changed(request)
    if question is None and (shown := _shown(request)):
        return shown
    values, user = {name: request.sent_text(name) for name in _FIELDS}, request.user
    errors, name, address, is_shared = {}, "", "", _is_shared(request)
    try:
        name = saving.checked_name(values["name"], "link" if is_shared else "question")
    except saving.QuestionRefused as error:
        errors["name"] = str(error)
    try:
        address = answering.checked_address(request, user, values["address"])
    except AddressRefused as error:
        errors["address"] = str(error)
    ends = expires_at(request, "link", errors) if is_shared else None
    if not errors:
        given: dict[str, Any] = {"name": name, "address": address, "now": request.now}
        try:
            with pages.writing_for_user(request) as storage:
                if question is None:
                    owned = storage.users.list_owned(Question, user.id)
                    # A form that is sent again finds its question, and so does a link.
                    same = [
                        q for q in owned if q.address == address and (q.name == name or is_shared)
                    ]
                    same.sort(key=lambda q: (q.id != request.GET.get("question"), q.name != name))
                    saved = same[0] if same else saving.add_question(storage, user, **given)
                else:
                    if address != question.address and not request.sent_text("keep_links"):
                        question_links.revoke_links(storage, user.id, request.now, question.id)
                    saved = saving.change_question(storage, question, **given)
                secret = _issued(request, storage, saved, ends) if is_shared else None
            if secret is not None:
                return pages.show_once(request, _path(saved, "/links/made"), secret)
            return pages.done(_path(saved), "saved")
        except Conflict:
            return pages.done(QUESTIONS_PAGE, "created-before")
        except saving.QuestionRefused as error:
            errors["name"] = str(error)
        except IssueRefused as error:
            errors["form"] = pages.sentence(error)
    values |= expiry_values(request)
    return pages.refused(request, _form(request, values, question, errors))


def _issued(
    request: Request, storage: WritableStorage, question: Question, ends: int | None
) -> str:
    """Issue the link that the form describes, and return its secret.

    Raises IssueRefused; Conflict if the form was sent before.
    """
    settings = request.registry.settings
    return question_links.issue_link(
        storage,
        request.user,
        question.id,
        name=request.sent_text("name"),
        now=request.now,
        expires_at=ends,
        max_live=settings["finance_api.links.max_live"],
        is_open_to_all=is_open_to_all(settings),
        link_id=form_id(request.POST),
    )


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


# -- links


@get("question.link_made", _WRITE, "question_link_made")
def show_link(request: Request) -> Any:
    """Show the addresses once; then redirect to the question."""
    question, secret = _own(request), pages.taken(request)
    sha256 = question_links.digest_of_path(question_links.link_path(secret, ""))
    made = [link for link in active_links(request, question) if link.sha256 == sha256]
    if not made:
        return pages.SeeOther(_path(question))
    addresses = [
        (form, base_url(request) + question_links.link_path(secret, form.ending))
        for form in forms_of(question.address)
    ]
    return pages.page(
        "questions", "Your new link", question=question, link=made[0], addresses=addresses
    )


def _named_links(request: Request, question: Question) -> list[QuestionLink]:
    """Return the link in the path, or all; raise a 404 if the link has ended or is of another."""
    links = active_links(request, question)
    if "link" not in request.matchdict:
        return links
    link_id = request.path_text("link")
    return [pages.first_of(link for link in links if link.id == link_id)]


@get("question.link_revoke", _WRITE, "question_link_revoke")
@get("question.links_revoke", _WRITE, "question_link_revoke")
def confirm_revoking(request: Request) -> dict[str, Any]:
    question = _own(request)
    links = _named_links(request, question)
    one = links[0] if "link" in request.matchdict else None
    title = "Revoke a link" if one else "Revoke all links"
    return pages.page("questions", title, question=question, links=links, one=one)


@post("question.link_revoke", _WRITE)
@post("question.links_revoke", _WRITE)
def revoke(request: Request) -> Response:
    question = _own(request)
    links = _named_links(request, question)
    with pages.writing_for_user(request) as storage:
        for link in links:
            question_links.revoke_link(storage, link, request.now)
    is_one = "link" in request.matchdict
    return pages.done(_path(question), "link-revoked" if is_one else "links-revoked")
