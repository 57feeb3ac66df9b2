"""GET /v1/api/categories"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import CATEGORIES

service = public_service(CATEGORIES, Permission.CATEGORIES_READ)


@service.get(
    schema=list_schema(CATEGORIES),
    validators=(validate_query,),
    permission=Permission.CATEGORIES_READ,
)
def list_categories(request: Request) -> Response:
    return list_response(request, CATEGORIES)
