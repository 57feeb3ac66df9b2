"""The periods of a budget."""

from typing import NamedTuple

from finance_api.resources.plans import CUSTOM, MONTH, WEEK, YEAR
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS, Period, end_of, start_of

_PERIODS = {WEEK: Period.WEEK, MONTH: Period.MONTH, YEAR: Period.YEAR}


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
    period = _PERIODS[budget["type"]]
    return BudgetPeriod(start_of(period, today), end_of(period, today) - DAY_SECONDS)


def last_periods(budget: Row, today: int, number: int) -> list[BudgetPeriod]:
    """Return the last `number` periods up to ``today``, newest first, within the budget's dates.

    A custom budget has one.
    """
    start, end = budget["startDate"], budget["endDate"]
    if budget["type"] == CUSTOM:
        return [] if start is not None and start > today else [BudgetPeriod(start, end)]
    period, found = _PERIODS[budget["type"]], []
    day = today
    for _ in range(number):
        first, last = start_of(period, day), end_of(period, day) - DAY_SECONDS
        if (start is None or start <= last) and (end is None or first <= end):
            found.append(BudgetPeriod(first, last))
        if first <= MIN_SECONDS:
            break
        day = first - 1
    return found
