"""``field=value``, as people write it, as stored values."""

import csv
from collections.abc import Mapping
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native.values import ValueRefused, reader_of
from finance_api.ledger.edits.naming import did_you_mean, find_row
from finance_api.ledger.session import UserRows
from finance_api.resources import referred_by
from finance_api.resources.field import Field, Kind, Resource, Role
from finance_api.values.number import NumberError, parse_decimal

_NOT_EDITED = ("id", "createdAt", "updatedAt")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
#: A message names them all up to so many.
_MANY_CHOICES = 20


def editable_fields(resource: Resource) -> dict[str, Field]:
    """The fields that people set, by the names that they write: references without ``Id``."""
    fields = resource.having_role(Role.STORED)
    return {written_name(f): f for f in fields if f.name not in _NOT_EDITED}


def written_name(field: Field) -> str:
    """``account`` for accountId, ``categories`` for categoryIds."""
    if not field.references:
        return field.name
    name = field.name.removesuffix("s").removesuffix("Id")
    if not field.kind.is_list:
        return name
    return f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s"


def parse_assignments(
    owned: UserRows, resource: Resource, given: Mapping[str, str]
) -> dict[str, Any]:
    """Stored values by field name; a blank text gives the field's default.

    given: texts by field names, those of references with or without ``Id``. In a list a name with a
    comma stands in double quotes. Raises ChangeRefused.
    """
    fields = editable_fields(resource)
    known = fields | {field.name: field for field in fields.values()}
    values = {}
    for name, text in given.items():
        field = known.get(name)
        if field is None:
            raise ChangeRefused(
                f"{name} is no field of {resource.name} that can be set{did_you_mean(name, known)}"
                f" (fields: {', '.join(fields)})"
            )
        if field.name in values:
            raise ChangeRefused(f"{field.name} is given twice")
        try:
            values[field.name] = parse_value(owned, field, text)
        except ValueRefused as error:
            raise ChangeRefused(f"{name}: {text!r} {error}") from None
    return values


def parse_value(owned: UserRows, field: Field, text: str) -> Any:
    """Raises ChangeRefused, ValueRefused."""
    if not text.strip():
        return field.default
    value: Any = text.strip()
    if field.kind.is_list:
        value = _elements(value)
    if field.references:
        resource = referred_by(field)
        value = (
            [find_row(owned, resource, name)["id"] for name in value]
            if field.kind.is_list
            else find_row(owned, resource, value)["id"]
        )
    elif field.kind is Kind.NUMBER:
        try:
            value = parse_decimal(value)
        except NumberError as error:
            raise ValueRefused(str(error)) from None
    elif field.kind is Kind.BOOLEAN:
        value = _TRUTH.get(value.lower())
        if value is None:
            raise ValueRefused("is neither true nor false")
    elif len(field.choices) > _MANY_CHOICES and value not in field.choices:
        raise ValueRefused(f"is not one that is known{did_you_mean(value, field.choices)}")
    return reader_of(field)(value)


def _elements(text: str) -> list[str]:
    try:
        (elements,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        raise ValueRefused(
            "cannot be divided: a name with a comma stands in double quotes, a double quote "
            "within it twice"
        ) from None
    return [element.strip() for element in elements if element.strip()]
