"""Labels: GET /v1/api/labels, /v1/api/labels/<id>, /v1/api/export/labels"""

from functools import partial

from pyramid.response import Response

from finance_api.api import parameters
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.freshness import NOTHING
from finance_api.api.listing import export, get_object, list_page
from finance_api.api.openapi import responses
from finance_api.api.responding import respond, respond_with_export
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import LABELS

labels = Service("api.labels", "/v1/api/labels" + FORMATS, LABELS.meaning)


@labels.get(
    schema=parameters.ListSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(list_page, LABELS),
    response=responses.list_response(LABELS),
    varies_with=NOTHING,
)
def list_labels(request: Request) -> Response:
    return respond(request)


label = Service("api.labels.one", "/v1/api/labels/" + ID, "Get one label.")


@label.get(
    schema=parameters.ObjectSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(get_object, LABELS),
    response=responses.object_response(LABELS),
    varies_with=NOTHING,
)
def get_label(request: Request) -> Response:
    return respond(request)


labels_export = Service(
    "api.export.labels", "/v1/api/export/labels" + FORMATS, "Export all labels."
)


@labels_export.get(
    schema=parameters.ExportSchema(LABELS),
    permission=Permission.LABELS_READ,
    answer=partial(export, LABELS),
    response=responses.export_response(LABELS),
    varies_with=NOTHING,
)
def export_labels(request: Request) -> Response:
    return respond_with_export(request)
