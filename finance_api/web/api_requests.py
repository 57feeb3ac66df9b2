"""Requests to the public API that pages show, and its answers.

A page shows a figure and the request that returns it; both come from one `ApiRequest`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote as shell_quote
from urllib.parse import quote, urlencode

from finance_api.http.requests import Request, base_url
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.planning.answers import Answer, ParametersRefused, Reading
from finance_api.questions.asking import Asked, find
from finance_api.serialization.rows import Rows
from finance_api.values import Row

RECORDS_PATH = f"{PUBLIC_SURFACE}records"
SUMMARY = f"{PUBLIC_SURFACE}records/summary"
BALANCES = f"{PUBLIC_SURFACE}accounts/balances"
FORECAST = f"{PUBLIC_SURFACE}accounts/forecast"
UPCOMING = f"{PUBLIC_SURFACE}standing-orders/upcoming"
#: The API has no larger page of groups or of payments; there are fewer currencies.
MOST_GROUPS = "1000"


@dataclass(frozen=True)
class ApiRequest:
    """A GET request. parameters: texts by name, not yet encoded; blank texts are left out.

    about: the figure that this request supplies, if the page needs several requests. saved:
    parameters to use instead when the request is saved as a question, so that its answer stays up
    to date.
    """

    path: str
    parameters: Mapping[str, str]
    about: str = ""
    saved: Mapping[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """Path and query."""
        return self._target(self.parameters)

    @property
    def question(self) -> str:
        """The path and query to save as a question: those of the request, without its offset."""
        return self._target({**self.parameters, "offset": "", **self.saved})

    def _target(self, parameters: Mapping[str, str]) -> str:
        given = {name: text for name, text in parameters.items() if text}
        query = urlencode(given, safe=",.:", quote_via=quote)
        return f"{self.path}?{query}" if query else self.path


recurring_request = ApiRequest(f"{RECORDS_PATH}/recurring", {}, "Recurring payments")


def curl_line(request: Request, token: str, target: str) -> str:
    """Return a curl command for the page's host. token: the token, or a variable like $TOKEN."""
    url = shell_quote(base_url(request) + target)
    # A shell does not replace variables in single quotes.
    mark = '"' if token.startswith("$") else "'"
    return f"curl -H {mark}Authorization: Bearer {token}{mark} {url}"


class ApiAnswers:
    """The API's answers to requests of the signed-in user, as values.

    changed: parameters that the page needs otherwise than it shows them.
    shown: the requests answered so far that say what they are about, for the end of the page.
    """

    def __init__(self, request: Request) -> None:
        user = request.user
        self._registry, self.today = request.registry, request.today
        self.shown: list[ApiRequest] = []
        self._reading = Reading(
            request.storage, user, request.now, as_values=True, known_state=user.data
        )

    def find(self, asked: ApiRequest, **changed: str) -> Asked:
        """Return what the API reads in the request. Raises ParametersRefused."""
        target = replace(asked, parameters={**asked.parameters, **changed}).target
        return find(self._registry, target)

    def get(self, asked: ApiRequest, **changed: str) -> Answer:
        return self._answer(asked, self.find(asked, **changed))

    def get_if_possible(self, asked: ApiRequest, **changed: str) -> Answer | None:
        """Return the answer; None if there is too much to add up, to convert or to compute."""
        found = self.find(asked, **changed)
        try:
            return self._answer(asked, found)
        except ParametersRefused:
            return None

    def _answer(self, asked: ApiRequest, found: Asked) -> Answer:
        answer: Answer = found.answer(self._reading)
        if asked.about and asked not in self.shown:
            self.shown.append(asked)
        return answer

    def sums(self, asked: ApiRequest, **changed: str) -> Answer | None:
        """Return a summary with all its groups; None if there is too much to add up."""
        answer = self.get_if_possible(asked, **changed, limit=MOST_GROUPS)
        return None if answer is None or answer.next_offset is not None else answer

    def course(self, asked: ApiRequest) -> tuple[Sequence[Row], Sequence[Row]]:
        """Return net worth over time: rows by point and currency, and converted rows by point.

        Both are empty if there are too many accounts or points for one answer.
        """
        answer = self.get_if_possible(asked)
        members = {} if answer is None else answer.members
        totals, converted = (
            members.get(name, Rows((), ())) for name in ("totals", "convertedTotals")
        )
        return totals.rows, converted.rows
