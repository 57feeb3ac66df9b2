"""GET /v1/api/labels"""

from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import LABELS

labels = Service("public labels", "/v1/api/labels", **public(LABELS, Permission.LABELS_READ))


@labels.get()
def list_labels(request: Request) -> Response:
    return respond(request, ListRequest, LABELS)
