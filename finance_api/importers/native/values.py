"""Converts JSON values to stored values, with one strict reader for each field.

Each reader is made only once, because reading a million records takes some ten million calls of
readers.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from finance_api.resources.field import MAX_SOURCE_CHARACTERS, MAX_SOURCE_ID_CHARACTERS, Field, Kind
from finance_api.values.ids import parse_id
from finance_api.values.number import to_units
from finance_api.values.text import TextError, clean, clean_or_none
from finance_api.values.time import parse_date, parse_time

MAX_LIST_ELEMENTS = 1_000
_LONGEST = {"source": MAX_SOURCE_CHARACTERS, "sourceId": MAX_SOURCE_ID_CHARACTERS}

#: JSON value (never null) -> stored value; raises ValueRefused.
Reader = Callable[[Any], Any]


MAX_EXTRA_CHARACTERS = 1_000_000
_MAX_DEPTH = 20
_MAX_EXPONENT = 30


class ValueRefused(ValueError):
    """The value cannot be stored in the field; the message says why."""


def _reader(expected: type | tuple[type, ...], what: str, parse: Callable[[Any], Any]) -> Reader:
    """Return a reader for JSON values of a type. parse: raises a ValueError that says why."""

    def read(value: Any) -> Any:
        # In Python, true and false are integers as well.
        if not isinstance(value, expected) or isinstance(value, bool):
            raise ValueRefused(f"is not a {what}")
        try:
            return parse(value)
        except ValueError as error:
            raise ValueRefused(str(error)) from None

    return read


_read_text = _reader(str, "text", clean_or_none)


def _text(field: Field) -> Reader:
    longest = _LONGEST.get(field.name)
    if longest is None:
        return _read_text

    def read(value: Any) -> str | None:
        text: str | None = _read_text(value)
        if text is not None and len(text) > longest:
            raise ValueRefused(f"has {len(text)} characters; at most {longest} are allowed")
        return text

    return read


def _number(field: Field) -> Reader:
    return _reader((int, Decimal), "number", partial(to_units, decimals=field.decimals))


def _date(field: Field) -> Reader:
    return _reader(str, "date", parse_time if field.keeps_time else parse_date)


def _id(field: Field) -> Reader:
    # Cache references: files name the same few accounts, categories and labels again and again.
    return _reader(str, "UUID", lru_cache(maxsize=4096)(parse_id) if field.references else parse_id)


def _choice(field: Field) -> Reader:
    choices = frozenset(field.choices)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueRefused(f"is not one of {', '.join(field.choices)}")
        return value

    return read


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueRefused("is neither true nor false")
    return value


def _list(element: Callable[[Field], Reader]) -> Callable[[Field], Reader]:
    def reader(field: Field) -> Reader:
        read_element = element(field)

        def read(value: Any) -> tuple[str, ...]:
            if not isinstance(value, list):
                raise ValueRefused("is not a list")
            if len(value) > MAX_LIST_ELEMENTS:
                raise ValueRefused(
                    f"has {len(value)} elements; at most {MAX_LIST_ELEMENTS} are allowed"
                )
            # Removes repetitions and keeps the order.
            elements = dict.fromkeys(map(read_element, value))
            elements.pop(None, None)
            return tuple(elements)

        return read

    return reader


_READERS: dict[Kind, Callable[[Field], Reader]] = {
    Kind.TEXT: _text,
    Kind.NUMBER: _number,
    Kind.DATE: _date,
    Kind.DATETIME: lambda field: _reader(str, "date-time", parse_time),
    Kind.ID: _id,
    Kind.CHOICE: _choice,
    Kind.BOOLEAN: lambda field: _read_boolean,
    Kind.TEXT_LIST: _list(_text),
    Kind.ID_LIST: _list(_id),
}


def reader_of(field: Field) -> Reader:
    """Return the reader for JSON values of ``field``."""
    return _READERS[field.kind](field)


def extra_text(members: dict[str, Any]) -> str | None:
    """Return the members as one line of JSON with exact numbers; None if there are none."""
    if not members:
        return None
    text = _json(members, _MAX_DEPTH)
    if len(text) > MAX_EXTRA_CHARACTERS:
        raise ValueRefused(
            f"other fields have {len(text)} characters; at most {MAX_EXTRA_CHARACTERS} are allowed"
        )
    return text


def _json(value: Any, depth: int) -> str:
    if depth == 0:
        raise ValueRefused(f"is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        keys = [clean_key(key) for key in value]
        if len(set(keys)) != len(keys):
            raise ValueRefused(
                "has the same key twice after control characters and accents are normalised"
            )
        return "{" + ",".join(f"{_string(k)}:{_json(v, depth - 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(v, depth - 1) for v in value) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Decimal):
        if not value:
            return "0"
        if not value.is_finite() or abs(value.adjusted()) > _MAX_EXPONENT:
            raise ValueRefused("contains a number that is out of range")
        return format(value, "f")
    return json.dumps(value)


def clean_key(key: str) -> str:
    """Return the key as it is stored. Raises ValueRefused."""
    try:
        return clean(key)
    except TextError as error:
        raise ValueRefused(f"has a key that {error}") from None


def _string(text: str) -> str:
    try:
        return json.dumps(clean(text), ensure_ascii=False)
    except TextError as error:
        raise ValueRefused(str(error)) from None
