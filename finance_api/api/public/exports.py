"""The export of all data: GET /v1/api/export/all.ndjson"""

from pyramid.response import Response

from finance_api.api import freshness, responding, validation
from finance_api.api.endpoint import Service
from finance_api.api.openapi.responses import EXPORT_HEADERS, ResponseDescription
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.dump import count_dumped, dump
from finance_api.planning.answers import Export, Reading
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Kind
from finance_api.serialization.formats import NDJSON

#: The members that every object of the native format has; each type has more.
_NATIVE = (
    Field(name="reserved_model_type", kind=Kind.TEXT, meaning="The type.", example="Label"),
    Field(name="id", kind=Kind.ID, meaning="Identifier.", example=EXAMPLE_ID),
    Field(name="name", kind=Kind.TEXT, meaning="Name.", example="household"),
)

everything = Service(
    "api.export.all", "/v1/api/export/all.ndjson", "All of the user's data, in the native format."
)


def all_data(reading: Reading, values: validation.Parameters) -> Export:
    """Begin an export of all the user's data, as `finance-api dump` writes it."""
    storage, user_id = reading.storage, reading.user_id
    return Export(
        state=reading.get_state(),
        count=count_dumped(storage, user_id),
        name="finance-data",
        pages=dump(storage, user_id),
    )


@everything.get(
    schema=validation.ParameterSchema(),
    permission=Permission.ALL_READ,
    answer=all_data,
    response=ResponseDescription(
        forms=(NDJSON,), columns=_NATIVE, headers=EXPORT_HEADERS, problems=(416,)
    ),
    varies_with=freshness.NOTHING,
)
def export_all(request: Request) -> Response:
    return responding.respond(request)
