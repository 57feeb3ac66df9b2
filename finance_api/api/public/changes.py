"""GET /v1/api/changes"""

from collections.abc import Collection, Sequence

from pyramid.response import Response

from finance_api.api import freshness, parameters, responding, validation
from finance_api.api.endpoint import Service
from finance_api.api.openapi.responses import ResponseDescription, row_schema
from finance_api.api.openapi.schemas import array_of, of_fields, of_members, of_names, value
from finance_api.auth.authentication import lacks_scopes
from finance_api.auth.policy import Permission
from finance_api.http.errors import problem
from finance_api.http.identity import TokenIdentity
from finance_api.http.requests import Request
from finance_api.planning.answers import Document, Reading
from finance_api.planning.changes import Cursor, SinceGone, list_changes, parse_cursor
from finance_api.query.errors import QueryError, quoted
from finance_api.query.parse import parse_names
from finance_api.resources.field import Resource, names_of
from finance_api.resources.tables import CHANGED, CHANGES
from finance_api.serialization.rows import envelope

#: The value that asks for all data, instead of a cursor.
START = "0"


def _since(text: str) -> Cursor | None:
    if text == START:
        return None
    cursor = parse_cursor(text)
    if cursor is None:
        raise QueryError(
            f"{quoted(text)} is neither {START} nor the value of next in an earlier response"
        )
    return cursor


def _types(text: str) -> tuple[Resource, ...]:
    names = parse_names(CHANGED, text)
    return tuple(resource for path, resource in CHANGED.items() if path in names)


def _computed(types: Sequence[Resource] | None) -> Collection[freshness.Source]:
    """Return what changes of these types depend on; None: all types that the token may read."""
    has_computed = types is None or any(resource.computed_fields for resource in types)
    return (freshness.DAY,) if has_computed else freshness.NOTHING


class ChangesSchema(parameters.DataSchema):
    since = parameters.parameter(
        "since",
        parameters.Scalar(_since, {"type": "string", "default": START, "examples": [START]}),
        f"The value of next in an earlier response; {START} returns all data.",
        None,
    )
    types = parameters.parameter(
        "types",
        parameters.Listed(_types, of_names(CHANGED, ["records", "accounts"], uniqueItems=True)),
        "The lists to return changes of. Default: all that the token may read.",
        None,
        _computed,
    )
    limit = parameters.integer(
        "limit", low=1, high=1_000, missing=100, meaning="Maximum number of changes on a page."
    )

    def is_cheap(self, values: validation.Parameters) -> bool:
        return not _computed(values["types"])


_CHANGE = of_members(
    "Change",
    {
        **of_fields(None, CHANGES)["properties"],
        "data": {"anyOf": [row_schema(each) for each in CHANGED.values()]},
    },
    names_of(CHANGES),
)
_PAGE = of_members(
    "ChangesPage",
    {
        "changes": array_of(_CHANGE),
        "since": value("As in the request.", START),
        "next": value("The value of since for the next request; opaque.", "17.9f86d081884c7d65"),
        "hasMore": value("Whether there are more changes now.", False),
        "revision": value("Revision of the data.", 17),
    },
)


changes = Service("api.changes", "/v1/api/changes", "Changes since an earlier response.")


def changes_since(
    reading: Reading, values: validation.Parameters, types: tuple[str, ...]
) -> Document:
    """Return a page of changes. types: the paths of the resources."""
    since: Cursor | None = values["since"]
    resources = tuple(CHANGED[path] for path in types)
    today = reading.today if _computed(resources) else 0
    try:
        page = list_changes(
            reading.storage, reading.user_id, resources, since, values["limit"], today
        )
    except SinceGone as error:
        detail = f"{error}. Discard your copy and start again with since={START}."
        raise problem(410, detail) from None
    members = {
        "since": START if since is None else str(since),
        "next": str(page.following),
        "hasMore": page.has_more,
        "revision": page.state.revision,
    }
    return Document(page.state, envelope("changes", b"\n".join(page.lines), members))


@changes.get(
    schema=ChangesSchema(),
    permission=Permission.CHANGES_READ,
    answer=changes_since,
    response=ResponseDescription(_PAGE, problems=(410,)),
    varies_with=freshness.NOTHING,
)
def list_changes_since(request: Request) -> Response:
    return responding.respond(request, types=_readable(request))


def _readable(request: Request) -> tuple[str, ...]:
    """Return the requested types, or all types that the token may read. Raises a 403."""
    identity = request.authentication
    assert isinstance(identity, TokenIdentity)
    scopes = tuple(CHANGED) if identity.scopes is None else identity.scopes
    resources: tuple[Resource, ...] | None = request.validated["types"]
    if resources is None:
        return tuple(path for path in CHANGED if path in scopes)
    asked = tuple(str(each.path) for each in resources)
    for path in asked:
        if path not in scopes:
            raise lacks_scopes([path], [path])
    return asked
