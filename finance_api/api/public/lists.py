"""The lists: GET /v1/api/<resource>, /v1/api/<resource>/<id>, /v1/api/export/<resource>.

Lists and exports take a suffix such as .csv. Also /v1/api/records/by-id, /v1/api/export/all.ndjson
"""

from collections.abc import Iterator

from finance_api.api import parameters
from finance_api.api.data_request import respond_with_export
from finance_api.api.listing import (
    OF_EXPORTS,
    ListExport,
    ListRequest,
    ObjectRequest,
    RecordsByIdRequest,
    WholeExport,
)
from finance_api.api.openapi.responses import (
    OF_DATA,
    Header,
    ResponseDescription,
    list_response,
    row_schema,
)
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.representation import NDJSON
from finance_api.api.service import PERMISSIONS, Service, data_service, of_resource
from finance_api.auth.personal_tokens import DATA_SCOPES
from finance_api.auth.policy import Permission, all_own_data
from finance_api.resources import BUDGETS, RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Kind
from finance_api.values.ids import FORM

_OF_EXPORTS = (
    *OF_DATA,
    Header(
        "Content-Disposition",
        "Name of the file.",
        'attachment; filename="records.ndjson"',
        of_body=True,
    ),
    Header("X-Total-Count", "Number of rows in the response.", "4711", of_body=True),
)
#: The lists that a saved question can use.
_SAVABLE = (RECORDS, BUDGETS)
#: The members that every object of the native format has; each type has more.
_NATIVE = (
    Field(name="reserved_model_type", kind=Kind.TEXT, meaning="The type.", example="Label"),
    Field(name="id", kind=Kind.ID, meaning="Identifier.", example=EXAMPLE_ID),
    Field(name="name", kind=Kind.TEXT, meaning="Name.", example="household"),
)
_BY_ID = ResponseDescription(
    of_members(
        "RecordsById",
        {
            RECORDS.name: array_of(row_schema(RECORDS)),
            "count": value("Number of records found.", 1),
            "missingIds": {
                **array_of({"type": "string", "format": "uuid"}),
                "description": "Ids without a record.",
                "examples": [[EXAMPLE_ID]],
            },
        },
    )
)


def _services() -> Iterator[Service]:
    for resource in PERMISSIONS:
        path, plural = f"/v1/api/{resource.path}", str(resource.path).replace("-", " ")
        declared = of_resource(resource, parameters.list_schema(resource), list_response(resource))
        savable = resource in _SAVABLE
        yield data_service(path, ListRequest, resource, is_savable=savable, **declared)
        problems = (410,) if resource is RECORDS else ()
        response = ResponseDescription(row_schema(resource), problems=problems)
        declared = of_resource(
            resource, parameters.object_schema(resource), response, f"Get one {resource.word}."
        )
        yield data_service(f"{path}/{{id:{FORM}}}", ObjectRequest, resource, **declared)
        path = f"/v1/api/export/{resource.path}"
        response = ResponseDescription(
            forms=OF_EXPORTS, columns=resource.fields, headers=_OF_EXPORTS
        )
        declared = of_resource(
            resource, parameters.export_schema(resource), response, f"Export all {plural}."
        )
        yield data_service(path, ListExport, resource, responder=respond_with_export, **declared)


SERVICES = (
    *_services(),
    data_service(
        "/v1/api/records/by-id",
        RecordsByIdRequest,
        **of_resource(RECORDS, parameters.ids_schema(RECORDS), _BY_ID, "Records by their ids."),
    ),
    data_service(
        "/v1/api/export/all.ndjson",
        WholeExport,
        responder=respond_with_export,
        description="All of the user's data, in the native format.",
        schema=parameters.ParameterSchema(),
        response=ResponseDescription(forms=(NDJSON,), columns=_NATIVE, headers=_OF_EXPORTS),
        scopes=DATA_SCOPES,
        permission=Permission.ALL_READ,
        factory=all_own_data(Permission.ALL_READ),
    ),
)
