"""GET /v1/api/goals"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import GOALS

service = public_service(GOALS, Permission.GOALS_READ)


@service.get(
    schema=list_schema(GOALS), validators=(validate_query,), permission=Permission.GOALS_READ
)
def list_goals(request: Request) -> Response:
    return list_response(request, GOALS)
