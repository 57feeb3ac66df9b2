"""GET /v1/api/categories"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import CATEGORIES

categories = Service(
    "public categories", "/v1/api/categories", **public(CATEGORIES, Permission.CATEGORIES_READ)
)


@categories.get()
def list_categories(request: Request) -> Response:
    return respond(request, ListRequest, CATEGORIES)
