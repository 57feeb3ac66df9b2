"""Categories: GET /v1/api/categories, /v1/api/categories/<id>, /v1/api/export/categories"""

from functools import partial

from pyramid.response import Response

from finance_api.api import parameters
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.freshness import NOTHING
from finance_api.api.listing import export, get_object, list_page
from finance_api.api.openapi import responses
from finance_api.api.responding import respond, respond_with_export
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import CATEGORIES

categories = Service("api.categories", "/v1/api/categories" + FORMATS, CATEGORIES.meaning)


@categories.get(
    schema=parameters.ListSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(list_page, CATEGORIES),
    response=responses.list_response(CATEGORIES),
    varies_with=NOTHING,
)
def list_categories(request: Request) -> Response:
    return respond(request)


category = Service("api.categories.one", "/v1/api/categories/" + ID, "Get one category.")


@category.get(
    schema=parameters.ObjectSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(get_object, CATEGORIES),
    response=responses.object_response(CATEGORIES),
    varies_with=NOTHING,
)
def get_category(request: Request) -> Response:
    return respond(request)


categories_export = Service(
    "api.export.categories", "/v1/api/export/categories" + FORMATS, "Export all categories."
)


@categories_export.get(
    schema=parameters.ExportSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(export, CATEGORIES),
    response=responses.export_response(CATEGORIES),
    varies_with=NOTHING,
)
def export_categories(request: Request) -> Response:
    return respond_with_export(request)
