"""The members of Wallet's objects: how each is made of rows.

A table of `Member`s declares an object: the name of each, and a function of a row and of what is
known beside it. A missing value is left out, as Wallet leaves it out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

import orjson

from finance_api.api.openapi.schemas import Schema, of_field, of_given, of_members, value
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.schemas import DATE_TIME, MONEY
from finance_api.resources.field import Field, Resource
from finance_api.resources.wire import json_number
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.values.time import DAY_SECONDS, date_text

_MINUTES = [f"T{minute // 60:02}:{minute % 60:02}:" for minute in range(DAY_SECONDS // 60)]
_SECONDS = [f"{second:02}.000Z" for second in range(60)]

_NULL = orjson.Fragment(b"null")

#: The value of a row for orjson; None if it is missing.
Write = Callable[[Row, Context], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """schema: of a value, with its meaning and an example. is_optional: whether it may be left out.

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
    # The later of two members with one name counts: the one of earlier versions.
    return tuple({m.name: m for m in members if has_older or not m.older}.values())


def documents(
    members: tuple[Member, ...], rows: Sequence[Row], context: Context
) -> list[dict[str, Any]]:
    """The objects of the rows, for orjson."""
    plan = [(m.name, m.write, m.nullable) for m in _shown(members, context.has_older)]
    return [
        {
            name: _NULL if value is None else value
            for name, write, nullable in plan
            if (value := write(row, context)) is not None or nullable
        }
        for row in rows
    ]


def dumps(document: Any) -> bytes:
    """As JSON. Decimals are written as they are."""
    return orjson.dumps(document, default=_decimal)


def _decimal(value: Any) -> orjson.Fragment:
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value))
    raise TypeError(f"{type(value)} has no JSON")


def object_schema(title: str, members: Sequence[Member]) -> Schema:
    """Return the schema of what `documents` writes, with or without older names."""
    always = [member.name for member in members if not (member.is_optional or member.older)]
    return of_members(title, {member.name: member.schema for member in members}, always)


def always(name: str, value: Any, schema: Schema) -> Member:
    """Make a member with the same value in all objects."""
    return Member(name, lambda row, context: value, schema, is_optional=False)


class Fields:
    """Makes members of a resource's fields, of stored rows.

    name: there; field: here, if it differs.
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    def same(self, *names: str) -> tuple[Member, ...]:
        """Texts, booleans and lists as they are stored."""
        return tuple(self.called(name, name) for name in names)

    def called(self, name: str, field: str, *, older: bool = False) -> Member:
        found = self._resource[field]
        return _of_field(name, found, lambda row, _: row[field], of_given(found), older)

    def number(
        self, name: str, field: str, *, older: bool = False, nullable: bool = False
    ) -> Member:
        found = self._resource[field]
        schema = of_field(found) if nullable else of_given(found)
        member = _of_field(name, found, lambda row, _: decimal(row[field]), schema, older)
        return replace(member, nullable=nullable, is_optional=not nullable)

    def instants(self, *names: str) -> tuple[Member, ...]:
        """Date-times; of a date its beginning."""
        return tuple(instant(name, self._resource[name]) for name in names)

    def day(self, name: str) -> Member:
        def write(row: Row, context: Context) -> str | None:
            return None if row[name] is None else date_text(row[name])

        found = self._resource[name]
        return _of_field(name, found, write, of_given(found))

    def money(self, name: str, field: str | None = None) -> Member:
        found = self._resource[field or name]

        def write(row: Row, context: Context) -> Any:
            return amount(row[found.name], row["currencyCode"])

        return _of_field(name, found, write, MONEY)


def instant(name: str, field: Field) -> Member:
    schema = value(DATE_TIME, field.meaning, "2026-01-31T10:00:00.000Z")
    return _of_field(name, field, lambda row, _: moment(row[field.name]), schema)


def _of_field(name: str, field: Field, write: Write, schema: Schema, older: bool = False) -> Member:
    return Member(name, write, schema, is_optional=field.nullable, older=older)


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
    # As `instant_text`, in a third of the time.
    clock = _MINUTES[seconds % DAY_SECONDS // 60] + _SECONDS[seconds % 60]
    return date_text(seconds) + clock
