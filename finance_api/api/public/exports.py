"""GET /v1/api/export/<resource>, with .csv and its like, and GET /v1/api/export/all.ndjson"""

from collections.abc import Iterator

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond_with_export
from finance_api.api.exporting import ListExport, WholeExport
from finance_api.api.parameters import ParameterSchema, export_schema
from finance_api.api.public.lists import PERMISSIONS
from finance_api.api.representation import Representation
from finance_api.api.service import FormView, in_every_form, options, public
from finance_api.auth.contexts import all_own_data
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources.field import Resource


def _export_of(resource: Resource) -> FormView:
    def export_rows(request: Request, form: Representation | None) -> Response:
        return respond_with_export(request, ListExport, resource, form)

    return export_rows


def _export_all(request: Request) -> Response:
    return respond_with_export(request, WholeExport)


def _services() -> Iterator[Service]:
    for resource, permission in PERMISSIONS.items():
        meaning = f"All of a list: {resource.meaning}"
        given = public(resource, permission, export_schema(resource), meaning)
        path = f"/v1/api/export/{resource.path}"
        yield from in_every_form(path, _export_of(resource), **given)
    given = options(
        "All of the user's data, in the native format.",
        ParameterSchema(),
        Permission.ALL_READ,
        all_own_data(Permission.ALL_READ),
    )
    service = Service("public export/all", "/v1/api/export/all.ndjson", **given)
    service.add_view("GET", _export_all)
    yield service


SERVICES = tuple(_services())
