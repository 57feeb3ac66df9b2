"""JSON values -> stored values, one strict reader for each field.

A reader is made once for its field, with what it has to know of it: a million records are read by
some ten million calls.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from finance_api.resources.field import MAX_SOURCE_CHARACTERS, MAX_SOURCE_ID_CHARACTERS, Field, Kind
from finance_api.values.ids import parse_id
from finance_api.values.number import to_units
from finance_api.values.text import clean_or_none
from finance_api.values.time import parse_date, parse_time

MAX_LIST_ELEMENTS = 1_000
_LONGEST = {"source": MAX_SOURCE_CHARACTERS, "sourceId": MAX_SOURCE_ID_CHARACTERS}

#: JSON value (never null) -> stored value; raises ValueRefused.
Reader = Callable[[Any], Any]


class ValueRefused(ValueError):
    """The value cannot be stored in the field; the message says why."""


def _reader(expected: type | tuple[type, ...], what: str, parse: Callable[[Any], Any]) -> Reader:
    """A reader of the JSON values of a type. parse: raises a ValueError that says why."""

    def read(value: Any) -> Any:
        # true and false are whole numbers to Python.
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
            raise ValueRefused(f"has {len(text)} characters; at most {longest} are kept")
        return text

    return read


def _number(field: Field) -> Reader:
    return _reader((int, Decimal), "number", partial(to_units, decimals=field.decimals))


def _date(field: Field) -> Reader:
    return _reader(str, "date", parse_time if field.keeps_time else parse_date)


def _datetime(_field: Field) -> Reader:
    return _reader(str, "date-time", parse_time)


def _id(field: Field) -> Reader:
    # The same few accounts, categories and labels are named again and again.
    return _reader(str, "UUID", lru_cache(maxsize=4096)(parse_id) if field.references else parse_id)


def _choice(field: Field) -> Reader:
    choices = frozenset(field.choices)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueRefused(f"is not one of {', '.join(field.choices)}")
        return value

    return read


def _boolean(_field: Field) -> Reader:
    def read(value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueRefused("is neither true nor false")
        return value

    return read


def _list(element: Callable[[Field], Reader]) -> Callable[[Field], Reader]:
    def reader(field: Field) -> Reader:
        read_element = element(field)

        def read(value: Any) -> tuple[str, ...]:
            if not isinstance(value, list):
                raise ValueRefused("is not a list")
            if len(value) > MAX_LIST_ELEMENTS:
                raise ValueRefused(
                    f"has {len(value)} elements; at most {MAX_LIST_ELEMENTS} are kept"
                )
            # A dictionary drops repetitions and keeps the order.
            elements = dict.fromkeys(map(read_element, value))
            elements.pop(None, None)
            return tuple(elements)

        return read

    return reader


_READERS: dict[Kind, Callable[[Field], Reader]] = {
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


def reader_of(field: Field) -> Reader:
    """The reader of the JSON values of ``field``."""
    return _READERS[field.kind](field)
