"""GET /v1/api/goals"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import GOALS

goals = Service("public goals", "/v1/api/goals", **public(GOALS, Permission.GOALS_READ))


@goals.get()
def list_goals(request: Request) -> Response:
    return respond(request, ListRequest, GOALS)
