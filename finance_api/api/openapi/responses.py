"""The responses of a service, as it declares them for the description."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from finance_api.api.openapi.schemas import (
    Schema,
    amount_names,
    array_of,
    example_of,
    of_fields,
    of_members,
    value,
)
from finance_api.api.representation import CSV, HINTS, JSON, OF_LISTS, Representation, body_of
from finance_api.planning.conversion import CONVERTED, converted_fields
from finance_api.resources.field import Field, Resource


@dataclass(frozen=True)
class Header:
    """always: whether every 200 has the header. of_body: whether a 304 lacks it."""

    name: str
    meaning: str
    example: str
    always: bool = True
    of_body: bool = False


LINK = Header(
    "Link",
    "The next page (RFC 8288); absent on the last page.",
    '</v1/api/records?limit=30&offset=30>; rel="next"',
    always=False,
    of_body=True,
)
NEXT_OFFSET = Header(
    "X-Next-Offset",
    "In formats without an envelope: the offset of the next page, empty on the last page.",
    "30",
    always=False,
    of_body=True,
)
TOTAL = Header(
    "X-Total-Count",
    "In formats without an envelope: the number of rows that match.",
    "4711",
    always=False,
    of_body=True,
)
VARY = Header(
    "Vary",
    "Request headers that the response depends on.",
    "Accept, Accept-Encoding, Authorization",
)
NO_STORE = Header("Cache-Control", "The response must not be stored.", "no-store")
#: Headers about the user, which a 304 lacks.
_OF_USER = (
    Header("X-User-Today", "The day in the user's time zone.", "2026-01-31", always=False),
    Header("X-User-Base-Currency", "The user's base currency, if set.", "EUR", always=False),
)
#: The headers of a response about the user that must not be stored.
OF_UNSTORED = (NO_STORE, VARY, *_OF_USER)
#: The headers of every response about the user's data.
OF_DATA = (
    Header(
        "ETag",
        "For If-None-Match; a 304 does not count against the quota.",
        '"0f8b5c2ad1c94a3f8e71f6a4b0c92d5e"',
    ),
    Header("X-Last-Data-Change-At", "Time of the last change of the data.", "2026-01-31T10:00:00Z"),
    Header(
        "X-Last-Data-Change-Rev", "The revision of the data, which rises with each change.", "17"
    ),
    Header(
        "Cache-Control",
        "Only the client may store the response, and must revalidate it.",
        "private",
    ),
    VARY,
    *_OF_USER,
)
OF_PAGE: Mapping[str, Schema] = {
    "limit": value("Maximum number of rows on a page.", 30),
    "offset": value("Number of rows before the page.", 0),
    "nextOffset": value(
        "The offset of the next page; null on the last page.", None, type=["integer", "null"]
    ),
}
#: Summaries and other tables that are filtered by names or ids have it, too.
HINTS_SCHEMA: Schema = {
    **array_of({"type": "string"}),
    "description": "Why there are no rows: unknown names and ids in the filters.",
    "examples": [["No category is called groceries. Did you mean Groceries?"]],
}


@dataclass(frozen=True)
class ResponseDescription:
    """The response to a request without faults.

    schema: the schema of the JSON. forms: the representations, the default first.
    columns: the columns of rows, in forms without an envelope.
    headers: the headers besides those that all responses of the surface have.
    problems: the statuses of errors besides those of the whole surface.
    text: an example, if there are no columns.
    """

    schema: Schema = field(default_factory=dict)
    forms: Sequence[Representation] = (JSON,)
    columns: Sequence[Field] = ()
    headers: Sequence[Header] = OF_DATA
    problems: Sequence[int] = ()
    text: str = ""

    @property
    def has_amounts(self) -> bool:
        """Whether the client chooses how amounts are written; not in the native format."""
        return JSON in self.forms or CSV in self.forms

    @property
    def has_suffixes(self) -> bool:
        """Whether the path can end in the suffix of a format, such as .csv."""
        return CSV in self.forms

    @property
    def amounts(self) -> frozenset[str]:
        """The names of members with an amount."""
        in_rows = {column.name for column in self.columns if column.is_money}
        return frozenset(amount_names(self.schema) | in_rows)

    def example(self, form: Representation) -> Any:
        """A body: an object for JSON, a text for others."""
        if form is JSON:
            body = example_of(self.schema)
            # The example has rows, so it has no hints.
            body.pop(HINTS, None)
            return body
        if not self.columns:
            return self.text
        row = {column.name: column.example for column in self.columns}
        return body_of(form, "rows", self.columns, orjson.dumps(row)).decode()


def row_schema(resource: Resource) -> Schema:
    """An object of the resource; with ``fields`` it has only some of them."""
    converted = converted_fields(CONVERTED[resource]) if resource in CONVERTED else ()
    return of_fields(resource.model_type, resource.fields, converted, required=("id",))


def list_response(resource: Resource) -> ResponseDescription:
    """A page of the resource."""
    total = value("Number of rows that match; with withTotal=true.", 4711)
    always = {resource.name: array_of(row_schema(resource)), **OF_PAGE}
    members = {**always, "total": total, HINTS: HINTS_SCHEMA}
    schema = of_members(f"{resource.model_type}Page", members, always)
    return ResponseDescription(
        schema, OF_LISTS, resource.fields, (*OF_DATA, LINK, NEXT_OFFSET, TOTAL)
    )


def table_response(
    title: str,
    name: str,
    columns: Sequence[Field],
    members: Mapping[str, Schema],
    *,
    sometimes: Sequence[Field] = (),
    optional: Mapping[str, Schema] | None = None,
    headers: Sequence[Header] = (),
    is_paged: bool = False,
) -> ResponseDescription:
    """Describe a `TableRequest`. sometimes, optional: columns and members that may be missing."""
    row = of_fields(title, columns, sometimes)
    always = {name: array_of(row), **members, **(OF_PAGE if is_paged else {})}
    schema = of_members(f"{title}Page", {**always, **(optional or {})}, always)
    of_page = (LINK, NEXT_OFFSET) if is_paged else ()
    return ResponseDescription(schema, OF_LISTS, columns, (*OF_DATA, *of_page, *headers))
