"""Dates and date-times as whole seconds since 1970-01-01T00:00:00Z (UTC, proleptic Gregorian).

A calendar date stands for its midnight. Years run from 0001 to 9999.
"""

import re
from datetime import date
from fractions import Fraction
from functools import lru_cache

DAY_SECONDS = 86_400

_EPOCH = date(1970, 1, 1).toordinal()
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,30})?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
# The two parts of a clock time in the form that is read most, ``Thh:mm:`` and ``ssZ``, in seconds.
_MINUTES = {f"T{m // 60:02d}:{m % 60:02d}:": m * 60 for m in range(1440)}
_SECONDS = {f"{s:02d}Z": s for s in range(60)}
MIN_SECONDS = (date.min.toordinal() - _EPOCH) * DAY_SECONDS
MAX_SECONDS = (date.max.toordinal() - _EPOCH + 1) * DAY_SECONDS - 1


class TimeError(ValueError):
    """The text is not a date or date-time; the message says why."""


@lru_cache(maxsize=16_384)
def parse_date(text: str) -> int:
    """``YYYY-MM-DD`` as the seconds of its midnight."""
    match = _DATE.fullmatch(text)
    if not match:
        raise TimeError("is not a date in the form YYYY-MM-DD")
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise TimeError("is not a day of the calendar") from None
    return from_date(day)


def parse_instant(text: str) -> Fraction:
    """An RFC 3339 date-time as exact seconds; seconds optional, no offset means UTC."""
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
    """A date or date-time to be stored: fractions of a second are dropped."""
    if len(text) == 10:
        return parse_date(text)
    try:
        # Most of a file is ``YYYY-MM-DDThh:mm:ssZ``: as below, in a sixth of the time.
        return parse_date(text[:10]) + _MINUTES[text[10:17]] + _SECONDS[text[17:]]
    except (KeyError, TimeError):
        pass
    seconds = int(parse_instant(text) // 1)
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise TimeError("lies outside the years 0001 to 9999")
    return seconds


def from_date(day: date) -> int:
    """The seconds of the midnight that begins ``day``."""
    return (day.toordinal() - _EPOCH) * DAY_SECONDS


def to_date(seconds: int) -> date:
    """The UTC calendar day that ``seconds`` falls in."""
    return date.fromordinal(seconds // DAY_SECONDS + _EPOCH)


@lru_cache(maxsize=16_384)
def _day_text(day: int) -> str:
    return date.fromordinal(day + _EPOCH).isoformat()


def date_text(seconds: int) -> str:
    """The UTC calendar date, ``YYYY-MM-DD``."""
    return _day_text(seconds // DAY_SECONDS)


def instant_text(seconds: int) -> str:
    """The date-time, ``YYYY-MM-DDThh:mm:ssZ``."""
    day, second = divmod(seconds, DAY_SECONDS)
    minutes, second = divmod(second, 60)
    return f"{_day_text(day)}T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}Z"
