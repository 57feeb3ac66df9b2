"""`Query` -> text: the one way to write what many texts can mean.

Two requests with the same rendering get the same answer; parsing a rendering gives the query back,
as far as the grammar can ask for it.
"""

from collections.abc import Sequence
from dataclasses import replace

from finance_api.query.model import (
    TODAY,
    Condition,
    Operator,
    Query,
    RelativeDay,
    SortKey,
    Span,
)
from finance_api.resources.field import Field, Kind, Resource, names_of
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
            return "in." + ",".join(map(escaped, texts))
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


def sort_text(keys: tuple[SortKey, ...]) -> str:
    """``+name,-amount``; ``+recordState=void`` where only that value counts."""
    return ",".join(map(_key_text, keys))


def _key_text(key: SortKey) -> str:
    equals = "" if key.equals is None else f"={key.equals}"
    return ("-" if key.descending else "+") + key.field.name + equals


def canonical_text(query: Query) -> str:
    """The whole query in one line; equal for queries that mean the same."""
    conditions = sorted({f"{c.field.name}={condition_text(c)}" for c in query.conditions})
    page = f"limit={query.limit}&offset={query.offset}&withTotal={query.with_total}"
    # A condition's text can hold any character but NUL: NUL keeps conditions apart.
    return "\0".join([query.resource.name, page, sort_text(query.sort), *conditions])


def fields_text(resource: Resource, fields: Sequence[Field]) -> str:
    """The part of a canonical text that says which fields are shown; empty where all are."""
    return "" if fields == resource.fields else "\0fields=" + ",".join(names_of(fields))


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
