"""GET /v1/api/accounts"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import ACCOUNTS

service = list_service(ACCOUNTS, Permission.ACCOUNTS_READ)
