"""GET /v1/api/record-rules"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORD_RULES

service = public_service(RECORD_RULES, Permission.RECORD_RULES_READ)


@service.get(
    schema=list_schema(RECORD_RULES),
    validators=(validate_query,),
    permission=Permission.RECORD_RULES_READ,
)
def list_record_rules(request: Request) -> Response:
    return list_response(request, RECORD_RULES)
