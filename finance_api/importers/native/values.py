"""JSON values -> stored values, one strict reader for each kind of field."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from finance_api.resources.field import (
    MAX_SOURCE_CHARACTERS,
    MAX_SOURCE_ID_CHARACTERS,
    Field,
    Kind,
)
from finance_api.values.ids import IdError, parse_id
from finance_api.values.number import NumberError, to_units
from finance_api.values.text import TextError, clean_or_none
from finance_api.values.time import TimeError, parse_date, parse_time

MAX_LIST_ELEMENTS = 1_000
_LONGEST = {"source": MAX_SOURCE_CHARACTERS, "sourceId": MAX_SOURCE_ID_CHARACTERS}


class ValueRefused(ValueError):
    """The value cannot be stored in the field; the message says why."""


def _text(field: Field, value: Any) -> str | None:
    if not isinstance(value, str):
        raise ValueRefused("is not a text")
    try:
        text = clean_or_none(value)
    except TextError as error:
        raise ValueRefused(str(error)) from None
    longest = _LONGEST.get(field.name)
    if text is not None and longest is not None and len(text) > longest:
        raise ValueRefused(f"has {len(text)} characters; at most {longest} are kept")
    return text


def _number(field: Field, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise ValueRefused("is not a number")
    try:
        return to_units(value, field.decimals)
    except NumberError as error:
        raise ValueRefused(str(error)) from None


def _date(field: Field, value: Any) -> int:
    if not isinstance(value, str):
        raise ValueRefused("is not a date")
    try:
        return parse_time(value) if field.keeps_time else parse_date(value)
    except TimeError as error:
        raise ValueRefused(str(error)) from None


def _datetime(field: Field, value: Any) -> int:
    if not isinstance(value, str):
        raise ValueRefused("is not a date-time")
    try:
        return parse_time(value)
    except TimeError as error:
        raise ValueRefused(str(error)) from None


def _id(field: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueRefused("is not a UUID")
    try:
        return parse_id(value)
    except IdError as error:
        raise ValueRefused(str(error)) from None


def _choice(field: Field, value: Any) -> str:
    if not isinstance(value, str) or value not in field.choices:
        raise ValueRefused(f"is not one of {', '.join(field.choices)}")
    return value


def _boolean(field: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueRefused("is neither true nor false")
    return value


def _list(element: Callable[[Field, Any], str | None]) -> Callable[[Field, Any], tuple[str, ...]]:
    def read(field: Field, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ValueRefused("is not a list")
        if len(value) > MAX_LIST_ELEMENTS:
            raise ValueRefused(f"has {len(value)} elements; at most {MAX_LIST_ELEMENTS} are kept")
        # A dictionary drops repetitions and keeps the order.
        return tuple(e for e in dict.fromkeys(element(field, v) for v in value) if e is not None)

    return read


_READERS: dict[Kind, Callable[[Field, Any], Any]] = {
    Kind.TEXT: _text,
    Kind.NUMBER: _number,
    Kind.DATE: _date,
    Kind.DATETIME: _datetime,
    Kind.ID: _id,
    Kind.CHOICE: _choice,
    Kind.BOOLEAN: _boolean,
    Kind.TEXT_LIST: _list(_text),
    Kind.ID_LIST: _list(_id),
}


def reader_of(field: Field) -> Callable[[Field, Any], Any]:
    """What reads the JSON values (never null) of ``field``; it raises ValueRefused."""
    return _READERS[field.kind]
