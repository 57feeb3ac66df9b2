"""Saved questions: list, answer, form, removal."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.auth.question_links import revoke_links
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE, QUESTIONS_PAGE
from finance_api.questions.addresses import PATHS, AddressRefused, fault_of
from finance_api.questions.answering import AnswerRefused, answer, checked_address
from finance_api.questions.saved import (
    MAX_NAME_CHARACTERS,
    QuestionRefused,
    add_question,
    change_question,
    checked_name,
)
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question, WritableStorage
from finance_api.values.time import date_text
from finance_api.web.answer_tables import answer_table
from finance_api.web.api_results import ApiRequest
from finance_api.web.kept_forms import kept_form
from finance_api.web.page import (
    done,
    form_text,
    identity_of,
    page,
    path_id,
    refused,
    today_of,
    writing_for_user,
)
from finance_api.web.routes import get, post
from finance_api.web.views.question_links import links_of

_READ, _WRITE = Permission.QUESTIONS_SHOW, Permission.QUESTIONS_CHANGE
_FIELDS = ("name", "address")
_DOWNLOADS = ("csv", "xlsx", "ndjson")


def _own(request: Request) -> Question:
    """The question in the path; 404 if the user has no such question."""
    user_id = identity_of(request).user.id
    try:
        return request.storage.questions.get(user_id, path_id(request))
    except NotFound:
        raise HTTPNotFound() from None


@get("questions", _READ, "questions")
def list_questions(request: Request) -> dict[str, Any]:
    found = request.storage.questions.list_by_user(identity_of(request).user.id)
    rows = [(each, fault_of(request.registry, each.address)) for each in found]
    asked = ApiRequest(f"{PUBLIC_SURFACE}questions", {})
    return page("questions", "Questions", rows=rows, api=[asked])


# -- one question and its answer


@get("question", _READ, "question")
def show_question(request: Request) -> dict[str, Any]:
    question = _own(request)
    table, document, fault = None, {}, None
    try:
        response = answer(request, identity_of(request).user, question, has_conditions=False)
        document = json.loads(response.body, parse_float=Decimal)
        table = answer_table(document, question.address)
    except AnswerRefused as error:
        fault = str(error)
    return page(
        "questions",
        question.name,
        question=question,
        table=table,
        has_more=document.get("nextOffset") is not None,
        links=links_of(request, question),
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
    user = identity_of(request).user
    try:
        response = answer(request, user, question, f".{form}", has_conditions=False)
    except AnswerRefused as error:
        raise error.problem from None
    name = f"answer-{date_text(today_of(request))}.{form}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


# -- adding and changing


def _form(
    request: Request, values: Mapping[str, str], question: Question | None, **variables: Any
) -> dict[str, Any]:
    title = "New question" if question is None else f"Change {question.name}"
    return page(
        "questions",
        title,
        question=question,
        values=values,
        paths=tuple(request.registry[PATHS]),
        links=0 if question is None else len(links_of(request, question).active),
        most=MAX_NAME_CHARACTERS,
        **{"errors": {}, "is_kept": False, **variables},
    )


def _shown_form(
    request: Request, values: Mapping[str, str], question: Question | None
) -> dict[str, Any]:
    """Show a form as it was sent before its session ended, or with these values."""
    sent = kept_form(request)
    if sent is not None:
        values = {name: str(sent.get(name, "")) for name in _FIELDS}
    return _form(request, values, question, is_kept=sent is not None)


@get("question.new", _WRITE, "question_form")
def show_new(request: Request) -> dict[str, Any]:
    return _shown_form(request, {name: request.GET.get(name, "") for name in _FIELDS}, None)


@post("question.new", _WRITE, "question_form")
def add(request: Request) -> Any:
    def save(storage: WritableStorage, address: str) -> Question:
        user, now = identity_of(request).user, request.services.clock.now()
        return add_question(
            storage, user, name=form_text(request, "name"), address=address, now=now
        )

    return _saved(request, None, save)


@get("question.edit", _WRITE, "question_form")
def show_edit(request: Request) -> dict[str, Any]:
    question = _own(request)
    return _shown_form(request, {name: getattr(question, name) for name in _FIELDS}, question)


@post("question.edit", _WRITE, "question_form")
def change(request: Request) -> Any:
    question = _own(request)

    def save(storage: WritableStorage, address: str) -> Question:
        name, now = form_text(request, "name"), request.services.clock.now()
        if address != question.address and not form_text(request, "keep_links"):
            revoke_links(storage, question.user_id, now, question.id)
        return change_question(storage, question, name=name, address=address, now=now)

    return _saved(request, question, save)


def _saved(request: Request, question: Question | None, save: Any) -> Any:
    """Check the form, save it, and redirect to the question; or show the form with its errors."""
    values = {name: form_text(request, name) for name in _FIELDS}
    errors, address = {}, ""
    try:
        checked_name(values["name"])
    except QuestionRefused as error:
        errors["name"] = str(error)
    try:
        address = checked_address(request, identity_of(request).user, values["address"])
    except AddressRefused as error:
        errors["address"] = str(error)
    if not errors:
        try:
            with writing_for_user(request) as storage:
                saved = save(storage, address)
            return done(f"{QUESTIONS_PAGE}/{saved.id}", "saved")
        except QuestionRefused as error:
            errors["name"] = str(error)
        except NotFound:
            raise HTTPNotFound() from None
    return refused(request, _form(request, values, question, errors=errors))


# -- removal


@get("question.remove", _WRITE, "question_remove")
def confirm_removal(request: Request) -> dict[str, Any]:
    question = _own(request)
    links = len(links_of(request, question).active)
    return page("questions", "Remove a question", question=question, links=links)


@post("question.remove", _WRITE)
def remove(request: Request) -> Response:
    user_id, question_id = identity_of(request).user.id, path_id(request)
    try:
        with writing_for_user(request) as storage:
            storage.questions.delete(user_id, question_id)
            revoke_links(storage, user_id, request.services.clock.now(), question_id)
    except NotFound:
        raise HTTPNotFound() from None
    return done(QUESTIONS_PAGE, "question-removed")
