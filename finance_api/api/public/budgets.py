"""GET /v1/api/budgets"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import BUDGETS

budgets = Service("public budgets", "/v1/api/budgets", **public(BUDGETS, Permission.BUDGETS_READ))


@budgets.get()
def list_budgets(request: Request) -> Response:
    return respond(request, ListRequest, BUDGETS)
