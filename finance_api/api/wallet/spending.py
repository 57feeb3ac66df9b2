"""The spending that budgets show, by Wallet's rules.

Transfers, debts, income categories and records without a category are not counted; hints name them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.members import decimal, moment
from finance_api.api.wallet.parameters import UNKNOWN_CATEGORIES
from finance_api.planning.tracking import (
    BudgetPeriod,
    BudgetSums,
    RecordGroup,
    current_period,
    last_periods,
    span_of,
)
from finance_api.resources.common import INCOME
from finance_api.resources.plans import CUSTOM, WEEK, YEAR
from finance_api.values import Row
from finance_api.values.number import ratio_units
from finance_api.values.time import Period, date_text, period_text

#: Wallet's own category of debts, which imports of its data may bring.
_DEBT = "5c5c4e20-00c8-8000-8000-000000000000"

_TEXTS = {WEEK: Period.WEEK, YEAR: Period.YEAR}


def add_spending(reading: Reading, rows: Sequence[Row], context: Context) -> None:
    storage, user_id = reading.storage, reading.user_id
    number = context.given["spending"]
    if number is None:
        return
    today = context.today
    asked = [(row, current_period(row, today), _past(row, today, number)) for row in rows]
    within = [(b, span_of(p)) for b, now, past in asked for p in (now, *past) if p is not None]
    sums = BudgetSums(storage, user_id, within)
    computed_at = moment(max(today, context.changed_at))
    for row, current, past in asked:
        context.spending[row["id"]] = {
            "computedAt": computed_at,
            "current": None if current is None else _spending(sums, row, current, context),
            "past": [_spending(sums, row, period, context) for period in past],
        }


def _past(budget: Row, today: int, number: int) -> list[BudgetPeriod]:
    """Return up to ``number`` periods before the current one, newest first."""
    current = current_period(budget, today)
    found = [p for p in last_periods(budget, today, number + 1) if p != current]
    return found[:number]


def _spending(
    sums: BudgetSums, budget: Row, period: BudgetPeriod, context: Context
) -> dict[str, Any]:
    limit = budget["limitAmount"]
    groups = list(sums.groups_of(budget, span_of(period)))
    own = [group for group in groups if group.currency == budget["currencyCode"]]
    counted = [group for group in own if _excluded_as(group) is None]
    incomes = _sum(group for group in counted if group.record_type == INCOME)
    expenses = -_sum(group for group in counted if group.record_type != INCOME)
    spent = expenses - incomes
    found: dict[str, Any] = {
        "period": _text(budget, period),
        "periodStart": None if period.start is None else date_text(period.start),
        "periodEnd": None if period.end is None else date_text(period.end),
        "effectiveLimit": decimal(limit),
        "spent": decimal(spent),
        "remaining": None if limit is None else decimal(limit - spent),
        "progress": None if limit is None else decimal(ratio_units(spent, limit)),
        "overspent": None if limit is None else decimal(max(spent - limit, 0)),
        "totalExpenses": decimal(expenses),
        "totalIncomes": decimal(incomes),
        "recordCount": sum(group.number for group in counted),
        "convertedCurrencies": [],
        # Records of other currencies are not converted, and not counted.
        "incomplete": len(own) < len(groups),
        "excluded": _excluded([group for group in own if _excluded_as(group) is not None]),
    }
    return {**found, "limit": decimal(limit)} if context.has_older else found


def _text(budget: Row, period: BudgetPeriod) -> str:
    if budget["type"] == CUSTOM or period.start is None:
        return "custom"
    return period_text(_TEXTS.get(budget["type"], Period.MONTH), period.start)


def _excluded_as(group: RecordGroup) -> str | None:
    if group.is_transfer:
        return "transfers"
    if group.category_id == _DEBT:
        return "debts"
    if group.category_id is None or group.category_id in UNKNOWN_CATEGORIES:
        return "unknownCategories"
    return "incomeCategories" if group.kind == INCOME else None


def _excluded(groups: Sequence[RecordGroup]) -> dict[str, Any]:
    counts: Counter[str | None] = Counter()
    for group in groups:
        counts[_excluded_as(group)] += group.number
    names = ("transfers", "debts", "incomeCategories", "unknownCategories")
    return {
        "total": counts.total(),
        **{name: counts[name] for name in names},
        "totalAmountSum": decimal(_sum(groups)),
    }


def _sum(groups: Iterable[RecordGroup]) -> int:
    return sum(group.amount for group in groups)
