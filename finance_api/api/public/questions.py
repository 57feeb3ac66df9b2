"""Saved questions: GET /v1/api/questions, /v1/api/questions/<id>, .../<id>/answer"""

from typing import Any

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.api import responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.api.openapi.schemas import Schema, array_of, of_fields, of_members
from finance_api.api.parameters import page
from finance_api.api.validation import Parameters, ParameterSchema
from finance_api.auth.policy import Permission
from finance_api.http.errors import problem
from finance_api.http.requests import Request
from finance_api.planning.answers import Reading
from finance_api.query.model import MAX_LIMIT
from finance_api.questions import answering
from finance_api.questions.asking import fault_of
from finance_api.resources.tables import QUESTIONS
from finance_api.serialization.formats import OF_LISTS
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question
from finance_api.values.time import instant_text

questions = Service("api.questions", "/v1/api/questions", "Saved questions, by name.")
question = Service("api.questions.one", "/v1/api/questions/" + ID, "One saved question.")
question_answer = Service(
    "api.questions.answer",
    "/v1/api/questions/" + ID + "/answer" + FORMATS,
    "The answer to a saved question, in the envelope that its address has.",
)

_QUESTION = of_fields("Question", QUESTIONS)
_ENVELOPE: Schema = {
    "type": "object",
    "description": "As at the question's address.",
    "additionalProperties": True,
    "examples": [{"groups": [{"month": "2026-01", "net": -42.5}]}],
}


def _document(question: Question, registry: Registry) -> dict[str, Any]:
    return {
        "id": question.id,
        "name": question.name,
        "address": question.address,
        "fault": fault_of(registry, question.address),
        "createdAt": instant_text(question.created_at),
        "updatedAt": instant_text(question.updated_at),
    }


def question_of(reading: Reading, row_id: str) -> Question:
    """Return the user's question. Raises a 404."""
    try:
        return reading.storage.users.get_question(reading.user_id, row_id)
    except NotFound:
        raise problem(404, "There is no question with this id.") from None


def saved_questions(reading: Reading, values: Parameters, registry: Registry) -> dict[str, Any]:
    limit, offset = values["limit"], values["offset"]
    found = reading.storage.users.list_owned(Question, reading.user_id)
    return {
        "questions": [_document(each, registry) for each in found[offset : offset + limit]],
        "limit": limit,
        "offset": offset,
        "nextOffset": offset + limit if offset + limit < len(found) else None,
    }


def one_question(
    reading: Reading, values: Parameters, row_id: str, registry: Registry
) -> dict[str, Any]:
    return _document(question_of(reading, row_id), registry)


@questions.get(
    schema=ParameterSchema(*page(MAX_LIMIT)),
    permission=Permission.QUESTIONS_READ,
    answer=saved_questions,
    response=responses.ResponseDescription(
        of_members("QuestionPage", {"questions": array_of(_QUESTION), **responses.OF_PAGE}),
        headers=responses.OF_UNSTORED,
    ),
)
@question.get(
    schema=ParameterSchema(),
    permission=Permission.QUESTIONS_READ,
    answer=one_question,
    response=responses.ResponseDescription(_QUESTION, headers=responses.OF_UNSTORED),
)
def read_questions(request: Request) -> Response:
    return responding.respond_unstored(request, registry=request.registry)


@question_answer.get(
    schema=ParameterSchema(),
    permission=Permission.QUESTIONS_READ,
    answer=one_question,
    response=responses.ResponseDescription(
        _ENVELOPE,
        OF_LISTS,
        headers=(*responses.OF_DATA, responses.LINK, responses.NEXT_OFFSET, responses.TOTAL),
        problems=(409,),
        text="month,net\r\n2026-01,-42.5\r\n",
    ),
)
def get_answer(request: Request) -> Response:
    reading = Reading(request.storage, request.user, request.now)
    asked = question_of(reading, request.matchdict["id"].lower())
    try:
        return answering.respond(request, request.user, asked, request.matchdict["suffix"])
    except answering.AnswerRefused as refused:
        raise refused.problem from None
