"""Transfers that wait to be confirmed."""

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.transfers import (
    confirm_transfers,
    dismiss_transfers,
    find_transfers,
    list_proposals,
)
from finance_api.web.page import (
    done,
    editing,
    form_text,
    form_texts,
    identity_of,
    own_rows,
    page,
    sentence,
)
from finance_api.web.paging import PAGE_ROWS, Pager, offset_of

_CHANGES = {
    "confirm": ("transfers link", confirm_transfers, "transfers-linked"),
    "dismiss": ("transfers dismiss", dismiss_transfers, "transfers-refused"),
}


@view_config(
    route_name="transfers",
    request_method="GET",
    renderer="transfers.jinja2",
    permission=Permission.DATA_READ,
)
def list_transfers(request: Request) -> dict[str, Any]:
    return _page(request, {})


def _page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    total = request.storage.transfers.count(identity_of(request).user.id)
    return page(
        "transfers",
        "Transfers to confirm",
        proposals=list_proposals(own_rows(request), limit=PAGE_ROWS, offset=offset_of(request)),
        pager=Pager.of(request, total),
        chosen=frozenset(form_texts(request, "pair")) if errors else frozenset(),
        errors=errors,
    )


@view_config(
    route_name="transfers",
    request_method="POST",
    renderer="transfers.jinja2",
    permission=Permission.DATA_WRITE,
)
def change_transfers(request: Request) -> Response | dict[str, Any]:
    action = form_text(request, "do")
    if action == "find":
        with editing(request, "transfers find") as session:
            find_transfers(session)
        return done("/transfers", "transfers-found")
    name, change, notice = _CHANGES["confirm" if action == "confirm" else "dismiss"]
    pairs = [text.partition(" ")[::2] for text in form_texts(request, "pair")]
    if not pairs:
        errors = {"pair": "Choose one or more transfers."}
    else:
        try:
            with editing(request, name) as session:
                change(session, pairs)
            return done("/transfers", notice)
        except ChangeRefused as error:
            errors = {"pair": sentence(error)}
    request.response.status_int = 400
    return _page(request, errors)
