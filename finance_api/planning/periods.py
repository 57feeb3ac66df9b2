"""The period that a budget is in."""

from datetime import date, timedelta
from typing import NamedTuple

from finance_api.resources.budgets import CUSTOM, WEEK, YEAR
from finance_api.values import Row
from finance_api.values.time import from_date, to_date


class BudgetPeriod(NamedTuple):
    """First and last day, both inclusive, as seconds; None where a custom budget is open."""

    start: int | None
    end: int | None


def current_period(budget: Row, today: int) -> BudgetPeriod | None:
    """The calendar week (from Monday), month or year of ``today``, or startDate to endDate.

    None where ``today`` is outside startDate and endDate.
    """
    start, end = budget["startDate"], budget["endDate"]
    if (start is not None and today < start) or (end is not None and today > end):
        return None
    if budget["type"] == CUSTOM:
        return BudgetPeriod(start, end)
    day = to_date(today)
    if budget["type"] == WEEK:
        monday = day - timedelta(days=day.weekday())
        return BudgetPeriod(from_date(monday), from_date(monday + timedelta(days=6)))
    if budget["type"] == YEAR:
        return BudgetPeriod(from_date(date(day.year, 1, 1)), from_date(date(day.year, 12, 31)))
    next_month = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return BudgetPeriod(from_date(day.replace(day=1)), from_date(next_month - timedelta(days=1)))
