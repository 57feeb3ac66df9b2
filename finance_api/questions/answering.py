"""Answers saved questions with a subrequest to the public API, as the question's owner.

The API uses the same validator, view, response cache and entity tag as for other requests. The
subrequest needs no token and is not counted, because the outer request has passed all tweens.
"""

from pyramid.httpexceptions import HTTPException, HTTPNotFound
from pyramid.response import Response

from finance_api.http.errors import problem
from finance_api.http.identity import LinkIdentity, OwnerIdentity
from finance_api.http.requests import Request
from finance_api.questions.addresses import PATHS, AddressRefused, normal_address
from finance_api.storage.interface import Question, User
from finance_api.values.text import numbers_as_in

#: The parts of the outer request that the answer depends on, besides the address.
_PASSED_ON = (
    *("REQUEST_METHOD", "SCRIPT_NAME", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING"),
    "HTTP_IF_NONE_MATCH",
)


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


def answer(
    request: Request,
    user: User,
    question: Question,
    suffix: str = "",
    *,
    has_conditions: bool = True,
) -> Response:
    """Return the answer, which may be a 304.

    user: the owner, as read for this request. suffix: the suffix of a format, such as .csv.
    has_conditions: whether the client's method and headers, such as Accept, matter.

    Raises AnswerRefused, and errors of the address's view, such as a 406. The caller has to check
    whether the user may use the API.
    """
    try:
        return _ask(request, user, question.address, suffix, has_conditions=has_conditions)
    except AddressRefused as refused:
        raise AnswerRefused(question, refused) from None


def checked_address(request: Request, user: User, text: str) -> str:
    """Check that the address can be answered, and return it in the form to store.

    text: see `normal_address`. Raises AddressRefused.
    """
    address = normal_address(text)
    response = _ask(request, user, address, "", has_conditions=False)
    if response.status_int != 200:
        raise AddressRefused(f"The API answers {response.status} at this address.")
    return address


def _ask(
    request: Request, user: User, address: str, suffix: str, *, has_conditions: bool = True
) -> Response:
    """Return the API's response. has_conditions: see `answer`. Raises AddressRefused."""
    path, _, query = address.partition("?")
    paths = request.registry[PATHS]
    if path not in paths:
        raise AddressRefused(f"{path} is not one of {', '.join(paths)}.")
    kept = _PASSED_ON if has_conditions else ()
    environ = {name: request.environ[name] for name in kept if name in request.environ}
    asked = Request.blank(path + suffix, environ, query_string=query)
    asked.request_id = request.request_id
    is_for_link = isinstance(request.known_identity, LinkIdentity)
    asked.share(request, OwnerIdentity(user, is_for_link))
    try:
        # The API responds the same way to everybody, and its responses may be cached.
        with numbers_as_in(None):
            response = request.invoke_subrequest(asked)
    except HTTPNotFound:
        raise
    except HTTPException as error:
        response = error
    if response.status_int in (400, 409):
        document = response.json_body
        detail: str = document["detail"]
        end = "" if detail.endswith((".", "?")) else "."
        raise AddressRefused(detail + end, document.get("errors", ()))
    if isinstance(response, HTTPException):
        raise response
    return response
