"""The query of a list: conditions, order and page."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from finance_api.resources.field import Field, Kind, Resource
from finance_api.values.number import MAX_UNITS


class Operator(Enum):
    """The comparison of a condition; the value is its prefix in the grammar."""

    EQ = "eq"
    CONTAINS = "contains"
    CONTAINS_I = "contains-i"
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

    A day is 86,400 seconds wide; an exact number or moment is 1 wide; one that falls between
    two stored values is 0 wide, and lies just before ``first``.
    """

    first: int
    end: int


Operand = str | bool | Span | tuple[str | int, ...] | None


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of one field.

    operand: text for EQ, CONTAINS and CONTAINS_I on text (on a list: of any element), a bool for
        EQ on a boolean, a Span for the comparisons of numbers and dates, a sorted tuple for
        ANY_OF (of numbers for serial ids), None for the null tests.
    """

    field: Field
    operator: Operator
    operand: Operand = None

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


def condition_on(
    resource: Resource, name: str, operator: Operator, operand: Operand = None
) -> Condition:
    """A condition that the program itself sets."""
    field = resource.get_field(name)
    assert field is not None
    return Condition(field, operator, operand)


#: The comparisons that leave a range of numbers or dates: `Condition.bounds`.
RANGES = (Operator.EQ, Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
_TEXT = (Operator.EQ, Operator.CONTAINS, Operator.CONTAINS_I)
_OPERATORS = {
    Kind.TEXT: _TEXT,
    Kind.TEXT_LIST: _TEXT,
    Kind.NUMBER: RANGES,
    Kind.DATE: RANGES,
    Kind.DATETIME: RANGES,
    Kind.ID: (Operator.EQ,),
    Kind.SERIAL: (Operator.EQ,),
    Kind.ID_LIST: (Operator.EQ,),
    Kind.CHOICE: (Operator.EQ,),
    Kind.BOOLEAN: (Operator.EQ,),
}


def operators_of(field: Field) -> tuple[Operator, ...]:
    """The operators that the grammar offers for ``field``, null tests included."""
    nulls = (Operator.IS_NULL, Operator.NOT_NULL) if field.can_be_missing else ()
    return _OPERATORS[field.kind] + nulls
