"""Parses dates: days, longer periods and date-times, and dates relative to today."""

import math
import re
from contextlib import suppress
from fractions import Fraction

from finance_api.query.errors import QueryError, check_length, quoted
from finance_api.query.model import RELATIVE_DATES, RelativeDate, Span
from finance_api.query.suggestions import question
from finance_api.values.time import DAY_SECONDS, TimeError, parse_days, parse_instant

# A "+" in a query string arrives as a space.
_DAYS_AWAY = re.compile("([-+ ])([0-9]{1,9})([dmy])")
#: Letter -> its highest number, and how many days and months one of it is. At most a century away,
#: so that the result is always a day in the calendar.
_UNITS = {"d": (36_525, 1, 0), "m": (1_200, 0, 1), "y": (100, 0, 12)}
_INSTANT_BEGINS = re.compile("[0-9-]+[Tt]")
# A "+" in a query string arrives as a space, so a space before a UTC offset was a plus.
_OFFSET_AFTER_SPACE = re.compile(r" (?=[0-9]{2}:[0-9]{2}$)")
# Seconds have up to 30 decimals, so no date-time lies between this moment and the next day.
_LAST_OF_DAY = DAY_SECONDS - Fraction(1, 10**31)
#: The forms that messages list.
_DAYS = "2026-01-31, 2026-01, 2026-Q1, 2026-W05, 2026"
_INSTANT = "2026-01-31T10:00:00Z"
_PAST = ", ".join(
    (*(name for name, date in RELATIVE_DATES.items() if not date.is_ahead), "-30d, -12m, -1y")
)
_AHEAD = ", ".join((*(name for name, date in RELATIVE_DATES.items() if date.is_ahead), "+7d"))
_RELATIVE = f"{_PAST}, {_AHEAD}"
#: A quarter or a week that is written in another form.
_LOOSE_PERIOD = re.compile("([0-9]{4})[-/ ]?([QqWw])([0-9]{1,2})")
#: Days, weeks, months or years away, perhaps without a sign. Weeks are written as days.
_LOOSE_AWAY = re.compile("([-+ ]?)([1-9][0-9]?)([dwmy])")


def parse_dates(operand: str, *, takes_ahead: bool = True) -> Span | RelativeDate:
    """Parse a relative date, a day, a longer period or a date-time. Raises QueryError.

    takes_ahead: whether relative dates may lie ahead.
    """
    found = _relative_date(operand)
    if found is not None and found.is_ahead and not takes_ahead:
        shown = quoted(operand.replace(" ", "+"))
        fault = f"{shown} lies ahead, and this field has only times of the past"
        raise QueryError(f"{fault}; it takes {_PAST}")
    relative = _RELATIVE if takes_ahead else _PAST
    return found or span_of(*_moments(operand, f"{_DAYS}, {_INSTANT}, {relative}"))


def parse_day(text: str) -> Span | RelativeDate:
    """Parse like `parse_dates`. A date-time, which dashboards send, is the second it is in."""
    if not _INSTANT_BEGINS.match(text):
        return _relative_date(text) or span_of(*_moments(text, f"{_DAYS}, {_RELATIVE}"))
    second = math.floor(_moments(text, f"{_DAYS}, {_INSTANT}, {_RELATIVE}")[0])
    return Span(second, second + 1)


def parse_days_between(text: str) -> Span | RelativeDate:
    """Parse like `parse_day`, or two of them, ``2026-07-10/2026-07-24``, that are not relative."""
    first, slash, last = text.partition("/")
    if not slash:
        return parse_day(text)
    span = Span(span_of(*parse_moments(first)).first, span_of(*parse_moments(last)).end)
    if span.first >= span.end:
        raise QueryError(f"{quoted(text)} ends before it begins")
    return span


def parse_moments(operand: str) -> tuple[Fraction, Fraction]:
    """Return the first and last moment of a day or period; both are the same for a date-time.

    Raises QueryError, also for relative dates.
    """
    return _moments(operand, f"{_DAYS}, {_INSTANT}")


def span_of(first: Fraction, last: Fraction) -> Span:
    """Return the stored seconds from one moment to another."""
    return Span(math.ceil(first), math.floor(last) + 1)


def _relative_date(operand: str) -> RelativeDate | None:
    """Parse ``last-month``, ``-30d``, ``+12m`` or ``-1y``; return None for anything else."""
    if operand in RELATIVE_DATES:
        return RELATIVE_DATES[operand]
    found = _DAYS_AWAY.fullmatch(operand)
    if not found:
        return None
    number, (longest, days, months) = int(found[2]), _UNITS[found[3]]
    sign, direction, back = ("-", "back", 1) if found[1] == "-" else ("+", "ahead", -1)
    if number > longest:
        shown = quoted(sign + operand[1:])
        raise QueryError(f"{shown} is further {direction} than {sign}{longest}{found[3]}")
    return RelativeDate(number * back * days, number * back * months)


def _moments(operand: str, forms: str) -> tuple[Fraction, Fraction]:
    """Return the first and last moment. forms: what the operand can be, for a message."""
    check_length(operand)
    try:
        if _INSTANT_BEGINS.match(operand):
            moment = parse_instant(_OFFSET_AFTER_SPACE.sub("+", operand))
            return moment, moment
        first, last = parse_days(operand)
    except TimeError as error:
        meant = _suggestion(operand, forms)
        raise QueryError(f"{quoted(operand)} {error}; it takes {forms}{meant}") from None
    return Fraction(first), last + _LAST_OF_DAY


def _suggestion(text: str, forms: str) -> str:
    """Return the end of a message: the date that was probably meant, if any."""
    if loose := _LOOSE_PERIOD.fullmatch(text):
        year, letter, number = loose[1], loose[2].upper(), loose[3]
        period = f"{year}-{letter}{number.zfill(2) if letter == 'W' else number}"
        with suppress(TimeError):
            parse_days(period)
            return question([text], [period])
    if away := _LOOSE_AWAY.fullmatch(text):
        away_text = f"{int(away[2]) * 7}d" if away[3] == "w" else away[2] + away[3]
        signs = [sign for sign, form in (("-", "-30d"), ("+", "+7d")) if form in forms]
        meant = [sign + away_text for sign in signs if away[1].replace(" ", "+") in ("", sign)]
        return question(meant, meant)
    return question([text], [name for name in RELATIVE_DATES if name in forms])
