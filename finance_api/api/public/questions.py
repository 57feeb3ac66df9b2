"""GET /v1/api/questions, /v1/api/questions/<id> and /v1/api/questions/<id>/answer"""

from typing import Any

from pyramid.response import Response

from finance_api.api.data_request import unstored_response
from finance_api.api.openapi import responses
from finance_api.api.openapi.schemas import Schema, array_of, date_time, of_members, value
from finance_api.api.parameters import ParameterSchema, page
from finance_api.api.representation import JSON, OF_LISTS, negotiate
from finance_api.api.service import Service
from finance_api.auth.personal_tokens import QUESTIONS
from finance_api.auth.policy import Permission, own_data
from finance_api.http.errors import problem
from finance_api.http.requests import Request
from finance_api.query.model import MAX_LIMIT
from finance_api.questions.addresses import fault_of
from finance_api.questions.answering import AnswerRefused, answer
from finance_api.resources.common import EXAMPLE_ID
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question
from finance_api.values.ids import FORM
from finance_api.values.time import instant_text

_QUESTION = of_members(
    "Question",
    {
        "id": value("Identifier.", EXAMPLE_ID, format="uuid"),
        "name": value("Name.", "Groceries by month"),
        "address": value(
            "The API request that answers it.", "/v1/api/records/summary?groupBy=month"
        ),
        "fault": value(
            "Why the address is not valid; null if it is valid.", None, type=["string", "null"]
        ),
        "createdAt": date_time("When it was saved."),
        "updatedAt": date_time("When it was last changed."),
    },
)
_ENVELOPE: Schema = {
    "type": "object",
    "description": "As at the question's address.",
    "additionalProperties": True,
    "examples": [{"groups": [{"month": "2026-01", "net": -42.5}]}],
}


def _document(request: Request, question: Question) -> dict[str, Any]:
    return {
        "id": question.id,
        "name": question.name,
        "address": question.address,
        "fault": fault_of(request.registry, question.address),
        "createdAt": instant_text(question.created_at),
        "updatedAt": instant_text(question.updated_at),
    }


def _response(request: Request, document: dict[str, Any]) -> Response:
    negotiate(request.environ.get("HTTP_ACCEPT"), (JSON,))
    return unstored_response(request, document)


def _asked(request: Request) -> Question:
    """Return the question that the path names. Raises a 404."""
    question_id = request.matchdict["id"].lower()
    try:
        return request.storage.questions.get(request.context.user_id, question_id)
    except NotFound:
        raise problem(404, "There is no question with this id.") from None


def list_questions(request: Request) -> Response:
    limit, offset = request.validated["limit"], request.validated["offset"]
    found = request.storage.questions.list_by_user(request.context.user_id)
    document = {
        "questions": [_document(request, each) for each in found[offset : offset + limit]],
        "limit": limit,
        "offset": offset,
        "nextOffset": offset + limit if offset + limit < len(found) else None,
    }
    return _response(request, document)


def get_question(request: Request) -> Response:
    return _response(request, _document(request, _asked(request)))


def get_answer(request: Request) -> Response:
    try:
        suffix = request.matchdict["suffix"]
        return answer(request, request.identity.user, _asked(request), suffix)
    except AnswerRefused as refused:
        raise refused.problem from None


_DECLARED: dict[str, Any] = {
    "scopes": (QUESTIONS,),
    "permission": Permission.QUESTIONS_READ,
    "factory": own_data(QUESTIONS, Permission.QUESTIONS_READ),
}
_PATH = f"/v1/api/{QUESTIONS}"
SERVICES = (
    Service(
        _PATH,
        list_questions,
        "Saved questions, by name.",
        response=responses.ResponseDescription(
            of_members("QuestionPage", {"questions": array_of(_QUESTION), **responses.OF_PAGE}),
            headers=responses.OF_UNSTORED,
        ),
        schema=ParameterSchema(*page(MAX_LIMIT)),
        **_DECLARED,
    ),
    Service(
        f"{_PATH}/{{id:{FORM}}}",
        get_question,
        "One saved question.",
        response=responses.ResponseDescription(_QUESTION, headers=responses.OF_UNSTORED),
        schema=ParameterSchema(),
        **_DECLARED,
    ),
    Service(
        f"{_PATH}/{{id:{FORM}}}/answer",
        get_answer,
        "The answer to a saved question, in the envelope that its address has.",
        response=responses.ResponseDescription(
            _ENVELOPE,
            OF_LISTS,
            headers=(*responses.OF_DATA, responses.LINK, responses.NEXT_OFFSET, responses.TOTAL),
            problems=(409,),
            text="month,net\r\n2026-01,-42.5\r\n",
        ),
        schema=ParameterSchema(),
        **_DECLARED,
    ),
)
