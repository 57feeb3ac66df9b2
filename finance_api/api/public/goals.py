"""Goals: GET /v1/api/goals, /v1/api/goals/<id>, /v1/api/export/goals"""

from functools import partial

from pyramid.response import Response

from finance_api.api import listing, parameters, responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import GOALS

goals = Service("api.goals", "/v1/api/goals" + FORMATS, GOALS.meaning)
goal = Service("api.goals.one", "/v1/api/goals/" + ID, "Get one goal.")
goals_export = Service("api.export.goals", "/v1/api/export/goals" + FORMATS, "Export all goals.")


@goals.get(
    schema=parameters.ListSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(listing.list_page, GOALS),
    response=responses.list_response(GOALS),
    savable=True,
)
@goal.get(
    schema=parameters.ObjectSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(listing.get_object, GOALS),
    response=responses.object_response(GOALS),
)
@goals_export.get(
    schema=parameters.ExportSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(listing.export, GOALS),
    response=responses.export_response(GOALS),
    savable=True,
)
def read_goals(request: Request) -> Response:
    return responding.respond(request)
