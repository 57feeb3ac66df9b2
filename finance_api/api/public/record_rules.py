"""Record rules: GET /v1/api/record-rules, one of them, and their export"""

from functools import partial

from pyramid.response import Response

from finance_api.api import listing, parameters, responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import RECORD_RULES

record_rules = Service("api.record-rules", "/v1/api/record-rules" + FORMATS, RECORD_RULES.meaning)
record_rule = Service("api.record-rules.one", "/v1/api/record-rules/" + ID, "Get one record rule.")
record_rules_export = Service(
    "api.export.record-rules", "/v1/api/export/record-rules" + FORMATS, "Export all record rules."
)


@record_rules.get(
    schema=parameters.ListSchema(RECORD_RULES),
    permission=Permission.RECORD_RULES_READ,
    answer=partial(listing.list_page, RECORD_RULES),
    response=responses.list_response(RECORD_RULES),
)
@record_rule.get(
    schema=parameters.ObjectSchema(RECORD_RULES),
    permission=Permission.RECORD_RULES_READ,
    answer=partial(listing.get_object, RECORD_RULES),
    response=responses.object_response(RECORD_RULES),
)
@record_rules_export.get(
    schema=parameters.ExportSchema(RECORD_RULES),
    permission=Permission.RECORD_RULES_READ,
    answer=partial(listing.export, RECORD_RULES),
    response=responses.export_response(RECORD_RULES),
    savable=True,
)
def read_record_rules(request: Request) -> Response:
    return responding.respond(request)
