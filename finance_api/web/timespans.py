"""The timespan of a page: a month, a quarter, a year, or from one day to another."""

from collections.abc import Iterator
from dataclasses import dataclass

from finance_api.query.model import RELATIVE_DATES
from finance_api.values import time as times
from finance_api.values.regions import Region
from finance_api.web.rendering import month_words

#: Timespans must lie between these days, so that a year before or after them is a valid date.
_EARLIEST, _LATEST = times.parse_date("1000-01-01"), times.parse_date("9000-01-01")


@dataclass(frozen=True)
class Timespan:
    """The days from first to last. period: which period they are; None if not a whole period."""

    first: int
    last: int
    period: times.Period | None = None

    @classmethod
    def around(cls, period: times.Period, day: int) -> "Timespan":
        return cls(
            times.start_of(period, day), times.end_of(period, day) - times.DAY_SECONDS, period
        )

    @classmethod
    def named(cls, name: str, today: int) -> "Timespan":
        """Return the days of a relative date. name: a key of `RELATIVE_DATES`."""
        date = RELATIVE_DATES[name]
        days = date.on(today)
        period = date.period if date.period in times.MONTHS else None
        return cls(days.first, days.last_day, period)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of a page that shows this timespan."""
        if self.period is not None:
            return {"period": times.period_text(self.period, self.first)}
        return {"from": times.date_text(self.first), "to": times.date_text(self.last)}

    def name(self, today: int) -> str | None:
        """Return the relative date for these days, such as ``this-month``, if there is one."""
        days = self.first, self.last
        named = ((name, Timespan.named(name, today)) for name in RELATIVE_DATES)
        return next((name for name, span in named if (span.first, span.last) == days), None)

    @property
    def filter(self) -> str:
        """The filter of recordDate for these days."""
        if self.period in (times.Period.MONTH, times.Period.YEAR):
            return f"eq.{times.period_text(self.period, self.first)}"
        return f"gte.{times.date_text(self.first)},lte.{times.date_text(self.last)}"

    def words(self, region: Region) -> str:
        match self.period:
            case times.Period.WEEK:
                return f"Week from {region.day(self.first)}"
            case times.Period.MONTH:
                return month_words(self.first)
            case times.Period.QUARTER:
                year, quarter = times.period_text(self.period, self.first).split("-")
                return f"{quarter} {year}"
            case times.Period.YEAR:
                return times.period_text(self.period, self.first)
        first, last = region.day(self.first), region.day(self.last)
        return first if first == last else f"{first} – {last}"

    def before(self) -> "Timespan":
        """Return the timespan of the same length before this one."""
        last = self.first - times.DAY_SECONDS
        if self.period is not None:
            return Timespan.around(self.period, last)
        return Timespan(max(times.MIN_SECONDS, last - (self.last - self.first)), last)

    def compared(self, today: int) -> "Timespan":
        """Return the timespan before this one.

        If this one is not over, the other ends with the day that corresponds to today.
        """
        before = self.before()
        if not self.first <= today < self.last:
            return before
        if self.period is None:
            last = before.first + today - self.first
        else:
            last = times.months_before(today, times.MONTHS[self.period])
        return Timespan(before.first, last)

    def after(self) -> "Timespan":
        first = self.last + times.DAY_SECONDS
        if self.period is not None:
            return Timespan.around(self.period, first)
        return Timespan(first, first + self.last - self.first)

    def months(self) -> Iterator["Timespan"]:
        """Yield the months from the first day on; the last one ends with this timespan."""
        first = times.start_of(times.Period.MONTH, self.first)
        while first <= self.last:
            end = times.end_of(times.Period.MONTH, first)
            yield Timespan(first, min(end - times.DAY_SECONDS, self.last))
            first = end

    def year(self) -> "Timespan":
        """Return the twelve months that end with this timespan."""
        if self.period is times.Period.YEAR:
            return self
        month = times.start_of(times.Period.MONTH, self.last)
        return Timespan(times.months_before(month, 11), self.last)


def parse_timespan(period: str, first: str, last: str) -> Timespan | None:
    """Parse a page's parameters. Returns None for faulty parameters."""
    try:
        if first or last:
            span = Timespan(times.parse_date(first), times.parse_date(last))
        elif len(period) > len("2026-03"):
            return None
        else:
            kind = times.Period.MONTH if "-" in period else times.Period.YEAR
            kind = times.Period.QUARTER if "Q" in period else kind
            span = Timespan.around(kind, times.parse_days(period)[0])
    except times.TimeError:
        return None
    return span if _EARLIEST <= span.first <= span.last < _LATEST else None
