"""GET /v1/api/budgets"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import BUDGETS

service = list_service(BUDGETS, Permission.BUDGETS_READ)
