"""The members of Wallet's objects, and how each is made from rows.

A table of `Member`s declares an object. Each has a name, and a function that makes its value from
a row and a `Context`. A missing value is left out, as in Wallet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from finance_api.api.openapi.schemas import Schema, date_time, of_given, of_members
from finance_api.api.openapi.schemas import value as schema_of_value
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.schemas import MONEY, named
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.wire import json_number
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.values.time import DAY_SECONDS, date_text

_NULL = orjson.Fragment(b"null")

#: A function that returns a member's value from a row; None if there is no value.
Write = Callable[[Row, Context], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """schema: the value's, with meaning and example. is_optional: whether it may be left out.

    older: whether only earlier versions have it. nullable: whether null stands for no value.
    """

    name: str
    write: Write
    schema: Schema
    is_optional: bool = True
    older: bool = False
    nullable: bool = False


@cache
def _shown(members: tuple[Member, ...], has_older: bool) -> tuple[Member, ...]:
    # Of two members with the same name the later one wins: the one of earlier versions.
    return tuple({m.name: m for m in members if has_older or not m.older}.values())


def documents(
    members: tuple[Member, ...], rows: Sequence[Row], context: Context
) -> list[dict[str, Any]]:
    """Return the objects of the rows, for orjson."""
    plan = [(m.name, m.write, m.nullable) for m in _shown(members, context.has_older)]
    return [
        {
            name: _NULL if value is None else value
            for name, write, nullable in plan
            if (value := write(row, context)) is not None or nullable
        }
        for row in rows
    ]


def object_schema(title: str, members: Sequence[Member]) -> Schema:
    """Return the schema of what `documents` writes, with or without older names."""
    always = [member.name for member in members if not (member.is_optional or member.older)]
    return of_members(title, {member.name: member.schema for member in members}, always)


def always(name: str, value: Any, schema: Schema | None = None) -> Member:
    """Make a member with the same value in all objects."""
    schema = schema or schema_of_value(f"Always {str(value).lower()}.", value)
    return Member(name, lambda row, context: value, schema, is_optional=False)


def stored(resource: Resource, names: str, *, older: bool = False) -> list[Member]:
    """Make members of stored fields; ``counterParty=payee`` is called payee here.

    A date is written as the time when it begins.
    """
    return [of_field(name, field, older=older) for name, field in named(resource, names)]


def of_field(name: str, field: Field, *, older: bool = False) -> Member:
    is_time = field.kind in (Kind.DATE, Kind.DATETIME)
    schema = date_time(field.meaning) if is_time else of_given(field)
    is_optional = field.nullable or field.kind is Kind.NUMBER
    write = _write(field.name, _CONVERSIONS.get(field.kind))
    return Member(name, write, schema, is_optional=is_optional, older=older)


def _write(key: str, convert: Callable[[Any], Any] | None) -> Write:
    if convert is None:
        return lambda row, _: row[key]
    return lambda row, _: convert(row[key])


def money(name: str, field: Field) -> Member:
    def write(row: Row, context: Context) -> Any:
        return amount(row[field.name], row["currencyCode"])

    return Member(name, write, MONEY, is_optional=field.nullable)


def decimal(units: int | None, decimals: int = DECIMALS) -> int | float | orjson.Fragment | None:
    return None if units is None else json_number(units, decimals)


def amount(units: int | None, currency: str | None, decimals: int = DECIMALS) -> Any:
    if units is None:
        return None
    value = decimal(units, decimals)
    return {"value": value} if currency is None else {"value": value, "currencyCode": currency}


def moment(seconds: int | None) -> str | None:
    """``2026-01-31T10:00:00.000Z``"""
    if seconds is None:
        return None
    # Like `instant_text`, in a third of the time.
    clock = _MINUTES[seconds % DAY_SECONDS // 60] + _SECONDS[seconds % 60]
    return date_text(seconds) + clock


_MINUTES = [f"T{minute // 60:02}:{minute % 60:02}:" for minute in range(DAY_SECONDS // 60)]
_SECONDS = [f"{second:02}.000Z" for second in range(60)]
_CONVERSIONS: dict[Kind, Callable[[Any], Any]] = {
    Kind.DATE: moment,
    Kind.DATETIME: moment,
    Kind.NUMBER: decimal,
}
