"""Translates the dates of Actual's schedules into recurrence rules."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from finance_api.importers.books.reading import END_YEAR
from finance_api.importers.books.recurrence import WEEKDAYS, Recurrence, ScheduleUnfit, parse_start

_FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
_MOST_INTERVAL, _MOST_TIMES = 1_000, 10_000
#: A rule that has no day in this many of its months never has one.
_MONTHS = 48


def parse_schedule(value: Any) -> Recurrence:
    """Return the days of a schedule's date, which is a day or a rule. Raises ScheduleUnfit."""
    if isinstance(value, str):
        return Recurrence(parse_start(value), None)
    if not isinstance(value, dict):
        raise ScheduleUnfit("has no date")
    frequency, interval = value.get("frequency"), value.get("interval") or 1
    if frequency not in _FREQUENCIES or not _is_number(interval, 1, _MOST_INTERVAL):
        raise ScheduleUnfit("has another rhythm")
    start = parse_start(value.get("start"))
    parts = [f"FREQ={frequency.upper()}", f"INTERVAL={interval}"]
    if frequency == "monthly":
        days, weekdays = _patterns(value.get("patterns") or [])
        if days and weekdays:
            raise ScheduleUnfit("follows days of the month and weekdays at once")
        if not weekdays:
            days = days or [start.day]
            parts.append("BYMONTHDAY=" + ",".join(map(str, days)))
        else:
            parts.append("BYDAY=" + ",".join(f"{nth}{WEEKDAYS[day]}" for nth, day in weekdays))
        start = _first_day(start, interval, days, weekdays)
    if value.get("endMode") == "on_date" and parse_start(value.get("endDate")) < start:
        raise ScheduleUnfit("ends before its first day")
    return Recurrence(start, ";".join(parts + _end(value)), bool(value.get("skipWeekend")))


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


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


def _end(value: dict[str, Any]) -> list[str]:
    match value.get("endMode") or "never":
        case "never":
            return []
        case "on_date":
            return [f"UNTIL={parse_start(value.get('endDate')):%Y%m%d}"]
        case "after_n_occurrences" if _is_number(value.get("endOccurrences"), 1, _MOST_TIMES):
            return [f"COUNT={value['endOccurrences']}"]
    raise ScheduleUnfit("has another end")


def _first_day(
    start: date, interval: int, days: Sequence[int], weekdays: Sequence[tuple[int, int]]
) -> date:
    """Return the first day from ``start`` on that a monthly rule has."""
    for count in range(_MONTHS):
        years, month = divmod(start.month - 1 + count * interval, 12)
        if start.year + years >= END_YEAR:
            break
        first = date(start.year + years, month + 1, 1)
        last = monthrange(first.year, first.month)[1]
        numbers = sorted({*_numbers(days, last), *_numbers_of_weekdays(weekdays, first, last)})
        found = [day for number in numbers if (day := first.replace(day=number)) >= start]
        if found:
            return found[0]
    raise ScheduleUnfit("has no day")


def _numbers(days: Sequence[int], last: int) -> Iterator[int]:
    for day in days:
        if day <= last:
            yield last if day == -1 else day


def _numbers_of_weekdays(
    weekdays: Sequence[tuple[int, int]], first: date, last: int
) -> Iterator[int]:
    for nth, weekday in weekdays:
        numbers = [
            day
            for day in range(1, last + 1)
            if (first + timedelta(days=day - 1)).weekday() == weekday
        ]
        if nth <= len(numbers):
            yield numbers[nth if nth == -1 else nth - 1]
