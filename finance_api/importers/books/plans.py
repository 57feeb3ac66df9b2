"""Limits of periods, as budgets have them, and recurrence rules, as standing orders have them.

Rules also fit programs that pay on a month's last day if the month is too short.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from finance_api.importers.books.reading import END_YEAR, FIRST_YEAR, Document
from finance_api.resources.plans import PERIODS
from finance_api.values.time import end_of, from_date, start_of, to_date

_MOST_TIMES = 10_000
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class Recurrence(NamedTuple):
    """start: the first day that the rule has. rule: None if it is the only day."""

    start: date
    rule: str | None


class ScheduleUnfit(ValueError):
    """A standing order cannot say this; the message says why."""


def check_start(day: date) -> date:
    """Return the day that a rule counts from. Raises ScheduleUnfit if it cannot be right."""
    if FIRST_YEAR <= day.year < END_YEAR:
        return day
    raise ScheduleUnfit(f"has the date {day}")


def parse_start(text: Any) -> date:
    """Return the day that a rule counts from. Raises ScheduleUnfit."""
    try:
        day = date.fromisoformat(text)
    except (ValueError, TypeError):
        raise ScheduleUnfit("has no date") from None
    return check_start(day)


def monthly_rule(day: int, interval: int = 1) -> str:
    """Return the rule for a day of the month, from 1 to 31."""
    return f"FREQ=MONTHLY;INTERVAL={interval};{_days(day)}"


def yearly_rule(first: date, interval: int = 1) -> str:
    """Return the rule for a day of the year; 29 February is the last day of each February."""
    rule = f"FREQ=YEARLY;INTERVAL={interval}"
    is_leap_day = (first.month, first.day) == (2, 29)
    return f"{rule};BYMONTH=2;BYMONTHDAY=-1" if is_leap_day else rule


def _days(day: int) -> str:
    if day <= 28:
        return f"BYMONTHDAY={day}"
    if day == 31:
        return "BYMONTHDAY=-1"
    days = ",".join(map(str, range(28, day + 1)))
    return f"BYMONTHDAY={days};BYSETPOS=-1"


def ended(start: date, rule: str | None, end: date | None, times: int | None) -> Recurrence:
    """Return a rule with its end. Raises ScheduleUnfit.

    end: the last day, if any. times: how often it recurs, if there is no such day.
    """
    if end is not None and end < start:
        raise ScheduleUnfit("ends before its first day")
    if rule is None:
        return Recurrence(start, None)
    if end is not None:
        return Recurrence(start, f"{rule};UNTIL={end:%Y%m%d}")
    if times is None:
        return Recurrence(start, rule)
    if not 1 <= times <= _MOST_TIMES:
        raise ScheduleUnfit(f"has {times} times")
    return Recurrence(start, f"{rule};COUNT={times}")


def transfer_values(other: str, note: str | None) -> dict[str, Any]:
    """Return the fields of a standing order that pays another account, whose name this is."""
    return {"paymentType": "transfer", "note": "; ".join(filter(None, (f"to {other}", note)))}


def period_start(kind: str, day: date) -> date:
    """Return the first day of the period that a day is in. kind: the type of a budget."""
    return to_date(start_of(PERIODS[kind], from_date(day)))


def next_period(kind: str, day: date) -> date:
    """Return the first day of the next period."""
    return to_date(end_of(PERIODS[kind], from_date(day)))


def limit_values(kind: str, limits: Mapping[date, Decimal], first: date, last: date) -> Document:
    """Return the fields of a budget with a limit for each period from the first to the last.

    limits: by the first days of periods; other periods have the limit 0. The newest limit also
    applies to later periods. A limit below 0 is 0.
    """
    by_day, day = {}, first
    while day <= last:
        by_day[day.isoformat()] = max(Decimal(0), limits.get(day, Decimal(0)))
        day = next_period(kind, day)
    newest = list(by_day.values())[-1]
    return {
        "type": kind,
        "limitAmount": newest,
        "limitOverrides": [
            {"periodStart": start, "limit": limit}
            for start, limit in by_day.items()
            if limit != newest
        ],
        "startDate": first.isoformat(),
    }
