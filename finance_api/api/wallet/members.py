"""The members of Wallet's objects: how each is made of a row.

A table of `Member`s declares an object: the name, and a function of the row and of what is known
beside it. A missing value is left out, as Wallet leaves it out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from finance_api.values import Row
from finance_api.values.number import DECIMALS, decimal_text
from finance_api.values.time import date_text, instant_text

if TYPE_CHECKING:
    from finance_api.api.wallet.context import Context

_ONE: int = 10**DECIMALS
_FLOAT_UNITS = 10**15

#: The value for orjson; None: there is none.
Write = Callable[[Row, "Context"], Any]


@dataclass(frozen=True, slots=True)
class Member:
    """older: whether only earlier versions have it. nullable: whether null stands for no value."""

    name: str
    write: Write
    older: bool = False
    nullable: bool = False


def documents(
    members: Sequence[Member], rows: Sequence[Row], context: "Context"
) -> list[dict[str, Any]]:
    """The objects of the rows, for orjson."""
    # Of two with one name the one of earlier versions counts, which is behind the other.
    shown = {m.name: m for m in members if context.has_older or not m.older}.values()
    writers = [(member.name, member.write, member.nullable) for member in shown]
    return [
        {
            name: value
            for name, write, nullable in writers
            if (value := write(row, context)) is not None or nullable
        }
        for row in rows
    ]


def same(name: str) -> Write:
    """A text, boolean or list as it is stored."""
    return lambda row, context: row[name]


def always(value: Any) -> Write:
    return lambda row, context: value


def number(name: str) -> Write:
    return lambda row, context: decimal(row[name])


def instant(name: str) -> Write:
    """A date-time; of a date its beginning."""
    return lambda row, context: moment(row[name])


def day(name: str) -> Write:
    return lambda row, context: None if row[name] is None else date_text(row[name])


def money(name: str, currency: str = "currencyCode") -> Write:
    """AmountWithCurrency."""
    return lambda row, context: amount(row[name], row[currency])


def decimal(units: int | None, decimals: int = DECIMALS) -> int | float | orjson.Fragment | None:
    """The exact number: what orjson writes is `decimal_text`.

    It writes a float as the shortest decimal that is read as this float; of up to 15 digits that is
    the decimal itself.
    """
    if units is None:
        return None
    if decimals == DECIMALS and -_FLOAT_UNITS < units < _FLOAT_UNITS:
        return units / _ONE if units % _ONE else units // _ONE
    return orjson.Fragment(decimal_text(units, decimals))


def amount(units: int | None, currency: str | None, decimals: int = DECIMALS) -> Any:
    if units is None:
        return None
    value = decimal(units, decimals)
    return {"value": value} if currency is None else {"value": value, "currencyCode": currency}


@lru_cache(maxsize=16_384)
def _moment_text(seconds: int) -> str:
    return f"{instant_text(seconds)[:-1]}.000Z"


def moment(seconds: int | None) -> str | None:
    """``2026-01-31T10:00:00.000Z``"""
    return None if seconds is None else _moment_text(seconds)


def slug(text: str) -> str:
    """``Food & drinks`` -> ``food_and_drinks``"""
    return re.sub(r"[\W_]+", "_", text.lower().replace("&", " and ")).strip("_")
