"""The query of a list: conditions, order and page."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import cast

from finance_api.query.operators import PARTED, Operator
from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Resource
from finance_api.resources.records import VOID
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS, MONTHS, Period, end_of, months_before, start_of

#: A page of records in default order is cheap if only these fields are filtered, and only up to
#: this offset.
_OF_THE_ORDER = ("recordDate", "recordState", "id")
_NEAR = 1_000


@dataclass(frozen=True, slots=True)
class Span:
    """The range of stored numbers or seconds that an operand means: first <= value < end.

    A day is 86,400 wide, and a month or year covers all of its days. An exact number or moment is 1
    wide. If it falls between two stored values, it is 0 wide, and lies just before ``first``.
    """

    first: int
    end: int

    @property
    def last_day(self) -> int:
        return start_of(Period.DAY, self.end - 1)

    def on(self, today: int) -> "Span":
        """Return the span itself, which is the same on all days."""
        return self


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """A day or period counted from today.

    days, months: how many of them back; less than 0 lies ahead. period: what is meant, with all of
    its days. to_date: the period of which the first days are meant, up to that day.
    """

    days: int = 0
    months: int = 0
    period: Period = Period.DAY
    to_date: Period | None = None

    @property
    def is_ahead(self) -> bool:
        return self.days < 0 or self.months < 0

    def on(self, today: int) -> Span:
        """Return the days that the date means on the day ``today``."""
        day = months_before(today, self.months) - self.days * DAY_SECONDS
        return Span(start_of(self.to_date or self.period, day), end_of(self.period, day))


#: The names of relative dates. Weeks begin on Monday, like those of summaries and budgets.
RELATIVE_DATES = {
    "today": RelativeDate(),
    "yesterday": RelativeDate(days=1),
    "tomorrow": RelativeDate(days=-1),
    "this-week": RelativeDate(period=Period.WEEK),
    "last-week": RelativeDate(days=7, period=Period.WEEK),
    "next-week": RelativeDate(days=-7, period=Period.WEEK),
    **{
        f"{word}-{period}": RelativeDate(0, months * number, period)
        for period, months in MONTHS.items()
        for word, number in (("this", 0), ("last", 1), ("next", -1))
    },
    **{
        f"{word}{period}-to-date": RelativeDate(0, months * number, to_date=period)
        for period, months in MONTHS.items()
        for word, number in (("", 0), ("last-", 1))
    },
}


Operand = str | bool | Span | RelativeDate | tuple[str | int, ...] | tuple["Condition", ...] | None


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of one field.

    operand: a str for comparisons of text (on a list: with any element); a bool for EQ on a
        boolean; a Span for comparisons of numbers and dates (for dates also a RelativeDate, which
        `Query.on` must resolve first); a sorted tuple for ANY_OF, and for NE and NE_OR_NULL on ids
        and choices (of numbers for serial ids); several conditions for `PARTED`; None for the null
        tests.
    absolute: whether to compare a number without its sign.
    """

    field: Field
    operator: Operator
    operand: Operand = None
    absolute: bool = False

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The conditions of `PARTED`; for any other operator, the condition itself."""
        if self.operator not in PARTED:
            return (self,)
        return cast("tuple[Condition, ...]", self.operand)

    def positive(self) -> "Condition":
        """Return the condition; if it is negated, the one that no element of a value may meet."""
        if not self.operator.is_negated:
            return self
        equals = Operator.ANY_OF if isinstance(self.operand, tuple) else Operator.EQ
        return replace(self, operator=equals)

    def on(self, today: int) -> "Condition":
        """Return the condition with its relative date resolved against today."""
        if not isinstance(self.operand, RelativeDate):
            return self
        return replace(self, operand=self.operand.on(today))

    def bounds(self) -> tuple[int, int] | None:
        """Return the lowest and highest stored value that matches a Span; None if no value does.

        Both fit in 64 bits, so that every storage can compare them.
        """
        span = self.operand
        assert isinstance(span, Span)
        low, high = self.operator.value.bounds(span.first, span.end)
        low = -MAX_UNITS if low is None else max(low, -MAX_UNITS)
        high = MAX_UNITS if high is None else min(high, MAX_UNITS)
        return (low, high) if low <= high else None


@dataclass(frozen=True, slots=True)
class GroupCondition:
    """A condition on a column of groups of rows, not on a field of the rows."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range; the range includes it.

    at: the exact value of the end, which may lie between two stored values. A day begins a range
        with its first moment, and ends a range with its last moment.
    """

    condition: Condition
    at: Fraction = field(repr=False)


@dataclass(frozen=True, slots=True)
class SortKey:
    """A field to sort by; missing values come last in both directions.

    equals: if set, sort by whether the field has this value; a missing value counts as different.
    """

    field: Field
    descending: bool = False
    equals: str | None = None


DEFAULT_LIMIT = 30
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1


@dataclass(frozen=True)
class Query:
    """A page of a resource.

    conditions: all of them must hold.
    sort: ties are broken by id, ascending.
    """

    resource: Resource
    conditions: tuple[Condition, ...] = ()
    sort: tuple[SortKey, ...] = ()
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    with_total: bool = False

    @cached_property
    def is_cheap(self) -> bool:
        """Whether reading the page takes about as long with few records as with many.

        Pages of records are not always cheap. All other resources have few rows.
        """
        if self.resource is not RECORDS:
            return True
        order = [f"{'-' if key.descending else '+'}{key.field.name}" for key in self.sort]
        in_order = order in ([], [RECORDS.default_sort])
        # With NE, a hint counts the rows without a value.
        by_order = all(
            c.field.name in _OF_THE_ORDER and c.operator is not Operator.NE for c in self.conditions
        )
        return in_order and by_order and not self.with_total and self.offset <= _NEAR

    @cached_property
    def is_relative(self) -> bool:
        """Whether the query means different days on different days."""
        return any(isinstance(c.operand, RelativeDate) for c in self.conditions)

    @cached_property
    def loose(self) -> list[Condition]:
        """The conditions that rows can meet even if a name or id in them is unknown."""
        return [
            each
            for each in self.conditions
            if each.operator.is_negated
            or (each.operator is Operator.ANY_OF and len(cast("tuple[str, ...]", each.operand)) > 1)
        ]

    def on(self, today: int) -> "Query":
        """Return the query with relative dates resolved against today."""
        return replace(self, conditions=tuple(c.on(today) for c in self.conditions))


def condition_on(
    resource: Resource, name: str, operator: Operator, operand: Operand = None
) -> Condition:
    """Return a condition that comes from the program and not from a parameter."""
    return Condition(resource[name], operator, operand)


def either(field: Field, conditions: Iterable[Condition]) -> Condition:
    """Return the condition that any of these holds. field: the field that they are about."""
    return Condition(field, Operator.EITHER, tuple(conditions))


#: Leaves out void records; records without a state are not void.
NOT_VOID = condition_on(RECORDS, "recordState", Operator.NE_OR_NULL, (VOID,))


def not_all(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that exactly those rows meet that do not meet all of these."""
    parts = tuple(conditions)
    return Condition(parts[0].field, Operator.NOT_ALL, parts)


def dated(first: int, end: int) -> Condition:
    """Return the condition that the recordDate is at or after ``first`` and before ``end``."""
    return condition_on(RECORDS, "recordDate", Operator.EQ, Span(first, end))


def any_of(name: str, values: Iterable[str]) -> Condition:
    """Return the condition that the field of records has one of these values."""
    return condition_on(RECORDS, name, Operator.ANY_OF, tuple(sorted(values)))
