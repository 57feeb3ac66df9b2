"""Requests to the public API that pages show, and their results, computed as the API does.

A page shows a figure and the request that returns it; both come from one `ApiRequest`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from shlex import quote as shell_quote
from urllib.parse import quote, urlencode

from finance_api.http.requests import Request, is_https
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.planning import balances
from finance_api.planning.categories import with_subcategories
from finance_api.planning.computing import list_computed
from finance_api.planning.counted import counted_only, with_flow
from finance_api.planning.hints import find_hints
from finance_api.planning.summaries.declaration import (
    DIMENSIONS,
    SUMS,
    USUAL_SUMS,
    WHOLE,
    SummaryQuery,
)
from finance_api.planning.summaries.reading import SummaryTooLarge
from finance_api.planning.summaries.summary import Summary, summarize
from finance_api.planning.tracking import last_periods, track
from finance_api.planning.upcoming import DueDays, upcoming_days
from finance_api.query.dates import parse_whole_days
from finance_api.query.model import Condition, Query, SortKey
from finance_api.query.parse import parse_conditions, parse_order, parse_sort
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Resource
from finance_api.storage.interface import Page, Storage
from finance_api.values import Row
from finance_api.values.time import Period

SUMMARY = f"{PUBLIC_SURFACE}records/summary"
BALANCES = f"{PUBLIC_SURFACE}accounts/balances"
UPCOMING = f"{PUBLIC_SURFACE}standing-orders/upcoming"

_SUMMARY_SORTS = {column.name: SortKey(column) for column in WHOLE.columns}


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


def curl_line(request: Request, token: str, target: str) -> str:
    """Return a curl command for the page's host. token: the token, or a variable like $TOKEN."""
    # request.scheme is only the scheme between proxy and server.
    scheme = "https" if is_https(request) else "http"
    url = shell_quote(f"{scheme}://{request.host}{target}")
    # A shell does not replace variables in single quotes.
    mark = '"' if token.startswith("$") else "'"
    return f"curl -H {mark}Authorization: Bearer {token}{mark} {url}"


class ApiResults:
    """Results of the signed-in user's requests."""

    def __init__(self, request: Request) -> None:
        self._storage: Storage = request.storage
        user = request.user
        self._user_id, self._base_currency = user.id, user.base_currency
        self.today = request.today

    def summary(self, asked: ApiRequest) -> Summary | None:
        """Return the sums; None if there are too many to add up or to convert."""
        given = asked.parameters
        conditions = self._conditions(RECORDS, given)
        names = given["groupBy"].split(",") if given.get("groupBy") else []
        query = SummaryQuery(
            conditions=conditions,
            group_by=tuple(DIMENSIONS[name] for name in names),
            fill=given.get("fill") == "true",
            sort=parse_order(_SUMMARY_SORTS, given["sortBy"]) if given.get("sortBy") else (),
            limit=int(given.get("limit") or (100 if names else len(CURRENCIES))),
            convert_to=given.get("convertTo") or None,
            today=self.today,
            base_currency=self._base_currency,
            sums=tuple(SUMS[name] for name in given["columns"].split(","))
            if given.get("columns")
            else USUAL_SUMS,
        )
        try:
            return summarize(self._storage, self._user_id, query)
        except SummaryTooLarge:
            return None

    def course(self, asked: ApiRequest) -> tuple[list[Row], list[Row]]:
        """Return net worth over time: rows by point and currency, and converted rows by point.

        Both are empty if there are too many accounts or points for one answer.
        """
        given = asked.parameters
        days = (given.get(name) for name in ("from", "to"))
        begin, end = (parse_whole_days(day).on(self.today) if day else None for day in days)
        query = balances.BalancesQuery(
            Period(given["interval"]),
            begin.first if begin else None,
            end.last_day if end else None,
            self._conditions(RECORDS, given),
        )
        try:
            found = balances.list_balances(self._storage, self._user_id, query, self.today)
        except balances.BalancesError:
            return [], []
        converted = []
        if target := given.get("convertTo"):
            rows = balances.balance_rows(found, query.interval)
            converted = balances.converted_totals(
                balances.with_converted_balances(self._storage, rows, target)
            )
        return balances.balance_totals(found, query.interval), converted

    def periods(self, budget: Row, asked: ApiRequest) -> list[Row]:
        """Return the last periods of a budget, newest first."""
        periods = last_periods(budget, self.today, int(asked.parameters["last"]))
        return track(self._storage, self._user_id, [(budget, period) for period in periods])

    def upcoming(self, asked: ApiRequest) -> DueDays:
        """Return the days on which standing orders are due. Raises TooManyDueDays."""
        return upcoming_days(
            self._storage, self._user_id, self.today, int(asked.parameters["days"])
        )

    def page(self, resource: Resource, asked: ApiRequest) -> Page:
        """Return a page of rows, without their total."""
        query = self._query(resource, asked)
        return list_computed(self._storage, self._user_id, query, self.today)

    def total(self, resource: Resource, asked: ApiRequest) -> int:
        return self._storage.data.count_rows(self._user_id, self._query(resource, asked))

    def _query(self, resource: Resource, asked: ApiRequest) -> Query:
        given = asked.parameters
        return Query(
            resource,
            self._conditions(resource, given),
            parse_sort(resource, given.get("sortBy") or resource.default_sort),
            int(given["limit"]),
            int(given.get("offset") or 0),
        )

    def hints(self, resource: Resource, asked: ApiRequest) -> list[str]:
        """Return why there are no rows: names in the filters that the user does not have."""
        conditions = _asked_conditions(resource, asked.parameters)
        return find_hints(self._storage, self._user_id, resource, conditions)

    def _conditions(self, resource: Resource, given: Mapping[str, str]) -> tuple[Condition, ...]:
        return conditions_of(self._storage, self._user_id, self.today, resource, given)


def conditions_of(
    storage: Storage, user_id: int, today: int, resource: Resource, given: Mapping[str, str]
) -> tuple[Condition, ...]:
    """Return the conditions that the parameters of a request stand for. Raises QueryError."""
    conditions = tuple(c.on(today) for c in _asked_conditions(resource, given))
    if given.get("withSubcategories") == "true":
        conditions = with_subcategories(storage, user_id, resource, conditions)
    if given.get("flow"):
        conditions = with_flow(storage, user_id, given["flow"], conditions)
    if given.get("counted") == "true":
        conditions = counted_only(storage, user_id, conditions)
    return conditions


def _asked_conditions(resource: Resource, given: Mapping[str, str]) -> list[Condition]:
    """Return the conditions of ``q`` and of the parameters that are fields. Raises QueryError."""
    found: list[Condition] = []
    for name, text in given.items():
        field = resource.get_field(name)
        if text and field is not None:
            found += parse_conditions(field, text)
    if given.get("q"):
        found += parse_words(given["q"])
    return found
