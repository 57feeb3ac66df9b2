"""JSON Schemas of the arguments and answers of tools, from the declarations of the resources."""

from typing import Any

from finance_api.resources.field import Field, Kind, Resource

Schema = dict[str, Any]

_TEXT: Schema = {"type": ["string", "null"]}
#: Most readers parse JSON numbers as binary floats; numbers that a float would round are text.
NUMBER: Schema = {"type": ["number", "string", "null"]}
_LIST: Schema = {"type": "array", "items": {"type": "string"}}
_BOOLEAN: Schema = {"type": ["boolean", "null"]}

_SHAPES = {
    Kind.NUMBER: NUMBER,
    Kind.BOOLEAN: _BOOLEAN,
    Kind.TEXT_LIST: _LIST,
    Kind.ID_LIST: _LIST,
}

_TEXTS = "eq. ne. in.A,B contains. contains-i. startsWith-i."
_NUMBERS = "eq. ne. gt. gte. lt. lte."
_IDS = "eq. ne.; separate several with commas"
#: The conditions that a field accepts, by its kind.
_CONDITIONS = {
    Kind.TEXT: _TEXTS,
    Kind.TEXT_LIST: _TEXTS,
    Kind.NUMBER: f"{_NUMBERS} abs.gte. …; separate several with commas",
    Kind.DATE: f"{_NUMBERS} with a day, month or year (eq.2026, eq.2026-03, gte.2026-03-18), "
    "or relative (gte.-30d, eq.today, eq.last-month, lt.this-year, eq.month-to-date; also week and "
    "quarter); separate several with commas",
    Kind.DATETIME: f"{_NUMBERS} with a time or a day; separate several with commas",
    Kind.ID: _IDS,
    Kind.SERIAL: _IDS,
    Kind.ID_LIST: _IDS,
    Kind.CHOICE: _IDS,
    Kind.BOOLEAN: "true or false",
}


def text(description: str) -> Schema:
    return {"type": "string", "description": description}


def whole(description: str, least: int, most: int, default: int) -> Schema:
    limits = {"minimum": least, "maximum": most, "default": default}
    return {"type": "integer", "description": description, **limits}


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description, "default": False}


def filters_of(resource: Resource) -> dict[str, Schema]:
    """Return a property for each filterable field."""
    return {field.name: _filter_of(field) for field in resource.fields if field.filterable}


def _filter_of(field: Field) -> Schema:
    conditions = _CONDITIONS[field.kind]
    missing = ", is.null" if field.can_be_missing else ""
    # There are too many currencies to list.
    known = f" One of {', '.join(field.choices)}." if 0 < len(field.choices) < 20 else ""
    return {
        "description": f"{field.meaning}{known} Conditions: {conditions}{missing}.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }


def row_of(resource: Resource) -> Schema:
    """Return the schema of an object of the resource; ``fields`` can leave out any field."""
    shown = {
        f.name: {**_SHAPES.get(f.kind, _TEXT), "description": f.meaning} for f in resource.fields
    }
    return {"type": "object", "properties": shown}


def row(*, texts: str, numbers: str = "") -> Schema:
    """Return the schema of a computed object; names are separated by spaces."""
    shown = dict.fromkeys(texts.split(), _TEXT) | dict.fromkeys(numbers.split(), NUMBER)
    return {"type": "object", "properties": shown}
