"""Dates, date-times and periods as whole seconds since 1970-01-01T00:00:00Z.

Time is UTC in the proleptic Gregorian calendar. A calendar date stands for its midnight, and a
period for its first second. Years run from 0001 to 9999.
"""

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

DAY_SECONDS = 86_400
HOUR_SECONDS = 3_600

_EPOCH = date(1970, 1, 1).toordinal()
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_PERIOD = re.compile("([0-9]{4})(?:-([0-9]{2})|-Q([1-4])|-W([0-9]{2}))?")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,30})?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
# Seconds of the two parts of a clock time in its usual form, ``Thh:mm:`` and ``ssZ``.
_MINUTES = {f"T{m // 60:02d}:{m % 60:02d}:": m * 60 for m in range(1440)}
_SECONDS = {f"{s:02d}Z": s for s in range(60)}
_MINUTE_TEXTS, _SECOND_TEXTS = list(_MINUTES), list(_SECONDS)
MIN_SECONDS = (date.min.toordinal() - _EPOCH) * DAY_SECONDS
MAX_SECONDS = (date.max.toordinal() - _EPOCH + 1) * DAY_SECONDS - 1


class TimeError(ValueError):
    """The text is not a date or date-time; the message says why."""


@lru_cache(maxsize=16_384)
def parse_date(text: str) -> int:
    """Parse ``YYYY-MM-DD``; return the second of its midnight. Raises TimeError."""
    match = _DATE.fullmatch(text)
    if not match:
        raise TimeError("is not a date in the form YYYY-MM-DD")
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise TimeError("is not a day of the calendar") from None
    return from_date(day)


def parse_days(text: str) -> tuple[int, int]:
    """Return the first and last day of a day or another period, written as by `period_text`."""
    match = _PERIOD.fullmatch(text)
    if not match:
        day = parse_date(text)
        return day, day
    year, month, quarter, week = match.groups()
    if week:
        period, first = Period.WEEK, _first_day_of_week(int(year), int(week))
    elif quarter:
        period, first = Period.QUARTER, parse_date(f"{year}-{int(quarter) * 3 - 2:02d}-01")
    elif month:
        period, first = Period.MONTH, parse_date(f"{text}-01")
    else:
        period, first = Period.YEAR, parse_date(f"{text}-01-01")
    return first, end_of(period, first) - DAY_SECONDS


def _first_day_of_week(year: int, week: int) -> int:
    try:
        return from_date(date.fromisocalendar(year, week, 1))
    except ValueError:
        raise TimeError("is not a week of the calendar") from None


def parse_instant(text: str) -> Fraction:
    """Parse an RFC 3339 date-time to exact seconds. Seconds are optional; no offset means UTC."""
    match = _INSTANT.fullmatch(text)
    if not match:
        raise TimeError("is not an RFC 3339 date-time such as 2026-01-31T10:00:00Z")
    day, hour, minute, second, fraction, offset = match.groups()
    clock = (int(hour), int(minute), int(second or 0))
    if clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        raise TimeError("is not a time of the day")
    seconds = Fraction(parse_date(day) + clock[0] * 3600 + clock[1] * 60 + clock[2])
    if fraction:
        seconds += Fraction("0" + fraction)
    if offset and offset not in "Zz":
        hours, minutes = int(offset[1:3]), int(offset[4:6])
        if hours > 23 or minutes > 59:
            raise TimeError("has an impossible offset from UTC")
        shift = hours * 3600 + minutes * 60
        seconds += shift if offset[0] == "-" else -shift
    return seconds


def parse_time(text: str) -> int:
    """Parse a date or date-time for storing; drop fractions of a second."""
    if len(text) == 10:
        return parse_date(text)
    try:
        # Most times in a file are ``YYYY-MM-DDThh:mm:ssZ``: read these in a sixth of the time.
        return parse_date(text[:10]) + _MINUTES[text[10:17]] + _SECONDS[text[17:]]
    except (KeyError, TimeError):
        pass
    seconds = int(parse_instant(text) // 1)
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise TimeError("lies outside the years 0001 to 9999")
    return seconds


def from_date(day: date) -> int:
    """Return the second of the midnight that begins ``day``."""
    return (day.toordinal() - _EPOCH) * DAY_SECONDS


def to_date(seconds: int) -> date:
    """Return the UTC calendar day that contains ``seconds``."""
    return date.fromordinal(seconds // DAY_SECONDS + _EPOCH)


@lru_cache(maxsize=16_384)
def _day_text(day: int) -> str:
    return date.fromordinal(day + _EPOCH).isoformat()


def date_text(seconds: int) -> str:
    """Return the UTC calendar date, ``YYYY-MM-DD``."""
    return _day_text(seconds // DAY_SECONDS)


@lru_cache(maxsize=1_024)
def instant_text(seconds: int) -> str:
    """Return the date-time, ``YYYY-MM-DDThh:mm:ssZ``."""
    day, second = divmod(seconds, DAY_SECONDS)
    return _day_text(day) + _MINUTE_TEXTS[second // 60] + _SECOND_TEXTS[second % 60]


@lru_cache(maxsize=16_384)
def months_before(day: int, months: int) -> int:
    """Return the same day of an earlier month, or that month's last day if the month is shorter."""
    now = to_date(day)
    number = now.year * 12 + now.month - 1 - months
    first = date(number // 12, number % 12 + 1, 1)
    return from_date(first.replace(day=min(now.day, _days_of_month(first))))


def _days_of_month(day: date) -> int:
    return monthrange(day.year, day.month)[1]


UTC = "UTC"


def parse_time_zone(text: str) -> str:
    """Return the name of an IANA time zone in its usual spelling, whatever the text's case."""
    found = {name.lower(): name for name in available_timezones()}.get(text.lower())
    if found is None:
        raise TimeError("is not a time zone of the IANA database such as Europe/Berlin")
    return found


def local_time(time_zone: str, at: int) -> datetime:
    """Return the zone's date-time at a moment; in UTC if its year would be outside 1 to 9999."""
    try:
        return datetime.fromtimestamp(at, ZoneInfo(time_zone))
    except (OverflowError, ValueError):
        return datetime.fromtimestamp(at, ZoneInfo(UTC))


def start_of_day(time_zone: str, day: int) -> int:
    """Return the moment at which a calendar day, up to 9999-12-30, begins in the zone."""
    return int(datetime.combine(to_date(day), time(), ZoneInfo(time_zone)).timestamp())


def day_in(time_zone: str, at: int) -> int:
    """Return the zone's calendar day at a moment."""
    if time_zone == UTC:
        return at - at % DAY_SECONDS
    return from_date(datetime.fromtimestamp(at, ZoneInfo(time_zone)).date())


class Period(StrEnum):
    """A kind of period, from the shortest to the longest."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


#: The number of months in each kind of period that has whole months.
MONTHS = {Period.MONTH: 1, Period.QUARTER: 3, Period.YEAR: 12}


@lru_cache(maxsize=16_384)
def start_of(period: Period, seconds: int) -> int:
    """Return the first second of the period that contains ``seconds``. Weeks begin on Monday."""
    if period is Period.DAY:
        return seconds - seconds % DAY_SECONDS
    day = to_date(seconds)
    if period is Period.WEEK:
        return from_date(day - timedelta(days=day.weekday()))
    months = MONTHS[period]
    return from_date(date(day.year, (day.month - 1) // months * months + 1, 1))


@lru_cache(maxsize=16_384)
def end_of(period: Period, seconds: int) -> int:
    """Return the first second after the period of ``seconds``, at most the end of year 9999."""
    start = start_of(period, seconds)
    if period is Period.DAY:
        return start + DAY_SECONDS
    if period is Period.WEEK:
        return min(start + 7 * DAY_SECONDS, MAX_SECONDS + 1)
    day = to_date(start)
    years, month = divmod(day.month - 1 + MONTHS[period], 12)
    if day.year + years > date.max.year:
        return MAX_SECONDS + 1
    return from_date(date(day.year + years, month + 1, 1))


@lru_cache(maxsize=16_384)
def period_text(period: Period, start: int) -> str:
    """Return ``2026-03-18``, ``2026-W12`` (ISO 8601), ``2026-03``, ``2026-Q1`` or ``2026``."""
    day = to_date(start)
    match period:
        case Period.DAY:
            return date_text(start)
        case Period.WEEK:
            year, week, _ = day.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case Period.MONTH:
            return f"{day.year:04d}-{day.month:02d}"
        case Period.QUARTER:
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
    return f"{day.year:04d}"
