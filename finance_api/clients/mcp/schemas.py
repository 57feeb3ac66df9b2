"""JSON Schemas of the arguments and answers of tools, from the declarations of the resources."""

from collections.abc import Iterable, Mapping
from typing import Any

from finance_api.query.operators import Operator
from finance_api.resources.field import Field, Kind, Resource

Schema = dict[str, Any]

#: Most readers parse JSON numbers as binary floats. Numbers that a float would round become text.
_TYPES = {Kind.NUMBER: ["number", "string"], Kind.BOOLEAN: ["boolean"]}
_NULL_TESTS = ", ".join(operator.prefix for operator in Operator if operator.is_null_test)


def _forms(kind: Kind) -> str:
    """Return how conditions on fields of this kind begin."""
    return " ".join(operator.value.form for operator in Operator if kind in operator.value.kinds)


#: Describes the conditions of all tools; see `filters_of`.
CONDITIONS = (
    f"Filters take conditions. Texts: {_forms(Kind.TEXT)}, or a list "
    f"of them. Numbers: {_forms(Kind.NUMBER)}, abs.gte. … without sign. Dates: the same with "
    "a day or period (eq.2026-03, eq.2026-Q3, eq.2026-W30, gte.2026-03-18) or relative "
    "(gte.-30d, lte.+7d, eq.last-month, lt.this-year, eq.next-week, eq.month-to-date; "
    "also quarter). Ids and choices: "
    f"{_forms(Kind.ID)} Booleans: true or false. Commas separate values, except in texts. "
    f"Any field: {_NULL_TESTS}."
)


def text(description: str, **default: str) -> Schema:
    return {"type": "string", "description": description, **default}


def whole(description: str, least: int, most: int, **default: int) -> Schema:
    limits = {"minimum": least, "maximum": most, **default}
    return {"type": "integer", "description": description, **limits}


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description, "default": False}


def one_of(words: Iterable[str], description: str = "") -> Schema:
    return {"enum": list(words), **({"description": description} if description else {})}


def filters_of(resource: Resource, names: str = "") -> dict[str, Schema]:
    """Return a property for each filterable field.

    names: if not empty, only these fields, separated by spaces.
    """
    fields = map(resource.__getitem__, names.split()) if names else resource.fields
    return {field.name: _filter_of(field) for field in fields if field.filterable}


def _filter_of(field: Field) -> Schema:
    if field.kind.is_text:
        return {"type": ["string", "array"], "items": {"type": "string"}}
    if field.kind is Kind.BOOLEAN:
        return {"type": ["string", "boolean"]}
    # There are too many currencies to list.
    known = {"description": ", ".join(field.choices)} if 0 < len(field.choices) < 20 else {}
    return {"type": "string", **known}


def undescribed(properties: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the properties without their descriptions, which another tool has."""
    return {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in properties.items()
    }


def row_of(fields: Iterable[Field]) -> Schema:
    """Return the schema of an object. It requires no fields: an argument can leave them out."""
    return {"type": "object", "properties": {field.name: _shape(field) for field in fields}}


def _shape(field: Field) -> Schema:
    if field.kind.is_list:
        is_limit = field.kind is Kind.LIMIT_LIST
        return {"type": "array"} if is_limit else {"type": "array", "items": {"type": "string"}}
    types = _TYPES.get(field.kind, ["string"]) + (["null"] if field.nullable else [])
    return {"type": types if len(types) > 1 else types[0]}
