"""GET /v1/api/record-rules"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORD_RULES

service = list_service(RECORD_RULES, Permission.RECORD_RULES_READ)
