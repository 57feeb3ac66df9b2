"""How conditions on each kind of field are written: one class each, which parses and describes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal

from finance_api.query import patterns
from finance_api.query.dates import parse_dates
from finance_api.query.errors import QueryError, all_or_faults, check_length, quoted
from finance_api.query.model import Condition, Span
from finance_api.query.operators import Operator
from finance_api.query.suggestions import unknown
from finance_api.resources.field import Field, Kind
from finance_api.values.ids import FORM, IdError, are_ids, parse_id, serial_number
from finance_api.values.number import NumberError, parse_decimal, unit_interval
from finance_api.values.text import TextError, clean

MAX_LIST_OPERANDS = 100
#: Maximum number of unknown words that a message names.
_SHOWN_WORDS = 5
_BOOLEANS = ("true", "false")


class Operands:
    """The operands of fields of one kind.

    usual: the operator of an example. is_bare: whether an operand may stand without a prefix, which
    then means ``eq.``; such operands contain no dot. has_several: whether commas separate
    conditions. has_size: whether ``abs.`` may stand before a prefix.
    """

    usual = Operator.GTE
    is_bare = False
    has_several = False
    has_size = False

    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        """Parse the operand of a condition. Raises QueryError."""
        raise NotImplementedError

    def pattern(self, field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
        """Return the regular expression of a condition. is_plain: no relative dates and no abs."""
        raise NotImplementedError


class Texts(Operands):
    usual = Operator.CONTAINS_I

    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        if operator is Operator.ANY_OF:
            return _any_text(field, operand)
        check_length(operand)
        operand = clean_operand(operand)
        if not operand and not operator.value.may_be_empty:
            raise QueryError(f"{operator.value.word} needs a text to look for")
        return Condition(field, operator, operand)

    def pattern(self, field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
        single = [o for o in operators if o is not Operator.ANY_OF]
        empty = [o for o in single if o.value.may_be_empty]
        found = rf"{_either([o for o in single if o not in empty])}\.{patterns.SOME_TEXT}"
        if Operator.ANY_OF in operators:
            listed = patterns.comma_separated(patterns.LISTED_TEXT)
            found += rf"|{Operator.ANY_OF.prefix}\.{listed}"
        return found + (rf"|{_either(empty)}\.{patterns.TEXT}" if empty else "")


class ListedTexts(Texts):
    usual = Operator.EQ


class Numbers(Operands):
    has_several = True
    has_size = True

    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        span = Span(*unit_interval(decimal_operand(operand), field.decimals))
        return Condition(field, operator, span)

    def pattern(self, field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
        size = "" if is_plain else r"(abs\.)?"
        return rf"{size}{_either(operators)}\.{patterns.DECIMAL}"


class Dates(Operands):
    has_several = True
    takes_ahead = True
    relative = patterns.RELATIVE_DATE

    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        return Condition(field, operator, parse_dates(operand, takes_ahead=self.takes_ahead))

    def pattern(self, field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
        span = patterns.TIME_SPAN
        day = span if is_plain else f"({self.relative}|{span})"
        return rf"{_either(operators)}\.{day}"


class Moments(Dates):
    """When something was done, so that nothing lies ahead."""

    takes_ahead = False
    relative = patterns.PAST_DATE


class _Bare(Operands):
    """Operands that may stand without a prefix."""

    usual = Operator.EQ
    is_bare = True

    def pattern(self, field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
        return rf"({_either(operators)}\.)?{self._values(field)}"

    def _values(self, field: Field) -> str:
        return patterns.comma_separated(FORM)


class Ids(_Bare):
    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        return _among(field, operator, parse_ids(operand))


class Serials(_Bare):
    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        # Ids that are not serial numbers become 0, which matches nothing.
        return _among(field, operator, [serial_number(text) or 0 for text in parse_ids(operand)])


class Choices(_Bare):
    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        return _among(field, operator, known_words(field.choices, operand.split(",")))

    def _values(self, field: Field) -> str:
        return patterns.comma_separated(f"({'|'.join(field.choices)})")


class Booleans(_Bare):
    def parse(self, field: Field, operator: Operator, operand: str) -> Condition:
        return Condition(field, Operator.EQ, parse_boolean(operand))

    def _values(self, field: Field) -> str:
        return f"({'|'.join(_BOOLEANS)})"


_OPERANDS: Mapping[Kind, Operands] = {
    Kind.TEXT: Texts(),
    Kind.TEXT_LIST: ListedTexts(),
    Kind.NUMBER: Numbers(),
    Kind.DATE: Dates(),
    Kind.DATETIME: Moments(),
    Kind.ID: Ids(),
    Kind.SERIAL: Serials(),
    Kind.ID_LIST: Ids(),
    Kind.CHOICE: Choices(),
    Kind.BOOLEAN: Booleans(),
}


def operands_of(field: Field) -> Operands:
    return _OPERANDS[field.kind]


def _either(operators: Iterable[Operator]) -> str:
    return f"({'|'.join(operator.prefix for operator in operators)})"


def _any_text(field: Field, operand: str) -> Condition:
    """Parse the list of texts of ``in.``; ``\\,`` is a comma in a text, ``\\\\`` a backslash."""
    # Text has no control characters, so use two of them for the escaped characters.
    marked = clean_operand(operand).replace("\\\\", "\x01").replace("\\,", "\x02")
    if "\\" in marked:
        raise QueryError(
            r"in in. write a backslash as \\, and a comma that is part of the text as \,"
        )
    parts = [part.replace("\x02", ",").replace("\x01", "\\") for part in marked.split(",")]
    if len(parts) > MAX_LIST_OPERANDS:
        raise QueryError(f"{len(parts)} texts are given; at most {MAX_LIST_OPERANDS} are allowed")
    for part in parts:
        check_length(part)
        if not part:
            raise QueryError("in. needs a text before and after each comma")
    wanted = tuple(sorted(set(parts)))
    if len(wanted) == 1:
        return Condition(field, Operator.EQ, wanted[0])
    return Condition(field, Operator.ANY_OF, wanted)


def clean_operand(operand: str) -> str:
    """Clean the operand like stored text. Raises QueryError for text that cannot be stored."""
    try:
        return clean(operand)
    except TextError as error:
        raise QueryError(f"the operand {error}") from None


def decimal_operand(operand: str) -> Decimal:
    """Parse a number. Raises QueryError."""
    check_length(operand)
    # A leading "+" arrives as a space.
    written = "+" + operand[1:] if operand.startswith(" ") else operand
    try:
        return parse_decimal(written)
    except NumberError as error:
        raise QueryError(f"{quoted(operand)} {error}") from None


def _among(field: Field, operator: Operator, values: Iterable[str] | Iterable[int]) -> Condition:
    """Return the condition that a value is one of these, or none of them if it is negated."""
    operand: tuple[str | int, ...] = tuple(sorted(set(values)))
    return Condition(field, operator if operator.is_negated else Operator.ANY_OF, operand)


def parse_ids(text: str) -> list[str]:
    """Parse a comma-separated list of 1 to 100 ids, and keep their order. Raises QueryError."""
    parts = text.split(",")
    if len(parts) > MAX_LIST_OPERANDS:
        raise QueryError(f"{len(parts)} ids are given; at most {MAX_LIST_OPERANDS} are allowed")
    return text.lower().split(",") if are_ids(text) else all_or_faults(_id, parts)


def _id(text: str) -> str:
    try:
        return parse_id(text)
    except IdError as error:
        raise QueryError(f"{quoted(text)} {error}") from None


def parse_boolean(text: str) -> bool:
    """Parse ``true`` or ``false``. Raises QueryError."""
    return parse_one_of(_BOOLEANS, text) == "true"


def parse_one_of(known: Sequence[str], text: str) -> str:
    """Parse one of the known words. Raises QueryError."""
    return known_words(known, [text])[0]


def known_words(known: Collection[str], words: list[str], lead: str = "one of") -> list[str]:
    """Return the words. Raises QueryError if some are not known. lead: before the known ones."""
    others = list(dict.fromkeys(word for word in words if word not in known))
    if others:
        shown = ", ".join(map(quoted, others[:_SHOWN_WORDS]))
        more = len(others) - _SHOWN_WORDS
        fault = f"{shown} and {more} more" if more > 0 else shown
        fault += " is not" if len(others) == 1 else " are not"
        raise QueryError(unknown(others, known, f"{fault} known", f"{fault} {lead}"))
    return words
