"""Accounts: GET /v1/api/accounts, /v1/api/accounts/<id>, /v1/api/export/accounts"""

from functools import partial

from pyramid.response import Response

from finance_api.api import listing, parameters, responding
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import ACCOUNTS

accounts = Service("api.accounts", "/v1/api/accounts" + FORMATS, ACCOUNTS.meaning)
account = Service("api.accounts.one", "/v1/api/accounts/" + ID, "Get one account.")
accounts_export = Service(
    "api.export.accounts", "/v1/api/export/accounts" + FORMATS, "Export all accounts."
)


@accounts.get(
    schema=parameters.ListSchema(ACCOUNTS),
    permission=Permission.ACCOUNTS_READ,
    answer=partial(listing.list_page, ACCOUNTS),
    response=responses.list_response(ACCOUNTS),
    savable=True,
)
@account.get(
    schema=parameters.ObjectSchema(ACCOUNTS),
    permission=Permission.ACCOUNTS_READ,
    answer=partial(listing.get_object, ACCOUNTS),
    response=responses.object_response(ACCOUNTS),
)
@accounts_export.get(
    schema=parameters.ExportSchema(ACCOUNTS),
    permission=Permission.ACCOUNTS_READ,
    answer=partial(listing.export, ACCOUNTS),
    response=responses.export_response(ACCOUNTS),
    savable=True,
)
def read_accounts(request: Request) -> Response:
    return responding.respond(request)
