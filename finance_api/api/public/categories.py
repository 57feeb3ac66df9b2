"""GET /v1/api/categories"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import CATEGORIES

service = list_service(CATEGORIES, Permission.CATEGORIES_READ)
