"""Categories: GET /v1/api/categories, /v1/api/categories/<id>, /v1/api/export/categories"""

from functools import partial

from pyramid.response import Response

from finance_api.api import listing, parameters, responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import CATEGORIES

categories = Service("api.categories", "/v1/api/categories" + FORMATS, CATEGORIES.meaning)
category = Service("api.categories.one", "/v1/api/categories/" + ID, "Get one category.")
categories_export = Service(
    "api.export.categories", "/v1/api/export/categories" + FORMATS, "Export all categories."
)


@categories.get(
    schema=parameters.ListSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(listing.list_page, CATEGORIES),
    response=responses.list_response(CATEGORIES),
)
@category.get(
    schema=parameters.ObjectSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(listing.get_object, CATEGORIES),
    response=responses.object_response(CATEGORIES),
)
@categories_export.get(
    schema=parameters.ExportSchema(CATEGORIES),
    permission=Permission.CATEGORIES_READ,
    answer=partial(listing.export, CATEGORIES),
    response=responses.export_response(CATEGORIES),
    savable=True,
)
def read_categories(request: Request) -> Response:
    return responding.respond(request)
