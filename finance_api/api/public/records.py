"""GET /v1/api/records"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import RECORDS

records = Service("public records", "/v1/api/records", **public(RECORDS, Permission.RECORDS_READ))


@records.get()
def list_records(request: Request) -> Response:
    return respond(request, ListRequest, RECORDS)
