"""The earlier time that a summary is compared with: its dates and its periods.

Dates without an end end today. Whole months are compared with the same number of months before
them, other dates with the same number of days before. If groups have periods, each period is
compared with the period before it, or with the period a year earlier. A client can also name the
days to compare with: their first period is then compared with the first one of the dates, and so
on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.query.dimensions import WEEKDAY
from finance_api.query.model import Condition, Span, dated
from finance_api.query.operators import RANGES, Operator
from finance_api.query.sums import Compare
from finance_api.values.text import counted
from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    MONTHS,
    Period,
    date_text,
    end_of,
    from_date,
    months_before,
    start_of,
    to_date,
)

#: The currency and a value of each dimension: an id, a text or the first second of a period.
GroupKey = tuple[Any, ...]

_ENDED = (Operator.EQ, Operator.LT, Operator.LTE)
#: Numbers of days after a period's start that can be in the same period of the next year.
_YEAR_LATER = (364, 365, 366, 371)


def is_date(condition: Condition) -> bool:
    """Return whether a condition limits the recordDate to a range."""
    return condition.field.name == "recordDate" and condition.operator in RANGES


def bounds_of(conditions: Iterable[Condition]) -> tuple[int, int]:
    """Return the first and last second that the conditions allow for recordDate."""
    first, last = MIN_SECONDS, MAX_SECONDS
    for condition in filter(is_date, conditions):
        low, high = condition.bounds() or (first, last)
        first, last = max(first, low), min(last, high)
    return first, last


def with_end(query: SummaryQuery) -> SummaryQuery:
    """Return the query; if it is to be compared and its dates have no end, they end today.

    Raises ParametersRefused if they begin after today.
    """
    has_end = any(c.operator in _ENDED for c in filter(is_date, query.conditions))
    if query.compare is None or has_end:
        return query
    first, _ = bounds_of(query.conditions)
    if first >= query.today + DAY_SECONDS:
        raise ParametersRefused([("recordDate", _begins_ahead(first))])
    until_today = dated(MIN_SECONDS, query.today + DAY_SECONDS)
    return replace(query, conditions=(*query.conditions, until_today))


def weekday(day: int) -> int:
    """Return 1 for Monday to 7 for Sunday."""
    return to_date(day).isoweekday()


class TimeKeys:
    """Finds and replaces the values in a group's key that follow from its period."""

    def __init__(self, query: SummaryQuery) -> None:
        self.shortest = query.shortest_period
        self._periods = query.periods
        names = [dimension.name for dimension in query.group_by]
        has_weekdays = self.shortest is Period.DAY and WEEKDAY in names
        self._weekday_at = [names.index(WEEKDAY)] if has_weekdays else []

    def start(self, key: GroupKey) -> int:
        """Return the first second of the key's shortest period; 0 if it has no periods."""
        starts: list[int] = [key[at + 1] for at, _ in self._periods]
        return max(starts, default=0)

    def at(self, key: Sequence[Any], second: int | None) -> GroupKey:
        """Return the key with the periods that contain ``second``, or with None as its periods."""
        replaced = list(key)
        for at, period in self._periods:
            replaced[at + 1] = None if second is None else start_of(period, second)
        for at in self._weekday_at:
            replaced[at + 1] = None if second is None else weekday(second)
        return tuple(replaced)


class Comparison:
    """The earlier time that a query is compared with.

    query: see `with_end`. span: the query's dates. spans: the dates to compare with, None if there
    are none or if they would begin before the year 1. Their key is None, or the start of a period
    with dates of its own: the first or last one if it is cut short, and another period is compared
    with all of the same earlier period, as weeks 52 and 53 are with week 52.
    """

    def __init__(self, query: SummaryQuery) -> None:
        assert query.compare is not None
        self._compare = query.compare
        self._keys = TimeKeys(query)
        self._period = self._keys.shortest
        first, last = bounds_of(query.conditions)
        self.span = Span(first, max(first, last + 1))
        #: The number of periods between the dates and the days that the client names.
        self._periods_back = 0
        if isinstance(self._compare, Span):
            _check_apart(self.span, self._compare)
            if self._period is not None and first <= last:
                self._periods_back = _periods_between(self._period, self.span, self._compare)
        #: The number of months in the period of which the dates are the first days; 0 if none.
        self._to_date = 0
        if query.to_date is not None and start_of(query.to_date, first) == first:
            self._to_date = MONTHS[query.to_date] * (last < end_of(query.to_date, first))
        self.spans: dict[int | None, Span | None] = {}
        self.spans[None] = self._with_shared_periods(self._earlier_span())

    # -- dates

    def _earlier_span(self) -> Span | None:
        first, end = self.span.first, self.span.end
        if first == end:
            return None
        if isinstance(self._compare, Span):
            return self._compare
        if self._compare is Compare.YEAR and self._period is Period.WEEK:
            if to_date(first).year < _FIRST_YEAR:
                return None
            return Span(self._weeks_before(first), self._weeks_before(end - 1) + 1)
        months, days = self._step()
        if months > _months_since_the_year_1(first) or days > (first - MIN_SECONDS) // DAY_SECONDS:
            return None
        is_whole = _begins_month(end) and not self._to_date and months > 0
        if is_whole and (self._period is not None or _begins_month(first)):
            last_month = months_before(start_of(Period.MONTH, end - 1), months)
            return Span(_before(first, months, days), end_of(Period.MONTH, last_month))
        return Span(_before(first, months, days), _before(end - 1, months, days) + 1)

    def _step(self) -> tuple[int, int]:
        """Return how many months, or how many days, to go back."""
        first, end = self.span.first, self.span.end
        if self._compare is Compare.YEAR:
            return MONTHS[Period.YEAR], 0
        if self._period is not None:
            return MONTHS.get(self._period, 0), _DAYS.get(self._period, 0)
        if self._to_date:
            return self._to_date, 0
        if _begins_month(first) and _begins_month(end):
            return _months_since_the_year_1(end) - _months_since_the_year_1(first), 0
        return 0, (start_of(Period.DAY, end - 1) - start_of(Period.DAY, first)) // DAY_SECONDS + 1

    def _with_shared_periods(self, earlier: Span | None) -> Span | None:
        """Return the dates with the whole of each period that is compared twice; fill `spans`."""
        if earlier is None or self._period is None:
            return earlier
        first, last = (start_of(self._period, at) for at in (self.span.first, self.span.end - 1))
        if first == last:
            return earlier
        begin, end = self._period_before(first), end_of(self._period, self._period_before(last))
        low, high = earlier.first, earlier.end
        if begin < low and self._period_before(end_of(self._period, first)) == begin:
            self.spans[first] = Span(low, end_of(self._period, begin))
            low = begin
        if high < end and self._period_before(start_of(self._period, last - 1)) == (
            start := self._period_before(last)
        ):
            self.spans[last] = Span(start, high)
            high = end
        return Span(low, high)

    def _weeks_before(self, second: int) -> int:
        start = start_of(Period.WEEK, second)
        return self._period_before(start) + second - start

    # -- groups

    def span_of(self, key: GroupKey) -> int | None:
        """Return the key in `spans` of the dates that a group is compared with."""
        start = self._keys.start(key)
        return start if start in self.spans else None

    def earlier_key(self, key: GroupKey) -> GroupKey:
        """Return the key of the earlier group that a group is compared with."""
        if self._period is None or self.spans[None] is None:
            return key
        return self._keys.at(key, self._period_before(self._keys.start(key)))

    def later_keys(self, key: GroupKey) -> list[GroupKey]:
        """Return the keys of the groups that are compared with an earlier group."""
        if self._period is None:
            return [key]
        found = self._periods_after(self._keys.start(key))
        first = start_of(self._period, self.span.first)
        return [self._keys.at(key, at) for at in found if first <= at < self.span.end]

    def _period_before(self, start: int) -> int:
        assert self._period is not None
        if isinstance(self._compare, Span):
            return _moved(self._period, start, -self._periods_back)
        if self._compare is Compare.PREVIOUS:
            return start_of(self._period, start - 1)
        if self._period is not Period.WEEK:
            return months_before(start, MONTHS[Period.YEAR])
        year, week, _ = to_date(start).isocalendar()
        # 28 December is always in the last week of its year.
        last = date(year - 1, 12, 28).isocalendar().week
        return from_date(date.fromisocalendar(year - 1, min(week, last), 1))

    def _periods_after(self, start: int) -> list[int]:
        assert self._period is not None
        if isinstance(self._compare, Span):
            return [_moved(self._period, start, self._periods_back)]
        if self._compare is Compare.PREVIOUS:
            return [end_of(self._period, start)]
        seconds = [start + days * DAY_SECONDS for days in _YEAR_LATER]
        starts = {start_of(self._period, at) for at in seconds if at <= MAX_SECONDS}
        return [at for at in sorted(starts) if self._period_before(at) == start]


def _begins_ahead(first: int) -> str:
    day = date_text(first)
    return (
        f"begins after today, on {day}, so no days are left to compare: give it an end, such as "
        f"recordDate=eq.{day}"
    )


def _check_apart(asked: Span, named: Span) -> None:
    if max(asked.first, named.first) >= min(asked.end, named.end):
        return
    first, last = date_text(asked.first), date_text(asked.last_day)
    message = (
        f"{date_text(named.first)} to {date_text(named.last_day)} overlaps the days of recordDate, "
        f"{first} to {last}: name other days, or use previous or year"
    )
    raise ParametersRefused([("compare", message)])


def _periods_between(period: Period, asked: Span, named: Span) -> int:
    """Return how many periods the named days begin before the dates that are asked for.

    Raises ParametersRefused if both do not have the same number of periods.
    """
    first, begin = (start_of(period, span.first) for span in (asked, named))
    numbers, others = (
        _distance(period, span.first, start_of(period, span.end - 1)) + 1
        for span in (Span(first, asked.end), Span(begin, named.end))
    )
    if numbers == others:
        return _distance(period, begin, first)
    is_longer = others > numbers
    longer = named if is_longer else asked
    last = _moved(period, start_of(period, longer.first), min(numbers, others)) - 1
    days = date_text(longer.first), date_text(last)
    form = "compare={}/{}" if is_longer else "recordDate=gte.{},lte.{}"
    message = (
        f"has {counted(others, period)} and recordDate has {counted(numbers, period)}, but the "
        f"first is compared with the first, and so on: write {form.format(*days)}"
    )
    raise ParametersRefused([("compare", message)])


_DAYS = {Period.DAY: 1, Period.WEEK: 7}


def _distance(period: Period, start: int, later: int) -> int:
    """Return the number of periods from the start of one to the start of another."""
    if days := _DAYS.get(period):
        return (later - start) // DAY_SECONDS // days
    return (_months_since_the_year_1(later) - _months_since_the_year_1(start)) // MONTHS[period]


def _moved(period: Period, start: int, number: int) -> int:
    """Return the start of the period that is ``number`` periods later."""
    if days := _DAYS.get(period):
        return start + number * days * DAY_SECONDS
    return months_before(start, -number * MONTHS[period])


#: The first year whose weeks can be compared with the year before: there is no year 0.
_FIRST_YEAR = 3


def _before(second: int, months: int, days: int) -> int:
    return months_before(second, months) + second % DAY_SECONDS - days * DAY_SECONDS


def _begins_month(second: int) -> bool:
    return second > MAX_SECONDS or start_of(Period.MONTH, second) == second


def _months_since_the_year_1(second: int) -> int:
    if second > MAX_SECONDS:
        return _months_since_the_year_1(second - 1) + 1
    day = to_date(second)
    return (day.year - 1) * 12 + day.month - 1
