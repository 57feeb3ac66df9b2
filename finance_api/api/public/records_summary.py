"""GET /v1/api/records/summary"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.listing import next_link
from finance_api.api.openapi.responses import Header, ResponseDescription, table_response
from finance_api.api.openapi.schemas import array_of, of_members, of_names, of_order, value
from finance_api.api.parameters import (
    CONVERT_TO,
    SORT_MEANING,
    WITH_SUBCATEGORIES,
    Fault,
    ParameterSchema,
    Scalar,
    conditions_of,
)
from finance_api.api.representation import HeaderItems, Representation, negotiate
from finance_api.api.service import in_every_form, public, refusal
from finance_api.api.tables import TableResponse, next_offset_header, page_members, write_table
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.planning.subcategories import with_subcategories
from finance_api.planning.summaries.declaration import (
    DIMENSIONS,
    LEFT_OUT,
    Dimension,
    SummaryQuery,
)
from finance_api.planning.summaries.folding import summarize
from finance_api.planning.summaries.reading import MAX_GROUPS, SummaryTooLarge
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import Query, SortKey
from finance_api.query.parse import parse_names, parse_order
from finance_api.query.render import canonical_text
from finance_api.resources import RECORDS
from finance_api.storage.interface import Storage
from finance_api.values.time import date_text

MAX_PAGE = 1_000
DEFAULT_GROUPS = 100
MAX_DIMENSIONS = 3

_DATE = {"type": "string", "format": "date"}
_NO_ENVELOPE = "Where there is no envelope: "
_HEADERS = (
    Header(
        "X-Left-Out",
        f"{_NO_ENVELOPE}leftOut.",
        "void=0, transfers=2, excluded=0",
        always=False,
        of_body=True,
    ),
    Header("X-Overlapping", f"{_NO_ENVELOPE}overlapping.", "false", always=False, of_body=True),
    Header(
        "X-Not-Converted",
        f"{_NO_ENVELOPE}how many records of notConverted.",
        "USD=2",
        always=False,
        of_body=True,
    ),
)

#: By every column that a summary can have.
_SORT_KEYS = {
    column.name: SortKey(column)
    for column in SummaryQuery(group_by=tuple(DIMENSIONS.values()), convert_to="EUR").columns
}


def _group_by(text: str) -> tuple[Dimension, ...]:
    found = parse_names(DIMENSIONS, text)
    if len(found) > MAX_DIMENSIONS:
        raise QueryError(f"{len(found)} are given; at most {MAX_DIMENSIONS} are allowed")
    return tuple(DIMENSIONS[word] for word in found)


def _include(text: str) -> frozenset[str]:
    return frozenset(parse_names(LEFT_OUT, text))


def _sorts_by_its_columns(parameters: Mapping[str, Any]) -> Fault | None:
    query = SummaryQuery(group_by=parameters["groupBy"], convert_to=parameters[CONVERT_TO])
    columns = [column.name for column in query.columns]
    for key in parameters["sortBy"]:
        if key.field.name not in columns:
            message = f"{quoted(key.field.name)} is not a column of these groups; they have "
            return "sortBy", message + ", ".join(columns)
    return None


def _fills_periods(parameters: Mapping[str, Any]) -> Fault | None:
    query = SummaryQuery(group_by=parameters["groupBy"])
    if parameters["fill"] and query.group_by and not query.periods:
        periods = ", ".join(name for name, found in DIMENSIONS.items() if found.period)
        return "fill", f"needs a period in groupBy: {periods}; or no groupBy"
    return None


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    groups = of_names(DIMENSIONS, ["category", "month"], uniqueItems=True, maxItems=MAX_DIMENSIONS)
    included = of_names(LEFT_OUT, ["transfers"], uniqueItems=True)
    order = Scalar(partial(parse_order, _SORT_KEYS), of_order(_SORT_KEYS, ""))
    meaning = (
        "What the records of a group have in common, beside the currency. More than "
        f"{MAX_GROUPS:,} groups are refused."
    )
    schema.add_parameter("groupBy", Scalar(_group_by, groups), (), meaning)
    meaning = "What is counted, too, and else left out."
    schema.add_parameter("include", Scalar(_include, included), frozenset(), meaning)
    meaning = "Whether there are groups of zeros too: for empty periods, and if nothing matches."
    schema.add_flag("fill", meaning)
    schema.add_parameter("sortBy", order, (), SORT_MEANING)
    schema.add_page(MAX_PAGE, DEFAULT_GROUPS)
    schema.add_conversion(CONVERT_TO)
    schema.add_filters(RECORDS)
    schema.rules = (_sorts_by_its_columns, _fills_periods)
    return schema


def _response() -> ResponseDescription:
    whole = SummaryQuery(group_by=tuple(DIMENSIONS.values()), convert_to="EUR").columns
    always = SummaryQuery().columns
    count = {"type": "integer"}
    left_out = {name: value(count, "How many records.", 0) for name in LEFT_OUT}
    not_converted = of_members(
        None,
        {
            "currencyCode": value({"type": "string"}, "The currency.", "USD"),
            "count": value(count, "How many records.", 2),
            "days": value(count, "Of how many days.", 1),
            "firstDate": value(_DATE, "The first of them.", "2026-01-02"),
            "lastDate": value(_DATE, "The last of them.", "2026-01-30"),
        },
    )
    overlapping = value({"type": "boolean"}, "Whether a record counts in several groups.", False)
    return table_response(
        "Group",
        "groups",
        always,
        {"leftOut": of_members(None, left_out), "overlapping": overlapping},
        sometimes=[column for column in whole if column not in always],
        optional={"notConverted": array_of(not_converted)},
        headers=_HEADERS,
        is_paged=True,
    )


class SummaryRequest(DataRequest):
    """A page of groups, and how many records were left out."""

    def __init__(
        self,
        representation: Representation | None,
        target: RequestTarget,
        today: int | None = None,
        base_currency: str | None = None,
    ) -> None:
        """representation: None: the one that the client prefers. today: to mean relative days."""
        self._representation = representation or negotiate(target.accept)
        self._target = target
        self._today = today
        given = target.parameters
        self._with_subcategories: bool = given[WITH_SUBCATEGORIES]
        conditions = conditions_of(RECORDS, given)
        records = Query(RECORDS, conditions, given["sortBy"], given["limit"], given["offset"])
        self.depends_on_base = given["fill"]
        self.depends_on_today = records.is_relative or given["fill"]
        if today is not None:
            records = records.on(today)
        self._query = SummaryQuery(
            records.conditions,
            given["groupBy"],
            given["include"],
            given["fill"],
            given["sortBy"],
            given["limit"],
            given["offset"],
            given[CONVERT_TO],
            today or 0,
            base_currency,
        )
        self.convert_to = self._query.convert_to
        self.text = self._canonical_text(records)
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)

    def on(self, today: int) -> "SummaryRequest":
        return SummaryRequest(self._representation, self._target, today)

    def in_base(self, currency: str | None) -> "SummaryRequest":
        return SummaryRequest(self._representation, self._target, self._today, currency)

    def _canonical_text(self, records: Query) -> str:
        query = self._query
        group_by = ",".join(dimension.name for dimension in query.group_by)
        include = ",".join(sorted(query.include))
        own = f"groupBy={group_by}&include={include}&fill={query.fill}"
        own += f"&{WITH_SUBCATEGORIES}={self._with_subcategories}&{CONVERT_TO}={query.convert_to}"
        return "\0".join(["summary", own, canonical_text(records)])

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        query = self._query
        state = storage.data.get_state(user_id)
        if self._with_subcategories:
            conditions = with_subcategories(storage, user_id, RECORDS, query.conditions)
            query = replace(query, conditions=conditions)
        try:
            found = summarize(storage, user_id, query)
        except SummaryTooLarge as error:
            name = error.parameter or ("fill" if query.fill else "groupBy")
            raise refusal([(name, str(error))]) from None
        page = page_members(query.limit, query.offset, has_more=found.has_more)
        members: dict[str, Any] = {"leftOut": found.left_out, "overlapping": found.overlapping}
        headers: HeaderItems = (
            *next_offset_header(page),
            ("X-Left-Out", _counts(found.left_out)),
            ("X-Overlapping", "true" if found.overlapping else "false"),
        )
        if query.convert_to is not None:
            missing = found.not_converted
            members["notConverted"] = [_not_converted(*each) for each in missing.items()]
            numbers = {currency: len(days) for currency, days in missing.items()}
            headers += (("X-Not-Converted", _counts(numbers)),)
        members |= page
        table = TableResponse("groups", query.columns, found.groups, members, headers)
        body, headers = write_table(table, self._representation)
        return Payload(state, body, (*headers, *next_link(self._target, page["nextOffset"])))


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={number}" for name, number in numbers.items())


def _not_converted(currency: str, days: Sequence[int]) -> dict[str, Any]:
    """days: those of the records, each once for each record."""
    return {
        "currencyCode": currency,
        "count": len(days),
        "days": len(set(days)),
        "firstDate": date_text(min(days)),
        "lastDate": date_text(max(days)),
    }


def get_summary(request: Request, form: Representation | None) -> Response:
    return respond(request, SummaryRequest, form)


SERVICES = tuple(
    in_every_form(
        "/v1/api/records/summary",
        get_summary,
        **public(
            RECORDS, Permission.RECORDS_READ, _schema(), "Sums of records, by groups.", _response()
        ),
    )
)
