"""Parses query parameters into conditions, order and page, by the filter grammar.

The public surface's filters are ``<field>=<prefix>.<operand>``; see docs/filters.md. The internal
surface has parameters for single operators, which take the same operands.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial

from finance_api.query.dates import parse_moments, span_of
from finance_api.query.errors import QueryError, T, all_or_faults, check_length, quoted, shortened
from finance_api.query.kinds import decimal_operand, known_words, operands_of
from finance_api.query.model import Bound, Condition, SortKey
from finance_api.query.operators import Operator, operators_of
from finance_api.query.suggestions import question, unknown
from finance_api.resources.field import Field, Kind, Resource

#: Maximum number of conditions on one field.
MAX_CONDITIONS = 10

_INTEGER = re.compile("[0-9]{1,10}")
_DECIMAL_COMMA = re.compile("(?<=[0-9]),(?=[0-9]+(?:,|$))")
_GROUPING = re.compile("(?<=[0-9])[.,](?=[0-9]{3}(?:[.,]|$))")
#: A direction in words, as other programs write it: ``recordDate:desc``, ``recordDate,desc``.
_IN_WORDS = "(?<![a-z])(?:asc|desc)(?:ending)?(?![a-z])"
_DIRECTION = re.compile(rf"[\W_]{{0,3}}{_IN_WORDS}[\W_]{{0,3}}", re.IGNORECASE)
_COMMA_BEFORE_DIRECTION = re.compile(rf",(?={_IN_WORDS}(?:,|$))", re.IGNORECASE)
_DESCENDING = re.compile("-|(?<![a-z])desc(?:ending)?(?![a-z])", re.IGNORECASE)
_OPERATORS = {operator.prefix: operator for operator in Operator}
_NULL_TESTS = {operator.prefix: operator for operator in Operator if operator.is_null_test}
#: May stand before the prefix of a condition on a number.
_SIZE = "abs."


def parse_conditions(field: Field, text: str) -> tuple[Condition, ...]:
    """Parse the conditions of one parameter. Raises QueryError.

    Parameters for numbers and dates may have several conditions, separated by commas.
    """
    operands = operands_of(field)
    if not operands.has_several:
        return (_parse_condition(field, text),)
    try:
        return _several(field, text)
    except QueryError:
        readings = _with_points(field, text) if operands.has_size and "," in text else []
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
        for meant in (pointed, f"{Operator.EQ.prefix}.{pointed}"):
            with suppress(QueryError):
                _several(field, meant)
                found.append(meant)
    return list(dict.fromkeys(found))


def _parse_condition(field: Field, text: str) -> Condition:
    if operands_of(field).has_size and text.startswith(_SIZE):
        return replace(_comparison(field, text.removeprefix(_SIZE), _SIZE), absolute=True)
    null_test = _NULL_TESTS.get(text)
    if null_test is None:
        return _comparison(field, text)
    if not null_test.value.is_for(field):
        raise QueryError(f"{quoted(text)}: this field always has a value; {_takes(field)}")
    return Condition(field, null_test)


def _comparison(field: Field, text: str, before: str = "") -> Condition:
    """Parse a comparison. before: the ``abs.`` that was cut off, if any; messages show it."""
    operands = operands_of(field)
    prefix, dot, operand = text.partition(".")
    operator = _OPERATORS.get(prefix) if dot else None
    if operator is not None and operator.value.is_for(field):
        return operands.parse(field, operator, operand)
    # These values contain no dot, so anything before a dot was meant as a prefix.
    if not dot and operands.is_bare:
        return operands.parse(field, Operator.EQ, text)
    meant = _with_prefix(field, text, before)
    if not dot:
        raise QueryError(f"{quoted(text)} has no prefix; {_takes(field)}{meant}")
    meant = question([prefix + dot], prefixes(field)) or meant
    fault = f"{quoted(prefix + dot)} is not a prefix of this field"
    raise QueryError(f"{fault}; {_takes(field)}{meant}")


def _with_prefix(field: Field, text: str, before: str) -> str:
    """Return the end of a message: the parameter with ``eq.``, if this would be valid."""
    try:
        operands_of(field).parse(field, Operator.EQ, text)
    except QueryError:
        return ""
    return f"; write {field.name}={before}eq.{shortened(text)}" if text else ""


def prefixes(field: Field, operators: Sequence[Operator] | None = None) -> list[str]:
    """Return how conditions on the field can begin. operators: only with these operators."""
    known = operators_of(field) if operators is None else operators
    size = [_SIZE] if operands_of(field).has_size else []
    return [operator.value.word for operator in known] + size


def _takes(field: Field) -> str:
    """Return the part of a message about the prefixes that the field accepts."""
    bare = "a bare value, " if operands_of(field).is_bare else ""
    return f"it takes {bare}{' '.join(prefixes(field))}"


def parse_bound(field: Field, operator: Operator, operand: str) -> Bound:
    """Parse one end of a range (GTE or LTE): a number, date or date-time. Raises QueryError."""
    if field.kind is Kind.NUMBER:
        at = Fraction(decimal_operand(operand))
        return Bound(operands_of(field).parse(field, operator, operand), at)
    moments = parse_moments(operand)
    condition = Condition(field, operator, span_of(*moments))
    return Bound(condition, moments[operator is Operator.LTE])


def parse_names(known: Collection[str], text: str) -> list[str]:
    """Parse a comma-separated list of known names, each at most once. Raises QueryError."""
    names = known_words(known, text.split(","), "known; it takes")
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
    key = _named(known, name, "is not a field to sort by", _DIRECTION.sub("", name), before)
    return replace(key, descending=sign == "-")


def _named(known: Mapping[str, T], name: str, fault: str, like: str = "", before: str = "") -> T:
    """Return what has the name. Raises QueryError, which suggests a name like it, or like ``like``.

    before: what stands before a suggested name.
    """
    if name in known:
        return known[name]
    fault = f"{quoted(name)} {fault}" if name else "is empty"
    raise QueryError(unknown([like or name], known, fault, f"{fault}; it takes", before))


def parse_fields(resource: Resource, text: str) -> tuple[Field, ...]:
    """Parse ``amount,payee`` into fields, in this order, without duplicates. Raises QueryError."""
    known = {field.name: field for field in resource.fields}
    names = dict.fromkeys(text.split(","))
    return tuple(all_or_faults(lambda name: _named(known, name, "is not a field"), names))


def parse_integer(text: str, low: int, high: int) -> int:
    """Parse a whole number from low to high; never clamp it. Raises QueryError."""
    if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise QueryError(f"{quoted(text)} is not a whole number from {low} to {high}")
    return int(text)
