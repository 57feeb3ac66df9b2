"""Descriptions of responses, for the OpenAPI document: data, and problem documents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from finance_api.api.openapi import schemas
from finance_api.api.rendering import HeaderItems
from finance_api.planning.answers import HINTS
from finance_api.planning.conversion import CONVERTED, converted_fields
from finance_api.resources.field import Field, Resource
from finance_api.serialization.formats import JSON, OF_EXPORTS, OF_LISTS, Representation, body_of
from finance_api.storage.interface import DataState


@dataclass(frozen=True)
class Header:
    """A response header. always: whether every 200 has it. of_body: whether a 304 lacks it."""

    name: str
    meaning: str
    example: str
    always: bool = True
    of_body: bool = False


def without_envelope(name: str, meaning: str, example: str) -> Header:
    """Describe a header that replaces a member of the JSON."""
    return Header(name, f"In formats without an envelope: {meaning}.", example, False, True)


LINK = Header(
    "Link",
    "The next page (RFC 8288); absent on the last page.",
    '</v1/api/records?limit=30&offset=30>; rel="next"',
    always=False,
    of_body=True,
)
NEXT_OFFSET = without_envelope(
    "X-Next-Offset", "the offset of the next page, empty on the last page", "30"
)
TOTAL = without_envelope("X-Total-Count", "the number of rows that match", "4711")
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
#: The headers of exports.
EXPORT_HEADERS = (
    *OF_DATA,
    Header(
        "Content-Disposition",
        "Name of the file.",
        'attachment; filename="records.ndjson"',
        of_body=True,
    ),
    Header("X-Total-Count", "Number of rows in the response.", "4711", of_body=True),
    Header("Accept-Ranges", "Range can ask for a part of the body.", "bytes", of_body=True),
)
OF_PAGE: Mapping[str, schemas.Schema] = {
    "limit": schemas.value("Maximum number of rows on a page.", 30),
    "offset": schemas.value("Number of rows before the page.", 0),
    "nextOffset": schemas.value(
        "The offset of the next page; null on the last page.", None, type=["integer", "null"]
    ),
}
_OF_DATA_PAGE: Mapping[str, schemas.Schema] = {
    **OF_PAGE,
    "revision": schemas.value("Revision of the data, which rises with each change.", 17),
}
#: The member with hints, in lists and in tables that can be filtered by names or ids.
HINTS_SCHEMA: schemas.Schema = {
    **schemas.array_of({"type": "string"}),
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
    text: an example of the body, if there are no columns.
    state_headers: returns the headers about the state of the data; None: those of `OF_DATA`.
    is_shown: whether the description of the API shows the endpoint.
    """

    schema: schemas.Schema = field(default_factory=dict)
    forms: Sequence[Representation] = (JSON,)
    columns: Sequence[Field] = ()
    headers: Sequence[Header] = OF_DATA
    problems: Sequence[int] = ()
    text: str = ""
    state_headers: Callable[[DataState], HeaderItems] | None = None
    is_shown: bool = True

    def __deepcopy__(self, memo: Any) -> "ResponseDescription":
        """Return itself: Cornice copies what it passes on, and nobody changes a description."""
        return self

    @property
    def amounts(self) -> frozenset[str]:
        """The names of members with an amount."""
        in_rows = {column.name for column in self.columns if column.is_money}
        return frozenset(schemas.amount_names(self.schema) | in_rows)

    def example(self, form: Representation) -> Any:
        """Return an example of the body: an object for JSON, a text for other forms."""
        if form is JSON:
            body = schemas.example_of(self.schema)
            # The example has rows, so it has no hints.
            body.pop(HINTS, None)
            return body
        if not self.columns:
            return self.text
        row = {column.name: column.example for column in self.columns}
        return body_of(form, "rows", self.columns, orjson.dumps(row)).decode()


def row_schema(resource: Resource) -> schemas.Schema:
    """Return the schema of an object. Only id is required, as ``fields`` may leave out others."""
    converted = converted_fields(CONVERTED[resource]) if resource in CONVERTED else ()
    return schemas.of_fields(resource.model_type, resource.fields, converted, required=("id",))


def list_response(resource: Resource) -> ResponseDescription:
    total = schemas.value("Number of rows that match; with withTotal=true.", 4711)
    always = {resource.name: schemas.array_of(row_schema(resource)), **_OF_DATA_PAGE}
    members = {**always, "total": total, HINTS: HINTS_SCHEMA}
    schema = schemas.of_members(f"{resource.model_type}Page", members, always)
    return ResponseDescription(
        schema, OF_LISTS, resource.fields, (*OF_DATA, LINK, NEXT_OFFSET, TOTAL), (409,)
    )


def object_response(resource: Resource, problems: Sequence[int] = ()) -> ResponseDescription:
    return ResponseDescription(row_schema(resource), problems=problems)


def export_response(resource: Resource) -> ResponseDescription:
    return ResponseDescription(
        forms=OF_EXPORTS, columns=resource.fields, headers=EXPORT_HEADERS, problems=(416,)
    )


def table_response(
    title: str,
    name: str,
    columns: Sequence[Field],
    members: Mapping[str, schemas.Schema],
    *,
    sometimes: Sequence[Field] = (),
    optional: Mapping[str, schemas.Schema] | None = None,
    headers: Sequence[Header] = (),
    is_paged: bool = False,
) -> ResponseDescription:
    """Describe computed rows. sometimes, optional: columns and members that may be missing."""
    row = schemas.of_fields(title, columns, sometimes)
    always = {name: schemas.array_of(row), **members, **(_OF_DATA_PAGE if is_paged else {})}
    schema = schemas.of_members(f"{title}Page", {**always, **(optional or {})}, always)
    of_page = (LINK, NEXT_OFFSET) if is_paged else ()
    problems = (409,) if is_paged else ()
    return ResponseDescription(schema, OF_LISTS, columns, (*OF_DATA, *of_page, *headers), problems)
