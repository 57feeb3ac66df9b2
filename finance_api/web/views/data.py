"""The user's data: accounts, and the export."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.permissions import Permission
from finance_api.ledger.dump import dump_lines
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.requests import Request
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import Storage, StorageBackend, data_state_of
from finance_api.values import Row
from finance_api.values.time import date_text
from finance_api.web.page import data_state, identity_of, page

_MOST_ACCOUNTS = 1_000
_LINES_AT_ONCE = 500


def account_rows(request: Request) -> list[Row]:
    """The user's accounts by name, archived ones last."""
    query = Query(ACCOUNTS, (), parse_sort(ACCOUNTS, "+archived,+name"), limit=_MOST_ACCOUNTS)
    rows: list[Row] = request.storage.data.list_rows(identity_of(request).user.id, query).rows
    return rows


@view_config(
    route_name="settings.data",
    request_method="GET",
    renderer="data.jinja2",
    permission=Permission.SETTINGS_DATA_READ,
)
def show_data(request: Request) -> dict[str, Any]:
    user_id = identity_of(request).user.id
    accounts = account_rows(request)
    newest = request.storage.data.list_rows(
        user_id, Query(RECORDS, (), parse_sort(RECORDS, RECORDS.default_sort), limit=1)
    ).rows
    return page(
        "data",
        "Your data",
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
    route_name="settings.download",
    request_method="GET",
    permission=Permission.SETTINGS_DATA_READ,
)
def download(request: Request) -> Response:
    """All of the user's data in the native format, as ``finance-api dump`` writes it."""
    user_id = identity_of(request).user.id
    # A 503 while the status can still be sent.
    data_state_of(request.storage, user_id)
    name = f"finance-data-{date_text(request.services.clock.now())}.ndjson"
    response = Response(
        app_iter=_Dump(request.services.storage, user_id),
        content_type="application/x-ndjson",
        charset=None,
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class _Dump:
    """The lines, read while they are sent: in a unit of work of their own, because the request's
    has ended by then."""

    def __init__(self, backend: StorageBackend, user_id: int) -> None:
        self._backend = backend
        self._user_id = user_id
        self._storage: Storage | None = None

    def __iter__(self) -> Iterator[bytes]:
        self._storage = self._backend.read()
        lines = dump_lines(self._storage, self._user_id)
        while chunk := b"".join(islice(lines, _LINES_AT_ONCE)):
            yield chunk

    def close(self) -> None:
        """Called by the server in any case, also if the client has disconnected."""
        if self._storage is not None:
            self._storage.close()
