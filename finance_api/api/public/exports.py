"""GET /v1/api/export/<resource>, with .csv and its like, and GET /v1/api/export/all.ndjson"""

from collections.abc import Iterator

from pyramid.response import Response

from finance_api.api.conditional import respond_with_export
from finance_api.api.exporting import OF_EXPORTS, TRAILER, ListExport, WholeExport
from finance_api.api.openapi.responses import OF_DATA, Header, ResponseDescription
from finance_api.api.parameters import ParameterSchema, export_schema
from finance_api.api.public.lists import PERMISSIONS
from finance_api.api.representation import NDJSON, Representation
from finance_api.api.service import FormView, Service, in_every_form, named, options, public
from finance_api.auth.contexts import all_own_data
from finance_api.auth.issuing import SCOPES
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.naming import snake_case

_HEADERS = (
    *OF_DATA,
    Header(
        "Content-Disposition",
        "The file's name.",
        'attachment; filename="records.ndjson"',
        of_body=True,
    ),
    Header("X-Total-Count", "How many rows follow.", "4711", of_body=True),
)
#: An object of the native format has more members: those of its type.
_NATIVE = (
    Field(name="reserved_model_type", kind=Kind.TEXT, meaning="The type.", example="Label"),
    Field(name="id", kind=Kind.ID, meaning="Identifier.", example=EXAMPLE_ID),
    Field(name="name", kind=Kind.TEXT, meaning="Name.", example="household"),
)


def _export_of(resource: Resource) -> FormView:
    @named(f"export_{snake_case(resource.name)}")
    def export_rows(request: Request, form: Representation | None) -> Response:
        return respond_with_export(request, ListExport, resource, form)

    return export_rows


def export_all(request: Request) -> Response:
    return respond_with_export(request, WholeExport)


def _services() -> Iterator[Service]:
    for resource, permission in PERMISSIONS.items():
        meaning = f"All of a list: {resource.meaning}"
        response = ResponseDescription(forms=OF_EXPORTS, columns=resource.fields, headers=_HEADERS)
        given = public(resource, permission, export_schema(resource), meaning, response)
        path = f"/v1/api/export/{resource.path}"
        yield from in_every_form(path, _export_of(resource), only_in={TRAILER: NDJSON}, **given)
    given = options(
        "All of the user's data, in the native format.",
        ParameterSchema(),
        Permission.ALL_READ,
        all_own_data(Permission.ALL_READ),
        ResponseDescription(forms=(NDJSON,), columns=_NATIVE, headers=_HEADERS),
        SCOPES,
    )
    service = Service("public export/all", "/v1/api/export/all.ndjson", **given)
    service.add_view("GET", export_all)
    yield service


SERVICES = tuple(_services())
