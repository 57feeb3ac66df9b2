"""GET /v1/api/records/by-id"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.conditional import Freshness
from finance_api.api.parameters import ids_schema, validate_query
from finance_api.api.representation import JSON, encoder_of, json_response, negotiate
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORDS

service = public_service(
    RECORDS,
    Permission.RECORDS_READ,
    below="/by-id",
    description="Particular records by their ids.",
)


@service.get(schema=ids_schema(), validators=(validate_query,), permission=Permission.RECORDS_READ)
def get_records(request: Request) -> Response:
    """The records in the order asked for, each once; what is not the user's is missing."""
    negotiate(request, (JSON,))
    ids = list(dict.fromkeys(request.validated["id"]))
    user_id = request.context.user_id
    freshness = Freshness(
        request,
        request.storage.get_data_state(user_id),
        JSON.media_type,
        "records/by-id\0" + ",".join(ids),
    )
    if freshness.is_known_to_client:
        return freshness.not_modified()
    found = request.storage.get_rows(user_id, RECORDS, ids)
    document = encoder_of(RECORDS).document
    records = [document(found[record_id]) for record_id in ids if record_id in found]
    return freshness.mark(
        json_response(
            {
                "records": records,
                "count": len(records),
                "missingIds": [record_id for record_id in ids if record_id not in found],
            }
        )
    )
