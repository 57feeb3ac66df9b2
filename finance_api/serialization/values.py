"""Writes stored values for clients and files: as JSON and as plain text."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson

from finance_api.resources.field import Field, Kind
from finance_api.values.ids import serial_id
from finance_api.values.number import DECIMALS, decimal_text
from finance_api.values.period_limits import split_limits
from finance_api.values.time import date_text, instant_text

Writer = Callable[[Any], Any]

_ONE: int = 10**DECIMALS
#: Units below this have at most 15 digits.
_FLOAT_UNITS = 10**15


def json_writer(field: Field) -> Writer | None:
    """Return a function that converts a stored value (not None) for orjson.

    Returns None if the values need no conversion.
    """
    if field.kind is Kind.NUMBER:
        # Whole numbers need no conversion.
        return partial(json_number, decimals=field.decimals) if field.decimals else None
    return json_limits if field.kind is Kind.LIMIT_LIST else _WRITERS.get(field.kind)


def json_number(units: int, decimals: int = DECIMALS) -> int | float | orjson.Fragment:
    """Return a number that orjson writes exactly as `decimal_text` would.

    orjson writes a float as the shortest decimal that reads back as this float. If the number has
    up to 15 digits, that decimal is exact.
    """
    if decimals == DECIMALS and -_FLOAT_UNITS < units < _FLOAT_UNITS:
        return units / _ONE if units % _ONE else units // _ONE
    return orjson.Fragment(decimal_text(units, decimals))


def json_limits(texts: Sequence[str], number: Writer = orjson.Fragment) -> list[dict[str, Any]]:
    """Return the limits of single periods as objects. number: converts a limit's text."""
    return [{"periodStart": day, "limit": number(limit)} for day, limit in split_limits(texts)]


def list_writer(field: Field) -> Writer:
    """Return a function that joins the elements of a list, as JSON with numbers as texts has them.

    It returns the same text as `text_writer`.
    """
    if field.kind is Kind.LIMIT_LIST:
        return lambda limits: ";".join(map("{periodStart}={limit}".format_map, limits))
    return ";".join


def text_writer(field: Field) -> Writer:
    """Return a function that converts a stored value (never None) to text; ``;`` joins lists."""
    if field.kind is Kind.NUMBER:
        decimals = field.decimals
        return lambda units: decimal_text(units, decimals)
    if field.kind is Kind.BOOLEAN:
        return lambda value: "true" if value else "false"
    if field.kind.is_list:
        return ";".join
    return _WRITERS.get(field.kind, str)


def readable_first(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return the fields in the order of a table: a required date first; times and ids last."""

    def place(field: Field) -> int:
        if field.kind is Kind.DATE and field.required:
            return 0
        is_id = field.kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST)
        return 3 if is_id else 2 if field.kind is Kind.DATETIME else 1

    return tuple(sorted(fields, key=place))


def place_of_remark(fields: Sequence[Field]) -> int:
    """Return which column of a table takes a sentence, so that numbers and days keep their types.

    It is the first one of any other kind, or else the first column.
    """
    typed = (Kind.NUMBER, Kind.DATE, Kind.DATETIME, Kind.BOOLEAN)
    return next((at for at, field in enumerate(fields) if field.kind not in typed), 0)


_WRITERS: dict[Kind, Writer] = {
    Kind.DATE: date_text,
    Kind.DATETIME: instant_text,
    Kind.SERIAL: serial_id,
}
