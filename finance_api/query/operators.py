"""The operators of conditions: one class each, and `Operator`, which lists them all.

An operator is added here. SQL has its half in `storage/sql/reading/conditions.py`; messages, hints,
suggestions, the descriptions of the API and the tools of agents are derived from its class.
"""

from collections.abc import Collection
from enum import Enum
from typing import Any

from finance_api.resources.field import Field, Kind
from finance_api.values.text import fold

_TEXTS = (Kind.TEXT, Kind.TEXT_LIST)
_ORDERED = (Kind.NUMBER, Kind.DATE, Kind.DATETIME)


class Comparison:
    """What an operator means.

    prefix: its word in the grammar, before the dot. kinds: the kinds of fields that have it.
    spellings: other programs' words for it, without signs, separated by spaces.
    hint: what is said of an operand that no name meets, such as "is called {}".
    may_be_empty: whether a text can be compared with an empty text.
    """

    prefix: str
    kinds: Collection[Kind] = ()
    spellings: str = ""
    hint: str = ""
    may_be_empty: bool = False

    @property
    def word(self) -> str:
        """The beginning of a condition with this operator, as messages and documents show it."""
        return f"{self.prefix}."

    @property
    def form(self) -> str:
        """The word, and where it helps an operand."""
        return self.word

    def is_for(self, field: Field) -> bool:
        return field.kind in self.kinds

    def prepared(self, operand: Any) -> Any:
        """Return the operand as `meets` compares it."""
        return operand

    def meets(self, value: Any, operand: Any) -> bool:
        """Return whether one present value meets the condition. operand: `prepared`."""
        raise NotImplementedError(f"{self.prefix} does not compare values")

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        """Return the lowest and highest number that meets a span; None: no limit."""
        raise NotImplementedError(f"{self.prefix} does not compare numbers")


class Equal(Comparison):
    prefix = "eq"
    kinds = tuple(Kind)
    hint = "is called {}"
    may_be_empty = True

    def meets(self, value: Any, operand: Any) -> bool:
        return bool(value == operand)

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        return first, end - 1


class NotEqual(Comparison):
    """Is present and not equal; see `Condition.positive`."""

    prefix = "ne"
    kinds = tuple(kind for kind in Kind if kind is not Kind.BOOLEAN)
    spellings = "neq not noteq isnot"
    hint = Equal.hint
    may_be_empty = True


class NotEqualOrNull(NotEqual):
    """Is missing, or not equal."""

    prefix = "ne-or-null"
    spellings = "isdistinct isdistinctfrom notornull"


class AnyOf(Comparison):
    prefix = "in"
    kinds = _TEXTS
    hint = Equal.hint
    form = "in.A,B"

    def meets(self, value: Any, operand: Any) -> bool:
        return value in operand


class Contains(Comparison):
    prefix = "contains"
    kinds = _TEXTS
    hint = "has {} in its name"

    def meets(self, value: Any, operand: Any) -> bool:
        return operand in value


class ContainsI(Contains):
    """Contains, ignoring case."""

    prefix = "contains-i"
    spellings = "like ilike icontains match search"

    def prepared(self, operand: Any) -> Any:
        return fold(operand)

    def meets(self, value: Any, operand: Any) -> bool:
        return operand in fold(value)


class StartsWithI(ContainsI):
    """Begins with, ignoring case."""

    prefix = "startsWith-i"
    spellings = "startswith starts prefix"
    hint = "has a name that begins with {}"

    def meets(self, value: Any, operand: Any) -> bool:
        return fold(value).startswith(operand)


class Greater(Comparison):
    prefix = "gt"
    kinds = _ORDERED

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        return end, None


class GreaterOrEqual(Comparison):
    prefix = "gte"
    kinds = _ORDERED
    spellings = "ge min"

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        return first, None


class Less(Comparison):
    prefix = "lt"
    kinds = _ORDERED

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        return None, first - 1


class LessOrEqual(Comparison):
    prefix = "lte"
    kinds = _ORDERED
    spellings = "le max"

    def bounds(self, first: int, end: int) -> tuple[int | None, int | None]:
        return None, end - 1


class IsNull(Comparison):
    """Is missing, or an empty list; without an operand, for all fields that can be missing."""

    prefix = word = "is.null"
    spellings = "null isnull empty"

    def is_for(self, field: Field) -> bool:
        return field.can_be_missing


class NotNull(IsNull):
    prefix = word = "is.not_null"
    spellings = ""


class Word(Comparison):
    """A word of ``q``; the field of the condition is `WORDS`."""

    prefix = "word"


class Either(Comparison):
    """Any of several conditions, such as the possible meanings of a word. Not for clients."""

    prefix = "either"


class NotAll(Comparison):
    """Not all of several conditions: what exactly the other rows meet. Not for clients."""

    prefix = "not-all"


class Operator(Enum):
    """All operators, in the order in which messages list them."""

    EQ = Equal()
    NE = NotEqual()
    NE_OR_NULL = NotEqualOrNull()
    ANY_OF = AnyOf()
    CONTAINS = Contains()
    CONTAINS_I = ContainsI()
    STARTS_WITH_I = StartsWithI()
    GT = Greater()
    GTE = GreaterOrEqual()
    LT = Less()
    LTE = LessOrEqual()
    IS_NULL = IsNull()
    NOT_NULL = NotNull()
    WORD = Word()
    EITHER = Either()
    NOT_ALL = NotAll()

    _value_: Comparison

    def __repr__(self) -> str:
        return f"<Operator {self.prefix}>"

    @property
    def prefix(self) -> str:
        return self._value_.prefix

    @property
    def is_negated(self) -> bool:
        """Whether a present value meets it by not meeting `Condition.positive`."""
        return isinstance(self._value_, NotEqual)

    @property
    def is_null_test(self) -> bool:
        return isinstance(self._value_, IsNull)


#: The operators of conditions that consist of others.
PARTED = (Operator.EITHER, Operator.NOT_ALL)
#: The operators of conditions that select one range of numbers or dates; see `Condition.bounds`.
RANGES = (Operator.EQ, Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)


def operators_of(field: Field) -> tuple[Operator, ...]:
    """Return the operators that the grammar offers for ``field``, including null tests."""
    return tuple(operator for operator in Operator if operator.value.is_for(field))
