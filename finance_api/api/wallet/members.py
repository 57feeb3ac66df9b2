"""The members of Wallet's objects: how each is made of a row.

A table of `Member`s declares an object: the name, and a function of the row and of what is known
beside it. A missing value is left out, as Wallet leaves it out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from finance_api.api.openapi.schemas import Schema, of_field, of_given, of_members, value
from finance_api.api.wallet.schemas import DATE_TIME, MONEY
from finance_api.resources.field import Field, Resource
from finance_api.values import Row
from finance_api.values.number import DECIMALS, decimal_text
from finance_api.values.time import date_text, instant_text

if TYPE_CHECKING:
    from finance_api.api.wallet.context import Context

_ONE: int = 10**DECIMALS
#: The first number of units with 16 digits.
_FLOAT_UNITS = 10**15

#: The value for orjson; None: there is none.
Write = Callable[[Row, "Context"], Any]


@dataclass(frozen=True, slots=True)
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


def object_schema(title: str, members: Sequence[Member]) -> Schema:
    """Of what `documents` writes, with the names of earlier versions or without them."""
    always = [member.name for member in members if not (member.is_optional or member.older)]
    return of_members(title, {member.name: member.schema for member in members}, always)


def always(name: str, value: Any, schema: Schema) -> Member:
    """What everything has the same of."""
    return Member(name, lambda row, context: value, schema, is_optional=False)


class Fields:
    """Makes members of a resource's fields. name: there; field: here, if it differs."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    def same(self, name: str, field: str | None = None, *, older: bool = False) -> Member:
        """A text, boolean or list as it is stored."""
        found = self._field(field or name)
        return _of_field(name, found, lambda row, _: row[found.name], of_given(found), older)

    def number(
        self, name: str, field: str, *, older: bool = False, nullable: bool = False
    ) -> Member:
        found = self._field(field)
        schema = of_field(found) if nullable else of_given(found)
        member = _of_field(name, found, lambda row, _: decimal(row[field]), schema, older)
        return replace(member, nullable=nullable, is_optional=not nullable)

    def instant(self, name: str, field: str | None = None) -> Member:
        """A date-time; of a date its beginning."""
        return instant(name, self._field(field or name))

    def day(self, name: str) -> Member:
        def write(row: Row, context: "Context") -> str | None:
            return None if row[name] is None else date_text(row[name])

        found = self._field(name)
        return _of_field(name, found, write, of_given(found))

    def money(self, name: str, field: str | None = None) -> Member:
        found = self._field(field or name)

        def write(row: Row, context: "Context") -> Any:
            return amount(row[found.name], row["currencyCode"])

        return _of_field(name, found, write, MONEY)

    def _field(self, name: str) -> Field:
        found = self._resource.get_field(name)
        assert found is not None, name
        return found


def instant(name: str, field: Field) -> Member:
    schema = value(DATE_TIME, field.meaning, "2026-01-31T10:00:00.000Z")
    return _of_field(name, field, lambda row, _: moment(row[field.name]), schema)


def _of_field(name: str, field: Field, write: Write, schema: Schema, older: bool = False) -> Member:
    return Member(name, write, schema, is_optional=field.nullable, older=older)


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
