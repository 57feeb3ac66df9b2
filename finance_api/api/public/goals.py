"""GET /v1/api/goals"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import GOALS

service = list_service(GOALS, Permission.GOALS_READ)
