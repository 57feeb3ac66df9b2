"""Parses dates: days, months, years and date-times, and dates relative to today."""

import math
import re
from fractions import Fraction

from finance_api.query.errors import QueryError, check_length, quoted
from finance_api.query.model import RELATIVE_DATES, RelativeDate, Span
from finance_api.query.suggestions import question
from finance_api.values.time import DAY_SECONDS, TimeError, parse_days, parse_instant

_DAYS_BACK = re.compile(r"-([0-9]{1,9})([dmy])")
#: At most a century back, so that the result is always a day in the calendar.
_LONGEST_BACK = {"d": 36_525, "m": 1_200, "y": 100}
_INSTANT_BEGINS = re.compile("[0-9-]+[Tt]")
# A "+" in a query string arrives as a space, so a space before a UTC offset was a plus.
_OFFSET_AFTER_SPACE = re.compile(r" (?=[0-9]{2}:[0-9]{2}$)")
# Seconds have up to 30 decimals, so no date-time lies between this moment and the next day.
_LAST_OF_DAY = DAY_SECONDS - Fraction(1, 10**31)
#: The forms that messages list.
_DAYS = "2026-01-31, 2026-01, 2026"
_INSTANT = "2026-01-31T10:00:00Z"
_RELATIVE = ", ".join((*RELATIVE_DATES, "-30d, -12m, -1y"))


def parse_dates(operand: str) -> Span | RelativeDate:
    """Parse a relative date, a day, a month, a year or a date-time. Raises QueryError."""
    found = _relative_date(operand)
    return found or span_of(*_moments(operand, f"{_DAYS}, {_INSTANT}, {_RELATIVE}"))


def parse_day(text: str) -> Span | RelativeDate:
    """Parse like `parse_dates`. A date-time, which dashboards send, is the second it is in."""
    if not _INSTANT_BEGINS.match(text):
        return _relative_date(text) or span_of(*_days(text, f"{_DAYS}, {_RELATIVE}"))
    second = math.floor(_moments(text, f"{_DAYS}, {_INSTANT}, {_RELATIVE}")[0])
    return Span(second, second + 1)


def parse_moments(operand: str) -> tuple[Fraction, Fraction]:
    """Return the first and last moment of a day, month or year; both are the same for a date-time.

    Raises QueryError, also for relative dates.
    """
    return _moments(operand, f"{_DAYS}, {_INSTANT}")


def span_of(first: Fraction, last: Fraction) -> Span:
    """Return the stored seconds from one moment to another."""
    return Span(math.ceil(first), math.floor(last) + 1)


def _relative_date(operand: str) -> RelativeDate | None:
    """Parse ``last-month``, ``-30d``, ``-12m`` or ``-1y``; return None for anything else."""
    if operand in RELATIVE_DATES:
        return RELATIVE_DATES[operand]
    found = _DAYS_BACK.fullmatch(operand)
    if not found:
        return None
    number, unit = int(found[1]), found[2]
    if number > _LONGEST_BACK[unit]:
        raise QueryError(f"{quoted(operand)} is further back than -{_LONGEST_BACK[unit]}{unit}")
    return RelativeDate(number, unit if number else "d")


def _moments(operand: str, forms: str) -> tuple[Fraction, Fraction]:
    check_length(operand)
    if not _INSTANT_BEGINS.match(operand):
        return _days(operand, forms)
    try:
        moment = parse_instant(_OFFSET_AFTER_SPACE.sub("+", operand))
    except TimeError as error:
        raise QueryError(f"{quoted(operand)} {error}; it takes {forms}") from None
    return moment, moment


def _days(text: str, forms: str) -> tuple[Fraction, Fraction]:
    try:
        first, last = parse_days(text)
    except TimeError as error:
        meant = question([text], RELATIVE_DATES) if _RELATIVE in forms else ""
        raise QueryError(f"{quoted(text)} {error}; it takes {forms}{meant}") from None
    return Fraction(first), last + _LAST_OF_DAY
