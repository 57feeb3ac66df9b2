"""Computes the columns of groups: from their sums, their amounts, other groups and the calendar.

Quotients are rounded to the decimals of their column, halves away from zero.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from finance_api.planning.conversion import converted_field, no_rate
from finance_api.planning.summaries.comparing import GroupKey, TimeKeys, bounds_of
from finance_api.planning.summaries.declaration import (
    COMPARED,
    CUMULATIVE,
    PER_DAY,
    PER_MONTH,
    SHARE,
    SummaryQuery,
)
from finance_api.planning.summaries.folding import Folder, Group
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.values import Row
from finance_api.values.number import ratio_units, rounded
from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    Period,
    end_of,
    start_of,
    to_date,
)

_Measure = Callable[[GroupKey, Group], int | None]


class Measures:
    """The columns of sums.

    folder: has made all groups. groups: in their default order.
    """

    def __init__(
        self, query: SummaryQuery, folder: Folder, groups: Iterable[tuple[GroupKey, Group]]
    ) -> None:
        self._query, self._expense = query, folder.expense
        self._times = TimeKeys(query)
        further: Mapping[str, _Measure] = {
            "avg": lambda _, group: _average(group.income + group.expense, group.count),
            "median": lambda _, group: _median(group.amounts),
            "min": lambda _, group: min(group.amounts, default=None),
            "max": lambda _, group: max(group.amounts, default=None),
            SHARE: self._share,
            CUMULATIVE: lambda key, _: self._running.get(key, 0),
            PER_DAY: self._per_day,
            PER_MONTH: self._per_month,
        }
        chosen = [field.name for field in query.sums]
        self._further = {name: further[name] for name in chosen if name in further}
        self._running = self._run(groups) if CUMULATIVE in chosen else {}
        self._first, self._end = self._asked_days(folder)

    def row(self, key: GroupKey, group: Group) -> Row:
        return {
            "count": group.count,
            **_amounts(group.income, group.expense, group.received),
            **{name: measure(key, group) for name, measure in self._further.items()},
            # Groups are sorted by these dates, so they have no time of day, as in the answer.
            "firstDate": None if group.first is None else start_of(Period.DAY, group.first),
            "lastDate": None if group.last is None else start_of(Period.DAY, group.last),
        }

    def _share(self, key: GroupKey, group: Group) -> int | None:
        return ratio_units(group.expense, self._expense.get(key[0], 0))

    def _run(self, groups: Iterable[tuple[GroupKey, Group]]) -> dict[GroupKey, int]:
        """Return the net so far of each group that differs only in its period."""
        so_far: defaultdict[GroupKey, int] = defaultdict(int)
        running = {}
        # With weekday before day in groupBy, groups are not in the order of their days.
        for key, group in sorted(groups, key=lambda each: self._times.start(each[0])):
            series = self._times.at(key, None)
            so_far[series] += group.income + group.expense
            running[key] = so_far[series]
        return running

    # -- days and months

    def _per_day(self, key: GroupKey, group: Group) -> int | None:
        first, end = self._days(key)
        if first >= end:
            return None
        return rounded((group.income + group.expense) * DAY_SECONDS, end - first)

    def _per_month(self, key: GroupKey, group: Group) -> int | None:
        first, end = self._days(key)
        if first >= end:
            return None
        months = _months_at(end - DAY_SECONDS, ended=True) - _months_at(first, ended=False)
        return rounded((group.income + group.expense) * months.denominator, months.numerator)

    def _asked_days(self, folder: Folder) -> tuple[int, int]:
        """Return the first day of the requested period and the end of its last day.

        Without a first day it begins with the oldest record; without a last day it ends with the
        newest, but not before today.
        """
        today = self._query.today
        first, last = bounds_of(self._query.conditions)
        if first == MIN_SECONDS:
            first = min(today, last) if folder.oldest is None else folder.oldest
        if last == MAX_SECONDS:
            last = today if folder.newest is None else max(today, folder.newest)
        return start_of(Period.DAY, first), end_of(Period.DAY, max(first, last))

    def _days(self, key: GroupKey) -> tuple[int, int]:
        """Return the first day and the end of a group's period, up to today if it has begun."""
        first, end = self._first, self._end
        if self._times.shortest is not None:
            start = self._times.start(key)
            first, end = max(first, start), min(end, end_of(self._times.shortest, start))
        tomorrow = self._query.today + DAY_SECONDS
        return first, min(end, tomorrow) if first < tomorrow else end


def _months_at(day: int, *, ended: bool) -> Fraction:
    """Return the months since the year 0 at the start of a day, or at its end."""
    date = to_date(day)
    first, end = start_of(Period.MONTH, day), end_of(Period.MONTH, day)
    length = (end - first) // DAY_SECONDS
    return date.year * 12 + date.month + Fraction(date.day - (not ended), length)


def _average(total: int, number: int) -> int | None:
    return rounded(total, number) if number else None


def _median(amounts: Iterable[int]) -> int | None:
    ordered = sorted(amounts)
    if not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return rounded(ordered[middle - 1] + ordered[middle], 2)


def compared(query: SummaryQuery, now: Row, before: Row) -> Row:
    """Return the earlier values of a group's columns, the differences and the percentages."""
    row: Row = {}
    for name in (field.name for field in query.sums if field.name in COMPARED):
        previous, current = before[name], now[name]
        change = None if previous is None or current is None else current - previous
        # A percentage has two decimals, so it is a ratio in ten-thousandths.
        percent = None if change is None else ratio_units(change, abs(previous))
        names = [field.name for field in COMPARED[name]]
        row |= zip(names, (previous, change, percent), strict=True)
    return row


def _amounts(income: int, expense: int, received: int) -> dict[str, int]:
    net = income + expense
    names = ("income", "expense", "net", SPENT, RECEIVED)
    return dict(zip(names, (income, expense, net, received - net, received), strict=True))


def converted_row(group: Group, currency: str, target: str) -> Row:
    amounts: Mapping[str, int | None] = _amounts(
        group.converted_income, group.converted_expense, group.converted_received
    )
    error = None
    if missing := group.count - group.converted_count:
        error = no_rate(currency, target, f"the days of {missing} of {group.count} records")
        if not group.converted_count:
            amounts = dict.fromkeys(amounts)
    return {
        "convertedCurrencyCode": target,
        "convertedCount": group.converted_count,
        **{converted_field(name).name: amount for name, amount in amounts.items()},
        "conversionError": error,
    }
