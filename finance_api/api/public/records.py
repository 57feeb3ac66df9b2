"""GET /v1/api/records"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import RECORDS

service = list_service(RECORDS, Permission.RECORDS_READ)
