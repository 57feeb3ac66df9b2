"""GET /v1/api/record-rules"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import RECORD_RULES

record_rules = Service(
    "public record-rules",
    "/v1/api/record-rules",
    **public(RECORD_RULES, Permission.RECORD_RULES_READ),
)


@record_rules.get()
def list_record_rules(request: Request) -> Response:
    return respond(request, ListRequest, RECORD_RULES)
