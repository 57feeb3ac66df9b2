"""Conditions and other values of parameters as text: the one way to write what many texts can mean.

Two requests with the same text get the same answer. Parsing the text of a condition gives the
condition back, as far as the grammar can ask for it.
"""

from collections.abc import Collection, Mapping, Set
from dataclasses import replace
from typing import Any

from finance_api.query.model import (
    TODAY,
    Bound,
    Condition,
    Operator,
    RelativeDay,
    SortKey,
    Span,
)
from finance_api.resources.field import Field, Kind
from finance_api.values.ids import serial_id
from finance_api.values.number import decimal_text
from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    date_text,
    instant_text,
    parse_days,
)


def condition_text(condition: Condition) -> str:
    """``<prefix>.<operand>`` as the grammar reads it; what it cannot ask for, after a NUL."""
    if condition.or_missing:
        return f"{condition_text(replace(condition, or_missing=False))}\0or missing"
    operator, operand = condition.operator, condition.operand
    if operator is Operator.WORD:
        return str(operand)
    if operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return str(operator.value)
    if isinstance(operand, tuple):
        texts = [serial_id(o) if isinstance(o, int) else o for o in operand]
        if condition.field.kind.is_text:
            return f"{operator.value}." + ",".join(map(escaped, texts))
        return ("ne." if operator is Operator.NE else "eq.") + ",".join(texts)
    if isinstance(operand, Span):
        sign = "abs." if condition.absolute else ""
        return f"{sign}{operator.value}.{_span_text(condition.field, operand)}"
    if isinstance(operand, RelativeDay):
        return f"{operator.value}.{f'-{operand.number}{operand.unit}' if operand.number else TODAY}"
    if isinstance(operand, bool):
        return "eq.true" if operand else "eq.false"
    return f"{operator.value}.{operand}"


def escaped(text: str) -> str:
    """An operand of ``in.``."""
    return text.replace("\\", "\\\\").replace(",", "\\,")


def canonical_text(values: Mapping[str, Any]) -> str:
    """Return a text that is equal for requests that mean the same.

    values: of the parameters whose values are not the default ones, by name.
    """
    texts = [
        f"{name}={text}" for name, value in sorted(values.items()) for text in _value_texts(value)
    ]
    # A text can hold any character but NUL.
    return "\0".join(texts)


def _value_texts(value: Any) -> Collection[str]:
    """The order of conditions and of names in a set does not matter; that of a sequence does."""
    match value:
        case (Condition(), *_):
            return sorted({condition_text(condition) for condition in value})
        case Set():
            return sorted(map(_value_text, value))
        case tuple() | list():
            return [",".join(map(_value_text, value))]
    return [_value_text(value)]


def _value_text(value: Any) -> str:
    match value:
        case Bound():
            return condition_text(value.condition)
        case SortKey():
            equals = "" if value.equals is None else f"={value.equals}"
            return ("-" if value.descending else "+") + value.field.name + equals
        case str():
            return value
    # Fields, resources and groups of summaries have names.
    return str(getattr(value, "name", value))


def _span_text(field: Field, span: Span) -> str:
    if field.kind is Kind.NUMBER:
        if span.end > span.first:
            return decimal_text(span.first, field.decimals)
        # Between two stored values: written as the middle, one decimal further.
        return decimal_text(span.first * 10 - 5, field.decimals + 1)
    if span.end - span.first >= DAY_SECONDS:
        return _days_text(span)
    if span.end == span.first:
        return _moment_text(span.first - 1, ".5")
    return _moment_text(span.first, "")


def _days_text(span: Span) -> str:
    """The day, month or year."""
    day = date_text(span.first)
    days = (span.first, span.end - DAY_SECONDS)
    return next(text for text in (day, day[:7], day[:4]) if parse_days(text) == days)


def _moment_text(seconds: int, fraction: str) -> str:
    # An offset can carry a date-time just outside the calendar; it is written with one, too.
    offset = "Z"
    if seconds < MIN_SECONDS:
        seconds, offset = seconds + DAY_SECONDS - 60, "+23:59"
    elif seconds > MAX_SECONDS:
        seconds, offset = seconds - DAY_SECONDS + 60, "-23:59"
    return instant_text(seconds)[:-1] + fraction + offset
