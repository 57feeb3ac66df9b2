"""GET /v1/api/standing-orders"""

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.listing import list_response
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.service import public_service
from finance_api.auth.permissions import Permission
from finance_api.resources import STANDING_ORDERS

service = public_service(STANDING_ORDERS, Permission.STANDING_ORDERS_READ)


@service.get(
    schema=list_schema(STANDING_ORDERS),
    validators=(validate_query,),
    permission=Permission.STANDING_ORDERS_READ,
)
def list_standing_orders(request: Request) -> Response:
    return list_response(request, STANDING_ORDERS)
