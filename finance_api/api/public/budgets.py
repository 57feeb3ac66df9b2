"""GET /v1/api/budgets"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import BUDGETS

service = public_service(BUDGETS, Permission.BUDGETS_READ)


@service.get(
    schema=list_schema(BUDGETS), validators=(validate_query,), permission=Permission.BUDGETS_READ
)
def list_budgets(request: Request) -> Response:
    return list_response(request, BUDGETS)
