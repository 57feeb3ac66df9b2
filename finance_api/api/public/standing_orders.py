"""GET /v1/api/standing-orders"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import STANDING_ORDERS

standing_orders = Service(
    "public standing-orders",
    "/v1/api/standing-orders",
    **public(STANDING_ORDERS, Permission.STANDING_ORDERS_READ),
)


@standing_orders.get()
def list_standing_orders(request: Request) -> Response:
    return respond(request, ListRequest, STANDING_ORDERS)
