"""JSON Schemas (draft 2020-12) of fields, and of objects that consist of fields.

A schema with a title appears once in a description, under that title.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind

Schema = dict[str, Any]

CURRENCY: Schema = {
    "title": "Currency",
    "type": "string",
    "description": "An ISO 4217 code.",
    "enum": list(CURRENCIES),
    "examples": ["EUR"],
}
#: The format of amounts: decimals that a binary float may round.
DECIMAL = "decimal"
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def value(description: str, example: Any, **more: Any) -> Schema:
    """Return the schema of a value that is not a field. Its type is that of the example."""
    schema = {"type": _JSON_TYPES[type(example)], **more}
    return {**schema, "description": description, "examples": [example]}


def date_time(meaning: str, example: str = "2026-01-31T10:00:00.000Z") -> Schema:
    return value(meaning, example, format="date-time")


def of_members(
    title: str | None, properties: Mapping[str, Schema], required: Iterable[str] | None = None
) -> Schema:
    """Return the schema of an object. If ``required`` is None, all members are required."""
    schema: Schema = {"type": "object"} if title is None else {"title": title, "type": "object"}
    schema["properties"] = dict(properties)
    schema["required"] = list(properties if required is None else required)
    return schema


def array_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TYPES: dict[Kind, Schema] = {
    Kind.TEXT: {"type": "string"},
    Kind.NUMBER: {"type": "number"},
    Kind.DATE: {"type": "string", "format": "date"},
    Kind.DATETIME: {"type": "string", "format": "date-time"},
    Kind.ID: {"type": "string", "format": "uuid"},
    Kind.SERIAL: {"type": "string", "format": "uuid"},
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.TEXT_LIST: array_of({"type": "string"}),
    Kind.ID_LIST: array_of({"type": "string", "format": "uuid"}),
    Kind.LIMIT_LIST: array_of(
        of_members(
            "PeriodLimit",
            {
                "periodStart": value("First day of the period.", "2026-12-01", format="date"),
                "limit": value("How much may be spent in it.", 450, type="number", format=DECIMAL),
            },
        )
    ),
}


def of_field(field: Field) -> Schema:
    about = {"description": field.meaning, "examples": [field.example]}
    if field.choices == CURRENCIES:
        return {"anyOf": [CURRENCY, {"type": "null"}], **about} if field.nullable else CURRENCY
    schema: Schema
    if field.kind is Kind.CHOICE:
        schema = {"type": "string", "enum": [*field.choices]}
    elif field.kind is Kind.NUMBER and field.decimals == 0:
        schema = {"type": "integer"}
    else:
        schema = dict(_TYPES[field.kind])
        if field.is_money:
            schema["format"] = DECIMAL
    if field.nullable and not field.kind.is_list:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"].append(None)
    return schema | about


def of_given(field: Field) -> Schema:
    """Return the schema of the field's value if it is not missing."""
    return of_field(replace(field, nullable=False))


def of_fields(
    title: str | None,
    fields: Sequence[Field],
    optional: Iterable[Field] = (),
    keys: Mapping[str, str] | None = None,
    required: Iterable[str] | None = None,
) -> Schema:
    """Return the schema of an object of these fields. optional: fields that may be missing.

    keys: the keys in the object, if they are not the fields' names. required: the required keys;
    None means all keys that are not optional.
    """
    named = {(keys or {}).get(f.name, f.name): f for f in (*fields, *optional)}
    properties = {key: of_field(field) for key, field in named.items()}
    always = list(named)[: len(fields)] if required is None else list(required)
    return of_members(title, properties, always)


def amount_names(schema: Schema) -> set[str]:
    """Return the names of all members with an amount, at any depth."""
    properties = schema.get("properties", {})
    inner = [*properties.values(), *schema.get("anyOf", ()), schema.get("items", {})]
    found = {name for name, each in properties.items() if each.get("format") == DECIMAL}
    return found.union(*map(amount_names, filter(None, inner)))


def example_of(schema: Schema) -> Any:
    """Return an example of a value, made from the examples of the schema's parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0])
    if schema.get("type") == "object":
        return {name: example_of(each) for name, each in schema["properties"].items()}
    if schema.get("type") == "array":
        return [example_of(schema["items"])]
    raise ValueError(f"there is no example in {schema}")


def one_or_more(items: Schema, example: list[Any], **options: Any) -> Schema:
    """Return the schema of comma-separated values."""
    return {**array_of(items), "minItems": 1, "examples": [example], **options}


def of_names(names: Iterable[str], example: list[str], **options: Any) -> Schema:
    """Return the schema of some of the names, separated by commas."""
    return one_or_more({"type": "string", "enum": list(names)}, example, **options)


def of_order(names: Iterable[str], default: str) -> Schema:
    """Return the schema of a text such as ``+name,-amount``. default: the default, or empty."""
    pattern = f"^[+ -]?({'|'.join(names)})$"
    given = [default.lstrip("+")] if default else []
    options = {"default": given} if default else {}
    example = given or [next(iter(names))]
    return one_or_more({"type": "string", "pattern": pattern}, example, **options)
