"""Text -> conditions, order, page: the grammar of query parameters.

The public surface's filters are ``<field>=<prefix>.<operand>``; see docs/filters.md. The internal
surface has parameters for single operators, which take the same operands.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from finance_api.query.errors import QueryError, all_or_faults, quoted
from finance_api.query.model import (
    Bound,
    Condition,
    Operand,
    Operator,
    SortKey,
    Span,
    operators_of,
)
from finance_api.resources.field import Field, Kind, Resource, names_of
from finance_api.values.ids import IdError, are_ids, parse_id
from finance_api.values.number import NumberError, parse_decimal, unit_interval
from finance_api.values.text import TextError, clean
from finance_api.values.time import DAY_SECONDS, TimeError, parse_date, parse_instant

MAX_OPERAND_CHARACTERS = 256
MAX_LIST_OPERANDS = 100
#: Of unknown ones, in a message.
_SHOWN_CHOICES = 5

_INTEGER = re.compile("[0-9]{1,10}")
_BARE = (Kind.ID, Kind.ID_LIST, Kind.CHOICE, Kind.BOOLEAN)
_PREFIXES = {o.value: o for o in Operator if o not in (Operator.ANY_OF,)}
# A "+" in a query string means a space; before an offset it was meant as a plus.
_OFFSET_AFTER_SPACE = re.compile(r" (?=[0-9]{2}:[0-9]{2}$)")
# Seconds have up to 30 decimals: no date-time lies between this one of a day and the next day.
_LAST_OF_DAY = DAY_SECONDS - Fraction(1, 10**31)


def parse_conditions(field: Field, text: str) -> tuple[Condition, ...]:
    """The conditions of one parameter value; numbers and dates may join several by commas.

    Raises QueryError.
    """
    if field.kind in (Kind.NUMBER, Kind.DATE, Kind.DATETIME):
        return tuple(all_or_faults(partial(_parse_condition, field), text.split(",")))
    return (_parse_condition(field, text),)


def _parse_condition(field: Field, text: str) -> Condition:
    if text in (Operator.IS_NULL.value, Operator.NOT_NULL.value):
        null_test = _PREFIXES[text]
        if null_test not in operators_of(field):
            raise QueryError(f"{quoted(text)}: this field always has a value; {_takes(field)}")
        return Condition(field, null_test)
    prefix, dot, operand = text.partition(".")
    operator = _PREFIXES.get(prefix) if dot else None
    if operator is not None and operator in operators_of(field):
        return _OPERAND_PARSERS[field.kind](field, operator, operand)
    # Their values hold no dot: what stands before one was meant as a prefix.
    if not dot and field.kind in _BARE:
        return _OPERAND_PARSERS[field.kind](field, Operator.EQ, text)
    if not dot:
        raise QueryError(f"{quoted(text)} has no prefix; {_takes(field)}")
    raise QueryError(f"{quoted(prefix + '.')} is not a prefix of this field; {_takes(field)}")


def _takes(field: Field) -> str:
    """The prefixes that the field accepts, for a message."""
    words = [o.value if o.value.startswith("is.") else o.value + "." for o in operators_of(field)]
    return f"it takes {'a bare value, ' if field.kind in _BARE else ''}{' '.join(words)}"


def _check_length(operand: str) -> None:
    if len(operand) > MAX_OPERAND_CHARACTERS:
        raise QueryError(
            f"the operand has {len(operand)} characters; "
            f"at most {MAX_OPERAND_CHARACTERS} are allowed"
        )


def _text(field: Field, operator: Operator, operand: str) -> Condition:
    _check_length(operand)
    operand = clean_operand(operand)
    if not operand and operator is not Operator.EQ:
        raise QueryError(f"{operator.value}. needs a text to look for")
    return Condition(field, operator, operand)


def clean_operand(operand: str) -> str:
    """The operand as stored text would be; QueryError where no stored text can be like it."""
    try:
        return clean(operand)
    except TextError as error:
        raise QueryError(f"the operand {error}") from None


def _number(field: Field, operator: Operator, operand: str) -> Condition:
    return Condition(field, operator, Span(*unit_interval(_decimal(operand), field.decimals)))


def _decimal(operand: str) -> Decimal:
    _check_length(operand)
    # A leading "+" arrives as a space.
    written = "+" + operand[1:] if operand.startswith(" ") else operand
    try:
        return parse_decimal(written)
    except NumberError as error:
        raise QueryError(f"{quoted(operand)} {error}") from None


def _time(field: Field, operator: Operator, operand: str) -> Condition:
    first, last = _moments(operand)
    return Condition(field, operator, Span(math.ceil(first), math.floor(last) + 1))


def _moments(operand: str) -> tuple[Fraction, Fraction]:
    """The first and the last moment of a day, or twice the same one."""
    _check_length(operand)
    try:
        if "t" not in operand.lower():
            day = Fraction(parse_date(operand))
            return day, day + _LAST_OF_DAY
        moment = parse_instant(_OFFSET_AFTER_SPACE.sub("+", operand))
        return moment, moment
    except TimeError as error:
        raise QueryError(f"{quoted(operand)} {error}") from None


def parse_bound(field: Field, operator: Operator, operand: str) -> Bound:
    """GTE or LTE with a number, date or date-time. Raises QueryError."""
    condition = _OPERAND_PARSERS[field.kind](field, operator, operand)
    if field.kind is Kind.NUMBER:
        return Bound(condition, Fraction(_decimal(operand)))
    return Bound(condition, _moments(operand)[operator is Operator.LTE])


def _ids(field: Field, operator: Operator, operand: str) -> Condition:
    return Condition(field, Operator.ANY_OF, tuple(sorted(set(parse_ids(operand)))))


def parse_ids(text: str) -> list[str]:
    """The ids of a comma-separated list, 1 to 100 of them, in their order. Raises QueryError."""
    parts = text.split(",")
    if len(parts) > MAX_LIST_OPERANDS:
        raise QueryError(f"{len(parts)} ids are given; at most {MAX_LIST_OPERANDS} are allowed")
    return text.lower().split(",") if are_ids(text) else all_or_faults(_id, parts)


def _id(text: str) -> str:
    try:
        return parse_id(text)
    except IdError as error:
        raise QueryError(f"{quoted(text)} {error}") from None


def _choices(field: Field, operator: Operator, operand: str) -> Condition:
    parts = dict.fromkeys(operand.split(","))
    unknown = [part for part in parts if part not in field.choices]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        shown = ", ".join(map(quoted, unknown[:_SHOWN_CHOICES]))
        more = len(unknown) - _SHOWN_CHOICES
        among = f"{shown} and {more} more" if more > 0 else shown
        raise QueryError(f"{among} {verb} not one of {', '.join(field.choices)}")
    return Condition(field, Operator.ANY_OF, tuple(sorted(parts)))


def _boolean(field: Field, operator: Operator, operand: str) -> Condition:
    if operand not in ("true", "false"):
        raise QueryError(f"{quoted(operand)} is not one of true, false")
    return Condition(field, Operator.EQ, operand == "true")


_OPERAND_PARSERS: dict[Kind, Callable[[Field, Operator, str], Condition]] = {
    Kind.TEXT: _text,
    Kind.TEXT_LIST: _text,
    Kind.NUMBER: _number,
    Kind.DATE: _time,
    Kind.DATETIME: _time,
    Kind.ID: _ids,
    Kind.ID_LIST: _ids,
    Kind.CHOICE: _choices,
    Kind.BOOLEAN: _boolean,
}


def parse_sort(resource: Resource, text: str) -> tuple[SortKey, ...]:
    """``+name,-amount`` as sort keys; a sign that is missing, or arrived as a space, is ``+``.

    Raises QueryError.
    """
    return parse_order({f.name: SortKey(f) for f in resource.fields if f.sortable}, text)


def parse_order(known: Mapping[str, SortKey], text: str) -> tuple[SortKey, ...]:
    """As `parse_sort`, with the names and ascending keys of ``known``."""
    keys = all_or_faults(partial(_sort_key, known), text.split(","))
    # Rows that are equal in a field stay equal in it: only its first mention matters.
    first: dict[str, SortKey] = {}
    for key in keys:
        first.setdefault(key.field.name, key)
    return tuple(first.values())


def _sort_key(known: Mapping[str, SortKey], text: str) -> SortKey:
    sign, name = (text[0], text[1:]) if text[:1] in ("+", "-", " ") else ("+", text)
    if name not in known:
        fault = "is empty" if not name else f"{quoted(name)} is not a field to sort by"
        raise QueryError(f"{fault}; it takes {', '.join(known)}")
    return replace(known[name], descending=sign == "-")


def parse_fields(resource: Resource, text: str) -> tuple[Field, ...]:
    """``amount,payee`` as fields, in the order of the resource; ``id`` is always among them.

    Raises QueryError.
    """
    known = names_of(resource.fields)
    wanted = {"id", *all_or_faults(partial(_field_name, known), text.split(","))}
    return tuple(field for field in resource.fields if field.name in wanted)


def _field_name(known: Sequence[str], text: str) -> str:
    if text not in known:
        fault = "is empty" if not text else f"{quoted(text)} is not a field"
        raise QueryError(f"{fault}; it takes {', '.join(known)}")
    return text


def parse_integer(text: str, low: int, high: int) -> int:
    """A whole number within low..high, never clamped. Raises QueryError."""
    if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise QueryError(f"{quoted(text)} is not a whole number from {low} to {high}")
    return int(text)


def parse_boolean(text: str) -> bool:
    """``true`` or ``false``. Raises QueryError."""
    if text not in ("true", "false"):
        raise QueryError(f"{quoted(text)} is not one of true, false")
    return text == "true"


__all__ = [
    "Operand",
    "clean_operand",
    "parse_boolean",
    "parse_bound",
    "parse_conditions",
    "parse_fields",
    "parse_ids",
    "parse_integer",
    "parse_order",
    "parse_sort",
]
