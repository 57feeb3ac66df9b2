"""GET /v1/api/records"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORDS

service = public_service(RECORDS, Permission.RECORDS_READ)


@service.get(
    schema=list_schema(RECORDS), validators=(validate_query,), permission=Permission.RECORDS_READ
)
def list_records(request: Request) -> Response:
    return list_response(request, RECORDS)
