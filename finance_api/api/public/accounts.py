"""GET /v1/api/accounts"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import ACCOUNTS

accounts = Service(
    "public accounts", "/v1/api/accounts", **public(ACCOUNTS, Permission.ACCOUNTS_READ)
)


@accounts.get()
def list_accounts(request: Request) -> Response:
    return respond(request, ListRequest, ACCOUNTS)
