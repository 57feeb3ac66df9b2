"""The columns of a summary: one function each, which `column` adds to `SUMS`.

A column is added here. Its parameters, its descriptions, its comparison with an earlier time, its
converted amounts and the tools of agents are derived from it. The storage adds up what
`Sums` has; a column that needs more of it has its SQL in `storage/sql/reading/sums.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from finance_api.resources.common import amount_field
from finance_api.resources.field import Field, Kind, Unit
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.values.number import ratio_units, rounded
from finance_api.values.time import DAY_SECONDS, Period, end_of, start_of, to_date

#: The kinds of records that a summary leaves out unless the query includes them.
LEFT_OUT = ("void", "transfers", "excluded")


class Compare(StrEnum):
    """The earlier time that a summary is compared with."""

    PREVIOUS = "previous"
    YEAR = "year"


@dataclass(slots=True)
class Sums:
    """Sums of some records. Amounts are in units.

    received: the sum of what counts as received. first, last: dates of the oldest and newest
    record; None if there are no records. amounts: of each record, if a column needs them.
    """

    count: int = 0
    income: int = 0
    expense: int = 0
    received: int = 0
    first: int | None = None
    last: int | None = None
    amounts: list[int] = field(default_factory=list)

    @property
    def net(self) -> int:
        return self.income + self.expense

    @property
    def spent(self) -> int:
        return self.received - self.net


class Surroundings(NamedTuple):
    """What a group's columns need to know beyond its own records.

    total: all income and expense of the group's currency. everything: those of all records on the
    days that are asked for, whatever else is filtered; empty if some could not be converted.
    running: the net of the periods so far, the group's included. days: returns the first day and
    the end of the group's period, up to today. expected: the net of the payments to come in the
    group's currency.
    """

    total: Sums
    everything: Sums
    running: int
    days: Callable[[], tuple[int, int]]
    expected: int


#: Returns a column's value of a group.
Value = Callable[[Sums, Surroundings], int | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """What a column of a summary counts.

    field: its name, and how it is shown. value: returns the value of a group, or None if the group
    has no such value. note: what agents read beside its name.
    is_usual: whether a summary has it by default. is_amount: whether it can also be converted.
    by_flow, by_amount: whether it needs the kinds of categories, or the amount of every record.
    by_group: whether it needs other groups, or the days of the period; is_running: a period, too.
    by_everything: whether it needs all records on the days, whatever else is filtered.
    by_payments: whether it needs the payments to come. by_day: whether it changes from day to day.
    absence: says why no group of a currency has a value, if that needs to be said;
    absence_filtered: follows if there are filters besides dates.
    """

    field: Field
    value: Value
    note: str = ""
    is_usual: bool = False
    is_amount: bool = False
    by_flow: bool = False
    by_amount: bool = False
    by_group: bool = False
    is_running: bool = False
    by_everything: bool = False
    by_payments: bool = False
    by_day: bool = False
    absence: str = ""
    absence_filtered: str = ""

    def __repr__(self) -> str:
        return f"<Column {self.name}>"

    @property
    def name(self) -> str:
        return self.field.name


#: The columns of sums that a summary can have, by name, in their order.
SUMS: dict[str, Column] = {}


def column(field: Field, **options: Any) -> Callable[[Value], Value]:
    """Add the column whose value the function returns. options: those of `Column`."""

    def add(value: Value) -> Value:
        SUMS[field.name] = Column(field=field, value=value, **options)
        return value

    return add


def amount(name: str, meaning: str, example: float, **options: Any) -> Callable[[Value], Value]:
    return column(amount_field(name, meaning, example), **options)


def part(
    name: str, meaning: str, example: float, note: str, **options: Any
) -> Callable[[Value], Value]:
    """Add a column that is a part of what other groups have, too."""
    field = Field(name, Kind.NUMBER, meaning, example, unit=Unit.SHARE)
    return column(field, note=note, by_group=True, **options)


_COUNT = Field("count", Kind.NUMBER, "Number of records.", 12, nullable=False, decimals=0)


@column(_COUNT, is_usual=True)
def count(sums: Sums, around: Surroundings) -> int:
    return sums.count


@amount("income", "Sum of the amounts of income.", 0, is_usual=True, is_amount=True)
def income(sums: Sums, around: Surroundings) -> int:
    return sums.income


@amount(
    "expense", "Sum of the amounts of expenses, negative.", -412.5, is_usual=True, is_amount=True
)
def expense(sums: Sums, around: Surroundings) -> int:
    return sums.expense


@amount("net", "income and expense together.", -412.5, is_usual=True, is_amount=True)
def net(sums: Sums, around: Surroundings) -> int:
    return sums.net


@amount(
    SPENT,
    "Sum of the amounts that count as spent; positive if money went out.",
    412.5,
    is_amount=True,
    by_flow=True,
)
def spent(sums: Sums, around: Surroundings) -> int:
    return sums.spent


@amount(RECEIVED, "Sum of the amounts that count as received.", 0, is_amount=True, by_flow=True)
def received(sums: Sums, around: Surroundings) -> int:
    return sums.received


@amount("avg", "The average amount of the records.", -34.38)
def average(sums: Sums, around: Surroundings) -> int | None:
    return rounded(sums.net, sums.count) if sums.count else None


@amount("median", "The median amount of the records.", -32.4, by_amount=True)
def median(sums: Sums, around: Surroundings) -> int | None:
    ordered = sorted(sums.amounts)
    # The same one twice if their number is odd.
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return rounded(sum(middle), len(middle)) if middle else None


@amount("min", "The smallest amount of the records.", -93.1, by_amount=True)
def minimum(sums: Sums, around: Surroundings) -> int | None:
    return min(sums.amounts, default=None)


@amount("max", "The largest amount of the records.", -5.2, by_amount=True)
def maximum(sums: Sums, around: Surroundings) -> int | None:
    return max(sums.amounts, default=None)


@part(
    "share",
    "The group's part of all expense of its currency, from 0 to 1; null without expense.",
    0.2512,
    "of all expense",
)
def share(sums: Sums, around: Surroundings) -> int | None:
    return ratio_units(sums.expense, around.total.expense)


@part(
    "incomeShare",
    "net as a part of all income of its currency: 0.15 if 15 % of it is left, -0.3 for rent that "
    "takes 30 % of it; null without income.",
    -0.3012,
    "net of all income",
    absence="incomeShare is empty in {}, because there is no income.",
    absence_filtered=" A filter such as category=eq.Rent leaves out the income: ask without it, "
    "with groupBy=category.",
)
def income_share(sums: Sums, around: Surroundings) -> int | None:
    return ratio_units(sums.net, around.total.income)


def _part_of_everything(name: str, example: float) -> Callable[[Value], Value]:
    meaning = (
        f"{name} as a part of everything {name} on these days in the currency, whatever else is "
        "filtered; null if that is not positive."
    )
    note = "of all, unfiltered"
    return part(f"{name}Share", meaning, example, note, by_flow=True, by_everything=True)


@_part_of_everything(SPENT, 0.2512)
def spent_share(sums: Sums, around: Surroundings) -> int | None:
    return _share(sums.spent, around.everything.spent)


@_part_of_everything(RECEIVED, 0.9)
def received_share(sums: Sums, around: Surroundings) -> int | None:
    return _share(sums.received, around.everything.received)


def _share(units: int, total: int) -> int | None:
    return ratio_units(units, total) if total > 0 else None


@amount(
    "cumulative",
    "net of the periods so far. It needs a period in groupBy.",
    -1202.25,
    note="net so far",
    by_group=True,
    is_running=True,
)
def cumulative(sums: Sums, around: Surroundings) -> int:
    return around.running


@amount(
    "left",
    "net and what is expected until the end of recordDate: income less payments. It needs days "
    "that have begun, and the scope standing-orders, too.",
    922.48,
    note="net and payments to come",
    by_group=True,
    by_payments=True,
    by_day=True,
)
def left(sums: Sums, around: Surroundings) -> int:
    return sums.net + around.expected


def _per_days(number: int, sums: Sums, around: Surroundings) -> int | None:
    """Return the net for each ``number`` of elapsed days."""
    first, end = around.days()
    return rounded(sums.net * number * DAY_SECONDS, end - first) if first < end else None


@amount("perDay", "net per elapsed day of the period.", -13.31, by_group=True, by_day=True)
def per_day(sums: Sums, around: Surroundings) -> int | None:
    return _per_days(1, sums, around)


@amount("perWeek", "net per seven elapsed days of the period.", -93.17, by_group=True, by_day=True)
def per_week(sums: Sums, around: Surroundings) -> int | None:
    return _per_days(7, sums, around)


@amount("perMonth", "net per elapsed month of the period.", -405.13, by_group=True, by_day=True)
def per_month(sums: Sums, around: Surroundings) -> int | None:
    first, end = around.days()
    if first >= end:
        return None
    months = _months_at(end - DAY_SECONDS, ended=True) - _months_at(first, ended=False)
    return rounded(sums.net * months.denominator, months.numerator)


def _months_at(day: int, *, ended: bool) -> Fraction:
    """Return the months since the year 0, at the start of the day or (if ended) at its end."""
    date = to_date(day)
    first, end = start_of(Period.MONTH, day), end_of(Period.MONTH, day)
    length = (end - first) // DAY_SECONDS
    return date.year * 12 + date.month + Fraction(date.day - (not ended), length)


@column(Field("firstDate", Kind.DATE, "Day of the first record.", "2026-01-02"), is_usual=True)
def first_date(sums: Sums, around: Surroundings) -> int | None:
    return _day(sums.first)


@column(Field("lastDate", Kind.DATE, "Day of the last record.", "2026-01-30"), is_usual=True)
def last_date(sums: Sums, around: Surroundings) -> int | None:
    return _day(sums.last)


def _day(date: int | None) -> int | None:
    """Return the date without its time of day, by which groups must not be sorted."""
    return None if date is None else start_of(Period.DAY, date)


#: The columns of sums that a summary has by default.
USUAL_SUMS = tuple(each for each in SUMS.values() if each.is_usual)
