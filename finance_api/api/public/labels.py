"""GET /v1/api/labels"""

from finance_api.api.service import list_service
from finance_api.auth.permissions import Permission
from finance_api.resources import LABELS

service = list_service(LABELS, Permission.LABELS_READ)
