"""The text of parsed parameters, equal for requests that mean the same."""

from collections.abc import Collection, Mapping, Set
from typing import Any

from finance_api.query.model import Bound, Condition, GroupCondition, RelativeDate, SortKey, Span


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
    text = f"{condition.operator.prefix}.{operand}"
    if condition.absolute:
        text = f"abs.{text}"
    return f"{text}\0or missing" if condition.or_missing else text
