"""The days on which a recurrence rule recurs, year by year (RFC 5545, section 3.3.10).

The days of a year are the bits of a number, the lowest for 1 January. A search takes one step for
each year until 9999, so it always ends, after the same number of steps on every machine. Days of
the calendar are counted as `date.toordinal` does, weekdays from Monday, 0.
"""

from calendar import isleap
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from finance_api.runtime.time_limit import in_time

LAST_DAY = date.max.toordinal()
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
#: The first day of every week of a year, and more.
_EACH_WEEK = sum(1 << day for day in range(0, 380, 7))


class Rule(NamedTuple):
    """A rule. An empty set restricts nothing.

    times: how often it recurs. until: the last day. first_weekday: the first day of a week.
    weekdays: pairs of number and weekday, such as (-1, 4) for the last Friday; the number is 0 for
    every Friday.
    """

    frequency: str
    interval: int
    times: int | None
    until: int
    first_weekday: int
    weekdays: frozenset[tuple[int, int]]
    months: frozenset[int]
    month_days: frozenset[int]
    year_days: frozenset[int]
    weeks: frozenset[int]
    places: frozenset[int]

    def starting(self, first: date) -> "Rule":
        """Return the rule with the day of its start, if the rule itself has no day."""
        if self.weekdays or self.month_days or self.year_days or self.weeks:
            return self
        if self.frequency == "WEEKLY":
            return self._replace(weekdays=frozenset({(0, first.weekday())}))
        if self.frequency == "DAILY":
            return self
        months = self.months
        if self.frequency == "YEARLY" and not months:
            months = frozenset({first.month})
        return self._replace(months=months, month_days=frozenset({first.day}))

    def phase(self, day: date) -> int:
        """Return the number of the day's period, modulo the interval."""
        number = day.toordinal()
        if self.frequency == "WEEKLY":
            number = (number - 1 - self.first_weekday) // 7
        elif self.frequency == "MONTHLY":
            number = day.year * 12 + day.month
        elif self.frequency == "YEARLY":
            number = day.year
        return number % self.interval


class _Year(NamedTuple):
    """A kind of year. weekday: of 1 January. before, length, after: the number of days of the year
    before, of the year itself, and of the two years after it."""

    weekday: int
    before: int
    length: int
    after: tuple[int, int]

    @property
    def next(self) -> "_Year":
        following, second = self.after
        # The days of the third year are never used.
        return _Year((self.weekday + self.length) % 7, self.length, following, (second, 365))

    @property
    def months(self) -> list[range]:
        months, start = [], 0
        for month, days in enumerate(_MONTH_DAYS):
            end = start + days + (month == 1 and self.length == 366)
            months.append(range(start, end))
            start = end
        return months


@lru_cache(maxsize=10_000)
def _kind(year: int) -> _Year:
    before, length, *after = (365 + isleap(each) for each in range(year - 1, year + 3))
    return _Year(date(year, 1, 1).weekday(), before, length, (after[0], after[1]))


def days_by_year(rule: Rule, phase: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the days of the rule: 1 January, and the bits, of each year that has such days.

    phase: of the periods in which the rule recurs. Ignores `times` and `until`.
    """
    if first > min(last, LAST_DAY):
        return
    begin = date.fromordinal(first).year
    if rule.frequency == "WEEKLY":
        # The first days of a year can belong to the last week of the year before.
        begin = max(1, begin - 1)
    parts = rule._replace(interval=1, times=None, until=LAST_DAY)
    for year in in_time(range(begin, date.fromordinal(last).year + 1)):
        kind = _kind(year)
        days = _matching_periods(parts, kind)
        if not days:
            continue
        january = date(year, 1, 1).toordinal()
        start = _periods(rule.frequency, rule.first_weekday, kind)[0].start
        skipped = (phase - rule.phase(date.fromordinal(january + start))) % rule.interval
        days &= _recurring(rule.frequency, rule.first_weekday, kind, rule.interval, skipped)
        if january < first:
            days = days >> first - january << first - january
        if last < january + days.bit_length():
            days &= (1 << last - january + 1) - 1
        if days:
            yield january, days


def positions(bits: int) -> Iterator[int]:
    """Yield the days of a year, in order."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


@lru_cache(maxsize=256)
def _periods(frequency: str, first_weekday: int, year: _Year) -> list[range]:
    """Return the days of each period that begins in the year. A week can end in the next year."""
    if frequency == "MONTHLY":
        return year.months
    if frequency == "YEARLY":
        return [range(year.length)]
    days = 1 if frequency == "DAILY" else 7
    start = (first_weekday - year.weekday) % days
    return [range(day, day + days) for day in range(start, year.length, days)]


@lru_cache(maxsize=4_096)
def _recurring(frequency: str, first_weekday: int, year: _Year, interval: int, skipped: int) -> int:
    """Return the periods in which a rule recurs. skipped: the number of periods before these."""
    return _whole(_periods(frequency, first_weekday, year)[skipped::interval])


@lru_cache(maxsize=4_096)
def _matching_periods(rule: Rule, year: _Year) -> int:
    """Return the days of a rule without an interval, in the periods that begin in the year."""
    days = _matching(rule, year)
    if rule.frequency == "WEEKLY":
        days |= _matching(rule, year.next) << year.length
    if not rule.places:
        return days
    periods = _periods(rule.frequency, rule.first_weekday, year)
    return sum(_at(list(positions(days & _whole([each]))), rule.places) for each in periods)


def _matching(rule: Rule, year: _Year) -> int:
    """Return the days of the year that have all parts but BYSETPOS."""
    whole = range(year.length)
    days = _whole([whole])
    if rule.months:
        days &= _whole(year.months[month - 1] for month in rule.months)
    if rule.month_days:
        days &= sum(_at(month, rule.month_days) for month in year.months)
    if rule.year_days:
        days &= _at(whole, rule.year_days)
    if rule.weeks:
        days &= _in_weeks(rule, year)
    if rule.weekdays:
        # Numbers count within months, except for a year without BYMONTH.
        is_whole = rule.frequency == "YEARLY" and not rule.months
        parts = [whole] if is_whole else year.months
        found = 0
        for number, weekday in rule.weekdays:
            if not number:
                found |= _EACH_WEEK << (weekday - year.weekday) % 7
                continue
            for part in parts:
                start = part.start + (weekday - year.weekday - part.start) % 7
                found |= _at(range(start, part.stop, 7), {number})
        days &= found
    return days


def _in_weeks(rule: Rule, year: _Year) -> int:
    """Return the days in the weeks of BYWEEKNO, some of which belong to the years beside it."""
    found = 0
    for january, length in (
        (-year.before, year.before),
        (0, year.length),
        (year.length, year.after[0]),
    ):
        # Week 1 is the first with at least four days in its year.
        first, end = (
            day + 3 - (year.weekday + day + 3 - rule.first_weekday) % 7
            for day in (january, january + length)
        )
        for week in _chosen(range(first, end, 7), rule.weeks):
            found |= 127 << week + year.before + 7
    return found >> year.before + 7


def _chosen(days: Sequence[int], numbers: Iterable[int]) -> set[int]:
    """Return the days with these numbers, which count from 1, or from the end as negative ones."""
    places = (number - (number > 0) for number in numbers)
    return {days[place] for place in places if -len(days) <= place < len(days)}


def _at(days: Sequence[int], numbers: Iterable[int]) -> int:
    return sum(1 << day for day in _chosen(days, numbers))


def _whole(periods: Iterable[range]) -> int:
    return sum((1 << len(days)) - 1 << days.start for days in periods)
