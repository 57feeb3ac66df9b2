"""Translates the dates of Actual's schedules into recurrence rules."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from typing import Any

from finance_api.importers.books.reading import END_YEAR
from finance_api.importers.books.recurrence import (
    WEEKDAYS,
    Recurrence,
    ScheduleUnfit,
    ended,
    parse_start,
)

_FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
_INTERVALS = range(1, 1_001)
#: A rule that has no day in this many of its months never has one.
_MONTHS = 48


def parse_schedule(value: Any) -> Recurrence:
    """Return the days of a schedule's date, which is a day or a rule. Raises ScheduleUnfit."""
    if isinstance(value, str):
        return Recurrence(parse_start(value), None)
    if not isinstance(value, dict):
        raise ScheduleUnfit("has no date")
    frequency, interval = value.get("frequency"), value.get("interval") or 1
    if frequency not in _FREQUENCIES or type(interval) is not int or interval not in _INTERVALS:
        raise ScheduleUnfit("has another rhythm")
    start = parse_start(value.get("start"))
    rule = f"FREQ={frequency.upper()};INTERVAL={interval}"
    if frequency == "monthly":
        days, weekdays = _patterns(value.get("patterns") or [])
        if days and weekdays:
            raise ScheduleUnfit("follows days of the month and weekdays at once")
        if weekdays:
            rule += ";BYDAY=" + ",".join(f"{nth}{WEEKDAYS[day]}" for nth, day in weekdays)
        else:
            days = days or [start.day]
            rule += ";BYMONTHDAY=" + ",".join(map(str, days))
        start = _first_day(start, interval, days, weekdays)
    match value.get("endMode") or "never", value.get("endOccurrences"):
        case "never", _:
            return Recurrence(start, rule)
        case "on_date", _:
            return ended(start, rule, parse_start(value.get("endDate")), None)
        case "after_n_occurrences", int(times) if not isinstance(times, bool):
            return ended(start, rule, None, times)
    raise ScheduleUnfit("has another end")


def _patterns(patterns: Any) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the days of the month, -1 for the last, and the weekdays, each with its number."""
    days: list[int] = []
    weekdays: list[tuple[int, int]] = []
    for pattern in patterns if isinstance(patterns, list) else [None]:
        match pattern:
            case {"type": "day", "value": int(number)} if number == -1 or 1 <= number <= 31:
                days.append(number)
            case {"type": str(name), "value": int(number)} if name in WEEKDAYS and (
                number == -1 or 1 <= number <= 5
            ):
                weekdays.append((number, WEEKDAYS.index(name)))
            case _:
                raise ScheduleUnfit("has another rhythm")
    return days, weekdays


def _first_day(
    start: date, interval: int, days: Sequence[int], weekdays: Sequence[tuple[int, int]]
) -> date:
    """Return the first day from ``start`` on that a monthly rule has."""
    for count in range(_MONTHS):
        years, month = divmod(start.month - 1 + count * interval, 12)
        if start.year + years >= END_YEAR:
            break
        last = monthrange(start.year + years, month + 1)[1]
        for number in range(1, last + 1):
            day = date(start.year + years, month + 1, number)
            nths = (number - 1) // 7 + 1, -1 if number > last - 7 else 0
            is_weekday = any((nth, day.weekday()) in weekdays for nth in nths)
            is_day = number in days or (number == last and -1 in days)
            if day >= start and (is_weekday or is_day):
                return day
    raise ScheduleUnfit("has no day")
