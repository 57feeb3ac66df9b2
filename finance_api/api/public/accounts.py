"""GET /v1/api/accounts"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import ACCOUNTS

service = public_service(ACCOUNTS, Permission.ACCOUNTS_READ)


@service.get(
    schema=list_schema(ACCOUNTS), validators=(validate_query,), permission=Permission.ACCOUNTS_READ
)
def list_accounts(request: Request) -> Response:
    return list_response(request, ACCOUNTS)
