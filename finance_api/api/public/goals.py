"""Goals: GET /v1/api/goals, /v1/api/goals/<id>, /v1/api/export/goals"""

from functools import partial

from pyramid.response import Response

from finance_api.api import parameters
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.freshness import DAY
from finance_api.api.listing import export, get_object, list_page
from finance_api.api.openapi import responses
from finance_api.api.responding import respond, respond_with_export
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import GOALS

goals = Service("api.goals", "/v1/api/goals" + FORMATS, GOALS.meaning)


@goals.get(
    schema=parameters.ListSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(list_page, GOALS),
    response=responses.list_response(GOALS),
    varies_with=(DAY,),
)
def list_goals(request: Request) -> Response:
    return respond(request)


goal = Service("api.goals.one", "/v1/api/goals/" + ID, "Get one goal.")


@goal.get(
    schema=parameters.ObjectSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(get_object, GOALS),
    response=responses.object_response(GOALS),
    varies_with=(DAY,),
)
def get_goal(request: Request) -> Response:
    return respond(request)


goals_export = Service("api.export.goals", "/v1/api/export/goals" + FORMATS, "Export all goals.")


@goals_export.get(
    schema=parameters.ExportSchema(GOALS),
    permission=Permission.GOALS_READ,
    answer=partial(export, GOALS),
    response=responses.export_response(GOALS),
    varies_with=(DAY,),
)
def export_goals(request: Request) -> Response:
    return respond_with_export(request)
