"""Calendar periods: days, ISO weeks, months, quarters, years; each as its first second."""

from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache

from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, date_text, from_date, to_date


class Period(StrEnum):
    """A kind of period; the shortest first."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


#: How many months a period has.
_MONTHS = {Period.MONTH: 1, Period.QUARTER: 3, Period.YEAR: 12}


@lru_cache(maxsize=16_384)
def start_of(period: Period, seconds: int) -> int:
    """The first second of the period that ``seconds`` falls in. Weeks begin on Monday."""
    if period is Period.DAY:
        return seconds - seconds % DAY_SECONDS
    day = to_date(seconds)
    if period is Period.WEEK:
        return from_date(day - timedelta(days=day.weekday()))
    months = _MONTHS[period]
    return from_date(date(day.year, (day.month - 1) // months * months + 1, 1))


@lru_cache(maxsize=16_384)
def end_of(period: Period, seconds: int) -> int:
    """The first second after the period that ``seconds`` falls in; at most after the year 9999."""
    start = start_of(period, seconds)
    if period is Period.DAY:
        return start + DAY_SECONDS
    if period is Period.WEEK:
        return min(start + 7 * DAY_SECONDS, MAX_SECONDS + 1)
    day = to_date(start)
    years, month = divmod(day.month - 1 + _MONTHS[period], 12)
    if day.year + years > date.max.year:
        return MAX_SECONDS + 1
    return from_date(date(day.year + years, month + 1, 1))


@lru_cache(maxsize=16_384)
def period_text(period: Period, start: int) -> str:
    """``2026-03-18``, ``2026-W12`` (ISO 8601), ``2026-03``, ``2026-Q1`` or ``2026``."""
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
