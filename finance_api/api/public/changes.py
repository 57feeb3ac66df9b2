"""GET /v1/api/changes"""

import orjson

from finance_api.api import parameters
from finance_api.api.data_request import DataRequest, Payload, Reading
from finance_api.api.openapi.responses import ResponseDescription, row_schema
from finance_api.api.openapi.schemas import array_of, of_members, of_names, value
from finance_api.api.service import data_service
from finance_api.auth.authentication import lacks_scopes
from finance_api.auth.policy import Permission, own_by_any_token
from finance_api.http.errors import problem
from finance_api.http.identity import TokenIdentity
from finance_api.http.requests import Request
from finance_api.planning.changes import Cursor, SinceGone, list_changes, parse_cursor
from finance_api.query.errors import QueryError, quoted
from finance_api.query.parse import parse_names
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Resource

MAX_CHANGES = 1_000
DEFAULT_CHANGES = 100
#: The value that asks for all data, instead of a cursor.
START = "0"

#: The resources by their paths, in the order of changes on a page.
_TYPES = {str(r.path): r for r in sorted(PUBLIC_RESOURCES, key=lambda r: r.name)}


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
    names = parse_names(_TYPES, text)
    return tuple(resource for path, resource in _TYPES.items() if path in names)


_SCHEMA = parameters.ParameterSchema(
    parameters.parameter(
        "since",
        parameters.Scalar(_since, {"type": "string", "default": START, "examples": [START]}),
        f"The value of next in an earlier response; {START} returns all data.",
        None,
    ),
    parameters.parameter(
        "types",
        parameters.Listed(_types, of_names(_TYPES, ["records", "accounts"], uniqueItems=True)),
        "The lists to return changes of. Default: all that the token may read.",
        None,
    ),
    parameters.integer(
        "limit", 1, MAX_CHANGES, DEFAULT_CHANGES, "Maximum number of changes on a page."
    ),
)


def _response() -> ResponseDescription:
    change = of_members(
        "Change",
        {
            "type": value("The list.", "records", enum=[*_TYPES]),
            "id": value("Identifier.", EXAMPLE_ID, format="uuid"),
            "op": value(
                "Whether the object was changed or deleted.", "put", enum=["put", "delete"]
            ),
            "revision": value("Revision of the data at the object's last change.", 17),
            "data": {"anyOf": [row_schema(each) for each in _TYPES.values()]},
        },
        ["type", "id", "op", "revision"],
    )
    return ResponseDescription(
        of_members(
            "ChangesPage",
            {
                "changes": array_of(change),
                "since": value("As in the request.", START),
                "next": value(
                    "The value of since for the next request; opaque.", "17.9f86d081884c7d65"
                ),
                "hasMore": value("Whether there are more changes now.", False),
                "revision": value("Revision of the data.", 17),
            },
        ),
        problems=(410,),
    )


class ChangesRequest(DataRequest):
    is_always_there = False

    def __init__(self, request: Request) -> None:
        self._types = _readable(request)
        super().__init__(request)
        self.own_text = ",".join(str(resource.path) for resource in self._types)
        self.depends_on_today = any(resource.computed_fields for resource in self._types)
        self.is_cheap = not self.depends_on_today

    def read(self, reading: Reading) -> Payload:
        since: Cursor | None = self.given["since"]
        try:
            page = list_changes(
                reading.storage,
                reading.user_id,
                self._types,
                since,
                self.given["limit"],
                reading.today if self.depends_on_today else 0,
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
        changes = b",".join(page.lines)
        return Payload(page.state, b'{"changes":[%b],%b' % (changes, orjson.dumps(members)[1:]))


def _readable(request: Request) -> tuple[Resource, ...]:
    """Return the requested types, or all types that the token may read. Raises a 403."""
    identity = request.authentication
    assert isinstance(identity, TokenIdentity)
    asked: tuple[Resource, ...] | None = request.validated["types"]
    if identity.scopes is None:
        return asked or tuple(_TYPES.values())
    if asked is None:
        return tuple(r for path, r in _TYPES.items() if path in identity.scopes)
    for resource in asked:
        if resource.path not in identity.scopes:
            raise lacks_scopes([str(resource.path)], [str(resource.path)])
    return asked


SERVICES = (
    data_service(
        "/v1/api/changes",
        ChangesRequest,
        description="Changes since an earlier response.",
        schema=_SCHEMA,
        response=_response(),
        permission=Permission.CHANGES_READ,
        factory=own_by_any_token(Permission.CHANGES_READ),
    ),
)
