"""The accounts, and the export of all data."""

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.permissions import Permission
from finance_api.compression import GZIP, gzip_chunks, takes_gzip
from finance_api.downloads import Chunks, download
from finance_api.ledger.dump import dump
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.requests import Request
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import Storage, data_state_of
from finance_api.values import Row
from finance_api.values.time import date_text
from finance_api.web.page import data_state, identity_of, page

_MOST_ACCOUNTS = 1_000


def account_rows(request: Request) -> list[Row]:
    """The user's accounts by name, archived ones last."""
    query = Query(ACCOUNTS, (), parse_sort(ACCOUNTS, "+archived,+name"), limit=_MOST_ACCOUNTS)
    rows: list[Row] = request.storage.data.list_rows(identity_of(request).user.id, query).rows
    return rows


@view_config(
    route_name="accounts",
    request_method="GET",
    renderer="accounts.jinja2",
    permission=Permission.DATA_READ,
)
def show_accounts(request: Request) -> dict[str, Any]:
    user_id = identity_of(request).user.id
    accounts = account_rows(request)
    newest = request.storage.data.list_rows(
        user_id, Query(RECORDS, (), parse_sort(RECORDS, RECORDS.default_sort), limit=1)
    ).rows
    return page(
        "accounts",
        "Accounts",
        accounts=[
            {
                "name": account["name"],
                "currency": account["currencyCode"],
                "balance": account["balance"],
                "record_count": account["recordCount"],
                "archived": account["archived"],
            }
            for account in accounts
        ],
        record_count=sum(account["recordCount"] for account in accounts),
        newest=newest[0]["recordDate"] if newest else None,
        **data_state(request),
    )


@view_config(
    route_name="export",
    request_method="GET",
    permission=Permission.DATA_READ,
)
def export(request: Request) -> Response:
    """All of the user's data in the native format, as ``finance-api dump`` writes it."""
    user_id = identity_of(request).user.id
    name = f"finance-data-{date_text(request.services.clock.now())}.ndjson"

    def begin(storage: Storage) -> tuple[Response, Chunks]:
        response = Response(content_type="application/x-ndjson", charset=None)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        response.headers["Vary"] = "Accept-Encoding"
        data_state_of(storage, user_id)
        chunks = dump(storage, user_id)
        if not takes_gzip(request.environ.get("HTTP_ACCEPT_ENCODING")):
            return response, chunks
        response.headers["Content-Encoding"] = GZIP
        return response, gzip_chunks(chunks)

    return download(request, user_id, begin)
