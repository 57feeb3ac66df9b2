"""Labels: GET /v1/api/labels, /v1/api/labels/<id>, /v1/api/export/labels"""

from functools import partial

from pyramid.response import Response

from finance_api.api import listing, parameters, responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import LABELS

labels = Service("api.labels", "/v1/api/labels" + FORMATS, LABELS.meaning)
label = Service("api.labels.one", "/v1/api/labels/" + ID, "Get one label.")
labels_export = Service(
    "api.export.labels", "/v1/api/export/labels" + FORMATS, "Export all labels."
)


@labels.get(
    schema=parameters.ListSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(listing.list_page, LABELS),
    response=responses.list_response(LABELS),
)
@label.get(
    schema=parameters.ObjectSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(listing.get_object, LABELS),
    response=responses.object_response(LABELS),
)
@labels_export.get(
    schema=parameters.ExportSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(listing.export, LABELS),
    response=responses.export_response(LABELS),
    savable=True,
)
def read_labels(request: Request) -> Response:
    return responding.respond(request)
