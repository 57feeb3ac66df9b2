"""Parses query parameters into conditions, order and page, by the filter grammar.

The public surface's filters are ``<field>=<prefix>.<operand>``; see docs/filters.md. The internal
surface has parameters for single operators, which take the same operands.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from finance_api.query.dates import parse_dates, parse_moments, span_of
from finance_api.query.errors import QueryError, all_or_faults, check_length, quoted, shortened
from finance_api.query.model import (
    Bound,
    Condition,
    GroupCondition,
    Operator,
    RelativeDate,
    SortKey,
    Span,
    operators_of,
)
from finance_api.query.suggestions import question, unknown
from finance_api.resources.field import Field, Kind, Resource, names_of
from finance_api.resources.records import FLOWS
from finance_api.values.ids import IdError, are_ids, parse_id, serial_number
from finance_api.values.number import NumberError, parse_decimal, unit_interval
from finance_api.values.text import TextError, clean

#: Maximum number of conditions on one field.
MAX_CONDITIONS = 10
MAX_LIST_OPERANDS = 100
#: Maximum number of unknown choices that a message names.
_SHOWN_CHOICES = 5

_INTEGER = re.compile("[0-9]{1,10}")
_DECIMAL_COMMA = re.compile("(?<=[0-9]),(?=[0-9]+(?:,|$))")
_GROUPING = re.compile("(?<=[0-9])[.,](?=[0-9]{3}(?:[.,]|$))")
#: A direction in words, as other programs write it: ``recordDate:desc``, ``recordDate,desc``.
_IN_WORDS = "(?<![a-z])(?:asc|desc)(?:ending)?(?![a-z])"
_DIRECTION = re.compile(rf"[\W_]{{0,3}}{_IN_WORDS}[\W_]{{0,3}}", re.IGNORECASE)
_COMMA_BEFORE_DIRECTION = re.compile(rf",(?={_IN_WORDS}(?:,|$))", re.IGNORECASE)
_DESCENDING = re.compile("-|(?<![a-z])desc(?:ending)?(?![a-z])", re.IGNORECASE)
_BARE = (Kind.ID, Kind.SERIAL, Kind.ID_LIST, Kind.CHOICE, Kind.BOOLEAN)
_PREFIXES = {operator.value: operator for operator in Operator}
#: May stand before the prefix of a condition on a number.
_ABSOLUTE = "abs."


def parse_conditions(field: Field, text: str) -> tuple[Condition, ...]:
    """Parse the conditions of one parameter. Raises QueryError.

    Parameters for numbers and dates may have several conditions, separated by commas.
    """
    if field.kind not in (Kind.NUMBER, Kind.DATE, Kind.DATETIME):
        return (_parse_condition(field, text),)
    try:
        return _several(field, text)
    except QueryError:
        readings = _with_points(field, text) if field.kind is Kind.NUMBER and "," in text else []
        if not readings:
            raise
    meant = " or ".join(map(quoted, readings))
    raise QueryError(f"{quoted(text)} has a comma in a number; did you mean {meant}?")


def _several(field: Field, text: str) -> tuple[Condition, ...]:
    return tuple(all_or_faults(partial(_parse_condition, field), text.split(",")))


def _with_points(field: Field, text: str) -> list[str]:
    """Return the valid conditions that are meant if a comma is decimal, or groups digits."""
    check_length(text)
    found = []
    for written in (text, _GROUPING.sub("", text)):
        pointed = _DECIMAL_COMMA.sub(".", written)
        for meant in (pointed, f"{Operator.EQ.value}.{pointed}"):
            with suppress(QueryError):
                _several(field, meant)
                found.append(meant)
    return list(dict.fromkeys(found))


def _parse_condition(field: Field, text: str) -> Condition:
    if field.kind is Kind.NUMBER and text.startswith(_ABSOLUTE):
        return replace(_comparison(field, text.removeprefix(_ABSOLUTE), _ABSOLUTE), absolute=True)
    if text in (Operator.IS_NULL.value, Operator.NOT_NULL.value):
        null_test = _PREFIXES[text]
        if null_test not in operators_of(field):
            raise QueryError(f"{quoted(text)}: this field always has a value; {_takes(field)}")
        return Condition(field, null_test)
    return _comparison(field, text)


def _comparison(field: Field, text: str, before: str = "") -> Condition:
    """Parse a comparison. before: the ``abs.`` that was cut off, if any; messages show it."""
    prefix, dot, operand = text.partition(".")
    operator = _PREFIXES.get(prefix) if dot else None
    if operator is not None and operator in operators_of(field):
        return _OPERAND_PARSERS[field.kind](field, operator, operand)
    # These values contain no dot, so anything before a dot was meant as a prefix.
    if not dot and field.kind in _BARE:
        return _OPERAND_PARSERS[field.kind](field, Operator.EQ, text)
    meant = _with_prefix(field, text, before)
    if not dot:
        raise QueryError(f"{quoted(text)} has no prefix; {_takes(field)}{meant}")
    meant = question([prefix + dot], _prefixes(field)) or meant
    fault = f"{quoted(prefix + dot)} is not a prefix of this field"
    raise QueryError(f"{fault}; {_takes(field)}{meant}")


def _with_prefix(field: Field, text: str, before: str) -> str:
    """Return the end of a message: the parameter with ``eq.``, if this would be valid."""
    try:
        _OPERAND_PARSERS[field.kind](field, Operator.EQ, text)
    except QueryError:
        return ""
    return f"; write {field.name}={before}eq.{shortened(text)}" if text else ""


def _prefixes(field: Field) -> list[str]:
    words = [o.value if o.value.startswith("is.") else o.value + "." for o in operators_of(field)]
    return words + ([_ABSOLUTE] if field.kind is Kind.NUMBER else [])


def _takes(field: Field) -> str:
    """Return the part of a message about the prefixes that the field accepts."""
    bare = "a bare value, " if field.kind in _BARE else ""
    return f"it takes {bare}{' '.join(_prefixes(field))}"


def _text(field: Field, operator: Operator, operand: str) -> Condition:
    if operator is Operator.ANY_OF:
        return _any_text(field, operand)
    check_length(operand)
    operand = clean_operand(operand)
    if not operand and operator not in (Operator.EQ, Operator.NE):
        raise QueryError(f"{operator.value}. needs a text to look for")
    return Condition(field, operator, operand)


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


def _number(field: Field, operator: Operator, operand: str) -> Condition:
    return Condition(field, operator, Span(*unit_interval(_decimal(operand), field.decimals)))


def _decimal(operand: str) -> Decimal:
    check_length(operand)
    # A leading "+" arrives as a space.
    written = "+" + operand[1:] if operand.startswith(" ") else operand
    try:
        return parse_decimal(written)
    except NumberError as error:
        raise QueryError(f"{quoted(operand)} {error}") from None


def _time(field: Field, operator: Operator, operand: str) -> Condition:
    return Condition(field, operator, parse_dates(operand))


def parse_flow(text: str) -> str:
    """Parse ``spent`` or ``received``. Raises QueryError."""
    return parse_one_of(FLOWS, text)


def parse_bound(field: Field, operator: Operator, operand: str) -> Bound:
    """Parse one end of a range (GTE or LTE): a number, date or date-time. Raises QueryError."""
    if field.kind is Kind.NUMBER:
        return Bound(_number(field, operator, operand), Fraction(_decimal(operand)))
    moments = parse_moments(operand)
    condition = Condition(field, operator, span_of(*moments))
    return Bound(condition, moments[operator is Operator.LTE])


def _ids(field: Field, operator: Operator, operand: str) -> Condition:
    return _among(field, operator, parse_ids(operand))


def _among(field: Field, operator: Operator, values: Iterable[str] | Iterable[int]) -> Condition:
    """Return the condition that a value is one of these, or with NE none of them."""
    is_ne = operator is Operator.NE
    operand: tuple[str | int, ...] = tuple(sorted(set(values)))
    return Condition(field, operator if is_ne else Operator.ANY_OF, operand)


def _serials(field: Field, operator: Operator, operand: str) -> Condition:
    # Ids that are not serial numbers become 0, which matches nothing.
    return _among(field, operator, [serial_number(text) or 0 for text in parse_ids(operand)])


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


def _choices(field: Field, operator: Operator, operand: str) -> Condition:
    parts = dict.fromkeys(operand.split(","))
    names = [part for part in parts if part not in field.choices]
    if names:
        verb = "is" if len(names) == 1 else "are"
        shown = ", ".join(map(quoted, names[:_SHOWN_CHOICES]))
        more = len(names) - _SHOWN_CHOICES
        among = f"{shown} and {more} more" if more > 0 else shown
        fault = f"{among} {verb} not"
        raise QueryError(unknown(names, field.choices, f"{fault} known", f"{fault} one of"))
    return _among(field, operator, parts)


def _boolean(field: Field, operator: Operator, operand: str) -> Condition:
    return Condition(field, Operator.EQ, parse_boolean(operand))


_OPERAND_PARSERS: dict[Kind, Callable[[Field, Operator, str], Condition]] = {
    Kind.TEXT: _text,
    Kind.TEXT_LIST: _text,
    Kind.NUMBER: _number,
    Kind.DATE: _time,
    Kind.DATETIME: _time,
    Kind.ID: _ids,
    Kind.SERIAL: _serials,
    Kind.ID_LIST: _ids,
    Kind.CHOICE: _choices,
    Kind.BOOLEAN: _boolean,
}


def parse_names(known: Collection[str], text: str) -> list[str]:
    """Parse a comma-separated list of known names, each at most once. Raises QueryError."""
    names = text.split(",")
    others = list(dict.fromkeys(name for name in names if name not in known))
    if others:
        shown = ", ".join(map(quoted, others))
        raise QueryError(
            unknown(others, known, f"{shown} is not known", f"{shown} is not known; it takes")
        )
    if len(set(names)) < len(names):
        raise QueryError(f"{quoted(text)} names a field twice")
    return names


def parse_sort(resource: Resource, text: str) -> tuple[SortKey, ...]:
    """Parse ``+name,-amount`` into sort keys. A missing sign means ``+``, and so does a space.

    Raises QueryError.
    """
    return parse_order({f.name: SortKey(f) for f in resource.fields if f.sortable}, text)


def parse_order(known: Mapping[str, SortKey], text: str) -> tuple[SortKey, ...]:
    """Parse like `parse_sort`. known: the ascending sort keys by name."""
    keys = all_or_faults(
        partial(_sort_key, known), _COMMA_BEFORE_DIRECTION.sub(":", text).split(",")
    )
    # Only the first mention of a field matters, since sorting by it again changes nothing.
    first: dict[str, SortKey] = {}
    for key in keys:
        first.setdefault(key.field.name, key)
    return tuple(first.values())


def _sort_key(known: Mapping[str, SortKey], text: str) -> SortKey:
    sign, name = (text[0], text[1:]) if text[:1] in ("+", "-", " ") else ("+", text)
    before = "-" if _DESCENDING.search(text) else ""
    _check_known(known, name, "is not a field to sort by", _DIRECTION.sub("", name), before)
    return replace(known[name], descending=sign == "-")


def _check_known(
    known: Collection[str], name: str, fault: str, like: str | None = None, before: str = ""
) -> None:
    """Raise QueryError for an unknown name, and suggest a name that is like it, or like ``like``.

    before: what stands before a suggested name.
    """
    if name not in known:
        fault = f"{quoted(name)} {fault}" if name else "is empty"
        raise QueryError(unknown([like or name], known, fault, f"{fault}; it takes", before))


def parse_fields(resource: Resource, text: str) -> tuple[Field, ...]:
    """Parse ``amount,payee`` into fields, in this order, without duplicates. Raises QueryError."""
    known = names_of(resource.fields)
    wanted = all_or_faults(partial(_field_name, known), text.split(","))
    return tuple([resource[name] for name in dict.fromkeys(wanted)])


def _field_name(known: Sequence[str], text: str) -> str:
    _check_known(known, text, "is not a field")
    return text


def parse_integer(text: str, low: int, high: int) -> int:
    """Parse a whole number from low to high; never clamp it. Raises QueryError."""
    if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise QueryError(f"{quoted(text)} is not a whole number from {low} to {high}")
    return int(text)


def parse_boolean(text: str) -> bool:
    """Parse ``true`` or ``false``. Raises QueryError."""
    return parse_one_of(("true", "false"), text) == "true"


def parse_one_of(known: Sequence[str], text: str) -> str:
    """Parse one of the known words. Raises QueryError."""
    if text not in known:
        fault = f"{quoted(text)} is not"
        raise QueryError(unknown([text], known, f"{fault} known", f"{fault} one of"))
    return text


def canonical_text(values: Mapping[str, Any]) -> str:
    """Return a text that is equal for requests that mean the same.

    Entity tags and the keys of cached responses contain it; nobody reads it.

    values: the parsed values by parameter name, without default values.
    """
    texts = [
        f"{name}={text}" for name, value in sorted(values.items()) for text in _value_texts(value)
    ]
    # NUL separates the texts, because no text can contain it.
    return "\0".join(texts)


def _value_texts(value: Any) -> Collection[str]:
    """Return a value as texts. Sorts conditions and the names in a set, but not other sequences."""
    match value:
        case (Condition(), *_):
            return sorted({_condition_text(condition) for condition in value})
        case Set():
            return sorted(map(_value_text, value))
        case tuple() | list():
            return [",".join(map(_value_text, value))]
    return [_value_text(value)]


def _value_text(value: Any) -> str:
    match value:
        case Bound():
            return _condition_text(value.condition)
        case GroupCondition():
            return _part_text(value.condition)
        case SortKey():
            equals = "" if value.equals is None else f"={value.equals}"
            return ("-" if value.descending else "+") + value.field.name + equals
        case Span(first, end):
            return f"{first}:{end}"
        case RelativeDate(number, unit):
            return f"-{number}{unit}"
        case str():
            return value
    # The value is a field, resource or dimension, which have names, or a plain value.
    return str(getattr(value, "name", value))


def _part_text(part: str | int | Condition) -> str:
    """Return one of several operands, or one of several conditions, as text."""
    if isinstance(part, Condition):
        return f"{part.field.name}={_condition_text(part)}"
    return str(part)


def _condition_text(condition: Condition) -> str:
    match condition.operand:
        case Span() | RelativeDate() as dates:
            operand = _value_text(dates)
        case tuple(several):
            texts = [_part_text(each).replace("\\", "\\\\") for each in several]
            operand = ",".join([text.replace(",", "\\,") for text in texts])
        case other:
            operand = str(other)
    text = f"{condition.operator.value}.{operand}"
    if condition.absolute:
        text = f"abs.{text}"
    return f"{text}\0or missing" if condition.or_missing else text
