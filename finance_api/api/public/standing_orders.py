"""GET /v1/api/standing-orders"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import STANDING_ORDERS

service = list_service(STANDING_ORDERS, Permission.STANDING_ORDERS_READ)
