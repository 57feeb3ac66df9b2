"""The query of a list: conditions, order and page."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.records import VOID
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS, months_before

#: Filters and the largest offset that leave a page of records in their usual order cheap.
_OF_THE_ORDER = ("recordDate", "recordState", "id")
_NEAR = 1_000


class Operator(Enum):
    """The comparison of a condition; the value is its prefix in the grammar."""

    EQ = "eq"
    NE = "ne"
    CONTAINS = "contains"
    CONTAINS_I = "contains-i"
    STARTS_WITH_I = "startsWith-i"
    #: A word of ``q``, on `WORDS`.
    WORD = "word"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    ANY_OF = "in"
    IS_NULL = "is.null"
    NOT_NULL = "is.not_null"


@dataclass(frozen=True, slots=True)
class Span:
    """The stored numbers or seconds that an operand stands for: first <= value < end.

    A day is 86,400 seconds wide, a month or year as many days; an exact number or moment is 1 wide;
    one that falls between two stored values is 0 wide, and lies just before ``first``.
    """

    first: int
    end: int


#: How a relative day is written that is today.
TODAY = "today"


@dataclass(frozen=True, slots=True)
class RelativeDay:
    """A day that is counted back from today. unit: d, m or y, for days, months or years."""

    number: int
    unit: str

    def on(self, today: int) -> Span:
        """The day as it is today."""
        if self.unit == "d":
            day = today - self.number * DAY_SECONDS
        else:
            day = months_before(today, self.number * (12 if self.unit == "y" else 1))
        return Span(day, day + DAY_SECONDS)


Operand = str | bool | Span | RelativeDay | tuple[str | int, ...] | None


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of one field.

    operand: text for the comparisons of text (on a list: of any element), a bool for EQ on a
        boolean, a Span (of dates also a RelativeDay, which nothing can be compared with until
        `Query.on`) for the comparisons of numbers and dates, a sorted tuple for ANY_OF and,
        on ids and choices, for NE (of numbers for serial ids), None for the null tests.
    absolute: whether a number's size is compared, without its sign.
    or_missing: whether a missing value meets it, too; not of a list, and in no search.
    """

    field: Field
    operator: Operator
    operand: Operand = None
    absolute: bool = False
    or_missing: bool = False

    def negated(self) -> "Condition":
        """For NE: the condition that no element of the value may meet."""
        equals = Operator.ANY_OF if isinstance(self.operand, tuple) else Operator.EQ
        return replace(self, operator=equals)

    def on(self, today: int) -> "Condition":
        """The condition with relative days resolved against today."""
        if not isinstance(self.operand, RelativeDay):
            return self
        return replace(self, operand=self.operand.on(today))

    def bounds(self) -> tuple[int, int] | None:
        """The lowest and highest stored value that a Span comparison accepts; None: no value.

        Both lie within 64 bits, so that every storage can compare them.
        """
        span = self.operand
        assert isinstance(span, Span)
        low, high = -MAX_UNITS, MAX_UNITS
        match self.operator:
            case Operator.EQ:
                low, high = span.first, span.end - 1
            case Operator.GT:
                low = span.end
            case Operator.GTE:
                low = span.first
            case Operator.LT:
                high = span.first - 1
            case Operator.LTE:
                high = span.end - 1
            case _:
                raise AssertionError(f"{self.operator} does not compare numbers")
        low, high = max(low, -MAX_UNITS), min(high, MAX_UNITS)
        return (low, high) if low <= high else None


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range, which belongs to it.

    at: where exactly it lies, between two stored values perhaps; of a day, its first or last
        moment, by the end of the range that it is.
    """

    condition: Condition
    at: Fraction


@dataclass(frozen=True, slots=True)
class SortKey:
    """One field of the order; missing values come last in both directions.

    equals: in place of the value, whether it is this one; a missing value is not.
    """

    field: Field
    descending: bool = False
    equals: str | None = None


DEFAULT_LIMIT = 30
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1


@dataclass(frozen=True, slots=True)
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

    @property
    def is_cheap(self) -> bool:
        """Whether the page takes about as long, however many records there are.

        Other resources have few rows. For records, only a page in the usual order is cheap.
        """
        if self.resource is not RECORDS:
            return True
        order = [f"{'-' if key.descending else '+'}{key.field.name}" for key in self.sort]
        in_order = order in ([], [RECORDS.default_sort])
        by_order = all(condition.field.name in _OF_THE_ORDER for condition in self.conditions)
        return in_order and by_order and not self.with_total and self.offset <= _NEAR

    @property
    def is_relative(self) -> bool:
        """Whether it means other days on another day."""
        return any(isinstance(c.operand, RelativeDay) for c in self.conditions)

    def on(self, today: int) -> "Query":
        """The query with relative days resolved against today."""
        return replace(self, conditions=tuple(c.on(today) for c in self.conditions))


def condition_on(
    resource: Resource, name: str, operator: Operator, operand: Operand = None
) -> Condition:
    """A condition that the program itself sets."""
    return Condition(resource[name], operator, operand)


#: A record without a state is not void either.
NOT_VOID = replace(condition_on(RECORDS, "recordState", Operator.NE, (VOID,)), or_missing=True)


def dated(first: int, end: int) -> Condition:
    """The recordDate is at or after ``first``, and before ``end``."""
    return condition_on(RECORDS, "recordDate", Operator.EQ, Span(first, end))


def any_of(name: str, values: Iterable[str]) -> Condition:
    """The field has one of these values."""
    return condition_on(RECORDS, name, Operator.ANY_OF, tuple(sorted(values)))


#: The comparisons that leave a range of numbers or dates: `Condition.bounds`.
RANGES = (Operator.EQ, Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
_COMPARED = (Operator.EQ, Operator.NE, *RANGES[1:])
_TEXT = (
    *(Operator.EQ, Operator.NE, Operator.ANY_OF),
    *(Operator.CONTAINS, Operator.CONTAINS_I, Operator.STARTS_WITH_I),
)
_EQUAL = (Operator.EQ, Operator.NE)
_OPERATORS = {
    Kind.TEXT: _TEXT,
    Kind.TEXT_LIST: _TEXT,
    Kind.NUMBER: _COMPARED,
    Kind.DATE: _COMPARED,
    Kind.DATETIME: _COMPARED,
    Kind.ID: _EQUAL,
    Kind.SERIAL: _EQUAL,
    Kind.ID_LIST: _EQUAL,
    Kind.CHOICE: _EQUAL,
    Kind.BOOLEAN: (Operator.EQ,),
}


def operators_of(field: Field) -> tuple[Operator, ...]:
    """The operators that the grammar offers for ``field``, null tests included."""
    nulls = (Operator.IS_NULL, Operator.NOT_NULL) if field.can_be_missing else ()
    return _OPERATORS[field.kind] + nulls
