"""Budgets, with what was spent by Wallet's rules: GET /wallet/v1/api/budgets"""

from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api.endpoint import Service
from finance_api.api.openapi.schemas import Schema, array_of, date_time, of_given, of_members, value
from finance_api.api.openapi.schemas import of_field as field_schema
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning import tracking
from finance_api.resources import BUDGETS
from finance_api.resources.common import INCOME
from finance_api.resources.plans import CUSTOM, PERIODS
from finance_api.values import Row
from finance_api.values.number import ratio_units, to_units
from finance_api.values.period_limits import split_limits
from finance_api.values.time import date_text, end_of, parse_date, period_text
from finance_api.wallet import lists, parameters, shapes

#: Wallet's own category of debts, which imported data may contain.
_DEBT = "5c5c4e20-00c8-8000-8000-000000000000"

# -- the schema of the spending --------------------------------------------------------------------

_DAY: Schema = {"type": ["string", "null"], "format": "date"}
_OR_NONE: Schema = {"type": ["number", "null"]}
_EXCLUDED = of_members(
    "ExcludedRecords",
    {
        "total": value("Number of records left out of the sums.", 3),
        "transfers": value("Transfers among them.", 1),
        "debts": value("Debts among them.", 0),
        "incomeCategories": value("Records in income categories among them.", 1),
        "unknownCategories": value("Records without a category among them.", 1),
        "totalAmountSum": value("Sum of their amounts.", -120.5),
    },
)
_PERIOD = of_members(
    "BudgetPeriodSpending",
    {
        "period": value("The period.", "2026-01"),
        "periodStart": value("First day of the period.", "2026-01-01", **_DAY),
        "periodEnd": value("Last day of the period.", "2026-01-31", **_DAY),
        "effectiveLimit": value("The limit.", 400, **_OR_NONE),
        "spent": value("Amount spent.", 162.49),
        "remaining": value("Amount left of the limit.", 237.51, **_OR_NONE),
        "progress": value("spent divided by the limit.", 0.4062, **_OR_NONE),
        "overspent": value("Amount above the limit.", 0, **_OR_NONE),
        "totalExpenses": value("Sum of the expenses, positive.", 162.49),
        "totalIncomes": value("Sum of the income, positive.", 0, type="number"),
        "recordCount": value("Number of records counted.", 6),
        "convertedCurrencies": array_of(shapes.CURRENCY),
        "incomplete": value("Whether records in other currencies are left out.", False),
        "excluded": _EXCLUDED,
        "limit": value(
            "The same as effectiveLimit, for clients of earlier versions.", 400, **_OR_NONE
        ),
    },
    ["period", "spent", "totalExpenses", "totalIncomes", "recordCount"]
    + ["convertedCurrencies", "incomplete", "excluded"],
)
_SPENDING = of_members(
    "BudgetSpending",
    {
        "computedAt": date_time("Time of the calculation."),
        "current": shapes.or_null(_PERIOD, "The current period; null if there is none."),
        "past": array_of(_PERIOD),
    },
)

# -- the spending ----------------------------------------------------------------------------------


@shapes.member_of_page("spending", _SPENDING)
def _spending(context: shapes.Context) -> shapes.Write:
    number, reading, has_older = context.given["spending"], context.reading, context.has_older
    if number is None:
        return lambda row: None
    periods = {row["id"]: _periods(row, number, reading.today) for row in context.rows}
    within = [
        (budget, tracking.span_of(period))
        for budget in context.rows
        for period in periods[budget["id"]]
        if period is not None
    ]
    sums = tracking.BudgetSums(reading.storage, reading.user_id, within)
    computed_at = shapes.moment(max(reading.today, context.state.changed_at))

    def write(row: Row) -> Any:
        spent = [each and _spent(row, each, sums, has_older) for each in periods[row["id"]]]
        return {"computedAt": computed_at, "current": spent[0], "past": spent[1:]}

    return write


def _periods(budget: Row, number: int, today: int) -> list[tracking.BudgetPeriod | None]:
    """Return the current period, or None, and the requested number before it, newest first."""
    current = tracking.current_period(budget, today)
    last = tracking.last_periods(budget, today, number + 1)
    return [current, *[period for period in last if period != current][:number]]


def _spent(
    budget: Row, period: tracking.BudgetPeriod, sums: tracking.BudgetSums, has_older: bool
) -> dict[str, Any]:
    limit = tracking.period_limit(budget, period)
    groups = list(sums.groups_of(budget, tracking.span_of(period)))
    own = [group for group in groups if group.currency == budget["currencyCode"]]
    counted = [group for group in own if _excluded_as(group) is None]
    incomes = sum(group.amount for group in counted if group.record_type == INCOME)
    spent = -sum(group.amount for group in counted)
    left = None if limit is None else limit - spent
    spending: dict[str, Any] = {
        "period": _text(budget, period),
        "periodStart": None if period.start is None else date_text(period.start),
        "periodEnd": None if period.end is None else date_text(period.end),
        "effectiveLimit": shapes.decimal(limit),
        "spent": shapes.decimal(spent),
        "remaining": shapes.decimal(left),
        "progress": None if limit is None else shapes.decimal(ratio_units(spent, limit)),
        "overspent": None if left is None else shapes.decimal(max(-left, 0)),
        "totalExpenses": shapes.decimal(incomes + spent),
        "totalIncomes": shapes.decimal(incomes),
        "recordCount": sum(group.number for group in counted),
        "convertedCurrencies": [],
        # Records of other currencies are not converted, and not counted.
        "incomplete": len(own) < len(groups),
        "excluded": _excluded(own),
    }
    return {**spending, "limit": shapes.decimal(limit)} if has_older else spending


def _text(budget: Row, period: tracking.BudgetPeriod) -> str:
    if budget["type"] == CUSTOM or period.start is None:
        return "custom"
    return period_text(PERIODS[budget["type"]], period.start)


def _excluded_as(group: tracking.RecordGroup) -> str | None:
    if group.is_transfer:
        return "transfers"
    if group.category_id == _DEBT:
        return "debts"
    if group.category_id is None or group.category_id in parameters.UNKNOWN_CATEGORIES:
        return "unknownCategories"
    return "incomeCategories" if group.kind == INCOME else None


def _excluded(groups: Iterable[tracking.RecordGroup]) -> dict[str, Any]:
    amount = 0
    counts = dict.fromkeys(("transfers", "debts", "incomeCategories", "unknownCategories"), 0)
    for group in groups:
        if (reason := _excluded_as(group)) is not None:
            amount += group.amount
            counts[reason] += group.number
    total = sum(counts.values())
    return {"total": total, **counts, "totalAmountSum": shapes.decimal(amount)}


# -- budgets ---------------------------------------------------------------------------------------


def _day(name: str) -> shapes.Member:
    made = shapes.member(name, of_given(BUDGETS[name]))
    return made(lambda row: None if row[name] is None else date_text(row[name]))


@shapes.member("limit", field_schema(BUDGETS["limitAmount"]), always=True)
def _limit(row: Row) -> Any:
    return shapes.NULL if row["limitAmount"] is None else shapes.decimal(row["limitAmount"])


_OVERRIDE = of_members(
    "LimitOverride",
    {
        "limit": value("The limit of the period.", 450, type="number"),
        "period": value("The period.", "2026-12"),
        "periodStart": value("First day of the period.", "2026-12-01", format="date"),
        "periodCount": value("Number of periods, always 1.", 1),
        "createdAt": date_time("When the budget was created."),
    },
)


def _overrides(name: str, *, is_past: bool = False) -> shapes.Member:
    """Make the member with the limits of periods that are over, or of the other ones."""

    def write_of(context: shapes.Context) -> shapes.Write:
        today = context.reading.today
        return lambda row: [
            {
                "limit": shapes.decimal(to_units(Decimal(limit))),
                "period": period_text(PERIODS[row["type"]], parse_date(day)),
                "periodStart": day,
                "periodCount": 1,
                "createdAt": shapes.moment(row["createdAt"]),
            }
            for day, limit in split_limits(row["limitOverrides"])
            if is_past == (end_of(PERIODS[row["type"]], parse_date(day)) <= today)
        ]

    meaning = "before the current one" if is_past else "from the current one on"
    schema = {**array_of(_OVERRIDE), "description": f"Limits of single periods {meaning}."}
    return shapes.Member(name, write_of, schema, always=True)


BUDGET = shapes.Shape(
    BUDGETS,
    "id name currencyCode type limit accountIds categoryIds labelIds startDate endDate closed "
    f"limitOverrides pastLimitOverrides spending {shapes.TIMES}",
    *(_limit, _overrides("limitOverrides"), _overrides("pastLimitOverrides", is_past=True)),
    *(_day("startDate"), _day("endDate"), _spending),
    older="amount=limitAmount",
)

budgets = Service("wallet.budgets", "/wallet/v1/api/budgets", BUDGETS.meaning)


@budgets.get(
    schema=parameters.ListSchema(
        BUDGETS,
        "name startDate endDate currencyCode type closed labelId=labelIds accountId=accountIds",
        parameters.by_category(BUDGETS["categoryIds"]),
        parameters.SPENDING,
    ),
    permission=Permission.BUDGETS_READ,
    answer=partial(lists.list_page, BUDGET),
    response=lists.page_response(BUDGET),
)
def list_budgets(request: Request) -> Response:
    return lists.respond_with_objects(request)
