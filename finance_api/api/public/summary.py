"""Sums of records by groups: GET /v1/api/records/summary"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, Service
from finance_api.api.openapi.conditions import having_pattern
from finance_api.api.openapi.responses import HINTS_SCHEMA, table_response, without_envelope
from finance_api.api.openapi.schemas import (
    array_of,
    of_members,
    of_names,
    of_order,
    one_or_more,
    value,
)
from finance_api.api.rendering import HeaderItems
from finance_api.auth.authentication import require_scopes
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import HINTS, Answer, Reading
from finance_api.planning.conditions import resolved
from finance_api.planning.summaries.declaration import WHOLE, SummaryQuery
from finance_api.planning.summaries.reading import MAX_GROUPS
from finance_api.planning.summaries.summary import count_records, summarize
from finance_api.query.dates import parse_days_between
from finance_api.query.dimensions import DIMENSIONS, Dimension
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import Condition, GroupCondition, Query, RelativeDate, SortKey, Span
from finance_api.query.operators import RANGES, Operator
from finance_api.query.parse import MAX_CONDITIONS, parse_conditions, parse_names, parse_order
from finance_api.query.patterns import DAYS_BETWEEN
from finance_api.query.suggestions import question
from finance_api.query.sums import LEFT_OUT, SUMS, USUAL_SUMS, Column, Compare
from finance_api.resources import RECORDS
from finance_api.resources.field import Kind
from finance_api.values.time import MONTHS, Period, date_text

MAX_PAGE = 1_000
MAX_DIMENSIONS = 3

_HEADERS = (
    without_envelope("X-Left-Out", "leftOut", "void=0, transfers=2, excluded=0"),
    without_envelope("X-Overlapping", "overlapping", "false"),
    without_envelope("X-Total-Count", "groupCount", "31"),
    without_envelope("X-Not-Converted", "the number of records in notConverted", "USD=2"),
)

#: A sort key for every column that a summary can have.
_SORT_KEYS = {column.name: SortKey(column) for column in WHOLE.columns}
#: The columns that ``having`` can compare. A summary has some of them, depending on parameters.
_COMPARABLE = {
    column.name: column for column in WHOLE.columns if column.kind in (Kind.NUMBER, Kind.DATE)
}


def _columns(text: str) -> tuple[Column, ...]:
    return tuple([SUMS[name] for name in parse_names(SUMS, text)])


def _group_by(text: str) -> tuple[Dimension, ...]:
    return tuple(DIMENSIONS[word] for word in parse_names(DIMENSIONS, text))


def _include(text: str) -> frozenset[str]:
    return frozenset(parse_names(LEFT_OUT, text))


def _compare(text: str) -> Compare | Span | RelativeDate:
    if text in [*Compare]:
        return Compare(text)
    try:
        return parse_days_between(text)
    except QueryError as error:
        meant = question([text], [*Compare])
        forms = f"{', '.join(Compare)}, a period or two days with a slash"
        raise QueryError(f"takes {forms}: {error}{meant}") from None


def _having(text: str) -> list[GroupCondition]:
    """Parse conditions on a column of the groups."""
    name, _, conditions = text.partition(".")
    if name not in _COMPARABLE:
        raise QueryError(
            f"{quoted(name)} is not a column with numbers or dates; write a condition such as "
            f"net.lt.-100 or firstDate.gte.2026-03{question([name], _COMPARABLE)}"
        )
    for part in conditions.split(","):
        if part.partition(".")[0] in _COMPARABLE:
            raise QueryError(
                f"{quoted(part)} names a column after a comma; write having=spent.gt.1,lt.5 for "
                "two conditions on a column, and a second having for another column"
            )
    return [GroupCondition(each) for each in parse_conditions(_COMPARABLE[name], conditions)]


def _by_relative_days(having: Sequence[GroupCondition]) -> Collection[freshness.Source]:
    is_relative = any(isinstance(each.condition.operand, RelativeDate) for each in having)
    return (freshness.DAY,) if is_relative else freshness.NOTHING


def _names_its_columns(values: Mapping[str, Any]) -> validation.Fault | None:
    query = SummaryQuery(
        group_by=values["groupBy"],
        convert_to=values[parameters.CONVERT_TO],
        merges=values[_MERGE],
        sums=values["columns"],
        compare=values["compare"],
    )
    columns = [column.name for column in query.columns]
    named = [("sortBy", key.field.name) for key in values["sortBy"]]
    named += [("having", each.condition.field.name) for each in values["having"]]
    for by, name in named:
        if name not in columns:
            message = f"{quoted(name)} is not a column of these groups; their columns are "
            return by, message + ", ".join(columns)
    return None


def _compares_days(values: Mapping[str, Any]) -> validation.Fault | None:
    conditions: Sequence[Condition] = values["recordDate"]
    operators = {condition.operator for condition in conditions}
    periods = {period for _, period in SummaryQuery(group_by=values["groupBy"]).periods}
    message = None
    if values["compare"] is None:
        return None
    if not operators:
        message = "needs days to compare: add a recordDate such as recordDate=eq.this-month"
    elif not operators & _BEGINNING:
        message = "needs the first day of the period: add a recordDate such as gte.this-year"
    elif not operators <= {*RANGES}:
        negated = sorted(operator.value.word for operator in operators - {*RANGES})
        message = (
            f"does not take {' or '.join(negated)} on recordDate: name its days with gte. and lte."
        )
    elif Period.WEEK in periods and periods & MONTHS.keys():
        message = "does not take week beside month, quarter or year in groupBy: leave out week"
    return None if message is None else ("compare", message)


_BEGINNING = {Operator.EQ, Operator.GT, Operator.GTE}


def _adds_up_periods(values: Mapping[str, Any]) -> validation.Fault | None:
    has_periods = bool(SummaryQuery(group_by=values["groupBy"]).periods)
    running = [column.name for column in values["columns"] if column.is_running]
    if has_periods or not running:
        return None
    return "columns", f"{running[0]} needs a period in groupBy ({_periods()})"


def _periods() -> str:
    return ", ".join(name for name, found in DIMENSIONS.items() if found.period)


def _fills_periods(values: Mapping[str, Any]) -> validation.Fault | None:
    query = SummaryQuery(group_by=values["groupBy"])
    if values["fill"] and query.group_by and not query.periods:
        return "fill", f"needs a period in groupBy ({_periods()}), or no groupBy at all"
    return None


def _has_groups_of_best(values: Mapping[str, Any]) -> validation.Fault | None:
    if not values["top"]:
        return None
    if len(values["groupBy"]) < 2:
        return "top", (
            "needs two dimensions, such as groupBy=month,category for the best categories of each "
            "month; with fewer, limit gives the best rows"
        )
    if not values["sortBy"]:
        return "top", "needs sortBy, which says what is best, such as sortBy=-spent"
    return None


def _merges_currencies(values: Mapping[str, Any]) -> validation.Fault | None:
    if values[_MERGE] and values[parameters.CONVERT_TO] is None:
        return _MERGE, "needs the currency of the sums: add for example convertTo=EUR"
    return None


_MERGE = "mergeCurrencies"


def _by_the_day(columns: Sequence[Column]) -> Collection[freshness.Source]:
    return (freshness.DAY,) if any(column.by_day for column in columns) else freshness.NOTHING


class SummarySchema(parameters.DataSchema):
    rules = (
        _names_its_columns,
        _fills_periods,
        _compares_days,
        _adds_up_periods,
        _merges_currencies,
        _has_groups_of_best,
    )
    group_by = parameters.parameter(
        "groupBy",
        parameters.Listed(
            _group_by,
            of_names(DIMENSIONS, ["category", "month"], uniqueItems=True, maxItems=MAX_DIMENSIONS),
        ),
        "Fields that the records of a group have in common, in addition to the currency. A "
        f"request that would return more than {MAX_GROUPS:,} groups is refused.",
        validator=parameters.at_most(MAX_DIMENSIONS, "dimensions"),
    )
    columns = parameters.parameter(
        "columns",
        parameters.Listed(_columns, of_names(SUMS, ["spent", "received"], uniqueItems=True)),
        "The sums of each group, in this order. Default: "
        f"{','.join(column.name for column in USUAL_SUMS)}.",
        USUAL_SUMS,
        _by_the_day,
    )
    compare = parameters.parameter(
        "compare",
        parameters.Scalar(
            _compare,
            {
                "type": "string",
                "pattern": f"^({'|'.join(Compare)}|{DAYS_BETWEEN})$",
                "examples": [Compare.PREVIOUS, "2025-Q3", "2025-07-10/2025-07-24"],
            },
        ),
        "What to compare with: previous, the period before that of recordDate; year, the same "
        "period a year before; or another period or two days with a slash. It adds an earlier "
        "value, a difference and a percentage to each number: previousNet, changeNet, "
        "changeNetPercent.",
        None,
        (freshness.DAY,),
    )
    having = parameters.parameter(
        "having",
        parameters.Repeated(
            _having,
            one_or_more(
                {"type": "string", "pattern": having_pattern([*_COMPARABLE.values()])},
                ["net.lt.-100", "firstDate.gte.2026-03"],
            ),
        ),
        "Conditions on columns with numbers or dates. Only groups that meet all of them are "
        "returned.",
        (),
        _by_relative_days,
        validator=parameters.at_most(MAX_CONDITIONS, "conditions"),
    )
    include = parameters.parameter(
        "include",
        parameters.Listed(_include, of_names(LEFT_OUT, ["transfers"], uniqueItems=True)),
        "Records to count that are otherwise left out.",
        frozenset(),
    )
    fill = parameters.flag(
        "fill",
        "Whether to also return groups of zeros: for periods without records, and if "
        "nothing matches.",
        varies_with=(freshness.BASE_CURRENCY, freshness.DAY),
    )
    merge = parameters.flag(
        _MERGE,
        "Whether to add up all currencies, in the currency of convertTo: each group has one row, "
        "of the records that could be converted.",
    )
    top = parameters.integer(
        "top",
        1,
        MAX_PAGE,
        0,
        "How many rows to keep in each group by all dimensions but the last: the first ones by "
        "sortBy. The groups stay in their order.",
        example=5,
    )
    sort_by = parameters.parameter(
        "sortBy",
        parameters.Listed(partial(parse_order, _SORT_KEYS), of_order(_SORT_KEYS, "")),
        parameters.SORT_MEANING,
    )

    def __init__(self) -> None:
        super().__init__(
            *parameters.data_page(MAX_PAGE, default_limit=100),
            parameters.conversion(),
            *parameters.filters(RECORDS),
        )


_ALWAYS = SummaryQuery(sums=()).columns
_NOT_CONVERTED = of_members(
    None,
    {
        "currencyCode": value("The currency.", "USD"),
        "count": value("Number of records.", 2),
        "days": value("Number of days with such records.", 1),
        "firstDate": value("First of these days.", "2026-01-02", format="date"),
        "lastDate": value("Last of these days.", "2026-01-30", format="date"),
    },
)
_RESPONSE = table_response(
    "Group",
    "groups",
    _ALWAYS,
    {
        "leftOut": of_members(None, {name: value("Number of records.", 0) for name in LEFT_OUT}),
        "overlapping": value("Whether any record is in several groups.", False),
        "groupCount": {
            **value("Number of groups on all pages; null: counting them would take long.", 31),
            "type": ["integer", "null"],
        },
    },
    sometimes=[column for column in WHOLE.columns if column not in _ALWAYS],
    optional={"notConverted": array_of(_NOT_CONVERTED), HINTS: HINTS_SCHEMA},
    headers=_HEADERS,
    is_paged=True,
)


summary = Service(
    "api.records.summary", "/v1/api/records/summary" + FORMATS, "Sums of records, by groups."
)


def summary_page(reading: Reading, values: validation.Parameters) -> Answer:
    """Return a page of groups, and the number of records that were left out."""
    storage, records = reading.storage, Query(RECORDS, values.conditions)
    state, compare = reading.get_state(), values["compare"]
    query = SummaryQuery(
        resolved(records, values, reading).conditions,
        values["groupBy"],
        values["include"],
        values["fill"],
        values["sortBy"],
        values["limit"],
        values["offset"],
        values[parameters.CONVERT_TO],
        reading.today,
        reading.user.base_currency,
        values["columns"],
        compare.on(reading.today) if isinstance(compare, Span | RelativeDate) else compare,
        tuple([each.condition.on(reading.today) for each in values["having"]]),
        _to_date(values),
        values[_MERGE],
        values["top"],
    )
    found = summarize(storage, reading.user_id, query)
    members: dict[str, Any] = {
        "leftOut": found.left_out,
        "overlapping": found.overlapping,
        "groupCount": found.group_count,
        HINTS: partial(
            listing.hints,
            records,
            reading,
            has_rows=not found.is_empty,
            conditions=query.conditions,
            count=partial(count_records, storage, reading.user_id, query),
            further=found.hints,
        ),
    }
    headers: HeaderItems = (
        ("X-Left-Out", _counts(found.left_out)),
        ("X-Overlapping", "true" if found.overlapping else "false"),
    )
    if found.group_count is not None:
        headers += (("X-Total-Count", str(found.group_count)),)
    if query.convert_to is not None:
        missing = found.not_converted
        members["notConverted"] = [_not_converted(*each) for each in missing.items()]
        numbers = {currency: len(days) for currency, days in missing.items()}
        headers += (("X-Not-Converted", _counts(numbers)),)
    answer = listing.table(reading, state, "groups", query.columns, found.groups, members, headers)
    return listing.paged(reading, answer, values, has_more=found.has_more, total=found.group_count)


def _to_date(values: validation.Parameters) -> Period | None:
    """Return the period of which all conditions on recordDate mean the first days, if any."""
    operands = [condition.operand for condition in values["recordDate"]]
    periods = {each.to_date if isinstance(each, RelativeDate) else None for each in operands}
    return periods.pop() if len(periods) == 1 else None


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={number}" for name, number in numbers.items())


def _not_converted(currency: str, days: Sequence[int]) -> dict[str, Any]:
    """Describe records that were not converted. days: the day of each record, in any order."""
    return {
        "currencyCode": currency,
        "count": len(days),
        "days": len(set(days)),
        "firstDate": date_text(min(days)),
        "lastDate": date_text(max(days)),
    }


@summary.get(
    schema=SummarySchema(),
    permission=Permission.RECORDS_READ,
    answer=summary_page,
    response=_RESPONSE,
    varies_with=freshness.NOTHING,
    savable=True,
)
def get_summary(request: Request) -> Response:
    if any(column.by_payments for column in request.validated["columns"]):
        require_scopes(request, ("records", "standing-orders"))
    return responding.respond(request)
