"""GET /v1/api/labels"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import LABELS

service = public_service(LABELS, Permission.LABELS_READ)


@service.get(
    schema=list_schema(LABELS), validators=(validate_query,), permission=Permission.LABELS_READ
)
def list_labels(request: Request) -> Response:
    return list_response(request, LABELS)
