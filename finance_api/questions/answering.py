"""Answers saved questions, as their owner: as values, or as the API responds to their addresses.

The API uses the same schema, answer, response cache and entity tag as for other requests.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from pyramid.httpexceptions import HTTPException
from pyramid.response import Response

from finance_api.http.errors import problem, words_about
from finance_api.http.requests import Request
from finance_api.planning.answers import HINTS, Answer, OtherRevision, ParametersRefused, Reading
from finance_api.questions.addresses import AddressRefused, normal_address
from finance_api.questions.asking import find_page
from finance_api.runtime.time_limit import TookTooLong, time_limit
from finance_api.serialization.rows import Rows, exact_documents
from finance_api.storage.interface import Question, User

#: The registry's item: the function of the API that responds to the address of a saved question.
#: It takes the request, the owner, the address, and the last three arguments of `respond`.
RESPOND = "finance_api.respond_to_question"


class OwnForm(NamedTuple):
    """A form of an answer that the API does not have.

    write: makes the body. depends_on: what the body depends on besides the answer.
    is_whole: whether it has all rows; if not, it has those of the first page.
    """

    content_type: str
    write: Callable[[Answer], bytes]
    depends_on: str
    is_whole: bool = True


class AnswerRefused(AddressRefused):
    """A saved question can no longer be answered; the message says which, and what to change.

    errors: the faults of the saved address, as in problem documents.
    """

    def __init__(self, question: Question, refused: AddressRefused) -> None:
        super().__init__(
            f'The question "{question.name}" can no longer be answered: {refused} Change its '
            f"address.",
            refused.errors,
        )
        self.question = question

    @property
    def problem(self) -> HTTPException:
        """A 409 to raise or to return: the request is right, and the question must be changed."""
        question = self.question
        return problem(
            409, str(self), errors=self.errors, question=question.name, questionId=question.id
        )


def respond(
    request: Request,
    user: User,
    question: Question,
    suffix: str = "",
    own_form: OwnForm | None = None,
    *,
    is_for_link: bool = False,
) -> Response:
    """Return the API's response, which may be a 304.

    user: the owner, as read for this request. The caller has to check whether the user may use the
    API. suffix: that of one of the API's formats, such as .csv. is_for_link: whether everybody who
    knows a link sees the answer; the Accept header then changes nothing. Raises AnswerRefused, and
    what the view of the address raises, such as a 406.
    """
    with _refusing(question):
        respond_to = request.registry[RESPOND]
        response: Response = respond_to(
            request, user, question.address, suffix, own_form, is_for_link=is_for_link
        )
        return response


def refuse_empty(answer: Answer) -> None:
    """Raise a 409 if the answer is empty because something in the question is gone.

    For forms that have no place for hints.
    """
    hints = answer.read_members().get(HINTS)
    if hints:
        raise problem(409, " ".join(hints))


def answer(request: Request, user: User, question: Question) -> Answer:
    """Return the answer as values. Raises AnswerRefused."""
    with _refusing(question):
        return _ask(request, user, question.address)


def answer_in(seconds: float, request: Request, user: User, question: Question) -> Answer | None:
    """Return the answer, or None if it takes longer. Raises AnswerRefused."""
    if seconds <= 0:
        return None
    try:
        with time_limit(seconds):
            return answer(request, user, question)
    except TookTooLong:
        # The unit of work reads no more.
        request.close_storage()
        return None


def try_address(request: Request, user: User, text: str) -> tuple[str, Answer]:
    """Return an address in the form to store, and its answer.

    text: see `normal_address`. Raises AddressRefused.
    """
    address = normal_address(text)
    with _refusing():
        return address, _ask(request, user, address)


def checked_address(request: Request, user: User, text: str) -> str:
    """Check that the address can be answered, and return it in the form to store.

    text: see `normal_address`. Raises AddressRefused.
    """
    return try_address(request, user, text)[0]


def document_of(answer: Answer) -> dict[str, Any]:
    """Return the members of the answer's envelope, rows first; amounts are exact, as Decimal."""
    members = {answer.name: Rows(answer.columns, answer.rows), **answer.read_members()}
    return {n: exact_documents(*m) if isinstance(m, Rows) else m for n, m in members.items()}


def _ask(request: Request, user: User, address: str) -> Answer:
    """Ask in a place of the bulkhead, as the owner, and read all members; for an export, a page."""
    asked = find_page(request.registry, address)

    def read() -> Answer:
        answer: Answer = asked.answer(Reading(request.storage, user, request.now, as_values=True))
        # Reading members may find another fault, and needs the same place.
        return replace(answer, members=answer.read_members())

    return request.in_place(read, user.id, is_cheap=asked.is_cheap)


@contextmanager
def _refusing(question: Question | None = None) -> Iterator[None]:
    """Turn what is wrong with an address into AddressRefused; for a question, AnswerRefused."""
    try:
        yield
    except AddressRefused as error:
        refused = error
    except OtherRevision as error:
        refused = AddressRefused(str(error))
    except ParametersRefused as error:
        detail, errors = words_about(error.faults)
        end = "" if detail.endswith((".", "?")) else "."
        refused = AddressRefused(detail + end, errors)
    else:
        return
    raise refused if question is None else AnswerRefused(question, refused)
