"""Proposed transfers, to be confirmed or dismissed."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits import transfers
from finance_api.web import page as pages
from finance_api.web.routes import get, post

_CHANGES = {
    "confirm": ("transfers link", transfers.confirm_transfers),
    "dismiss": ("transfers dismiss", transfers.dismiss_transfers),
}


@get("transfers", Permission.DATA_READ, "transfers")
def list_transfers(request: Request) -> dict[str, Any]:
    return _page(request, {})


def _page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    total = request.storage.ledger.count_proposals(request.user.id)
    return pages.page(
        "transfers",
        "Transfers to confirm",
        proposals=transfers.list_proposals(
            pages.own_rows(request), limit=pages.PAGE_ROWS, offset=pages.offset_of(request)
        ),
        pager=pages.Pager.of(request, total),
        chosen=frozenset(request.sent_texts("pair")) if errors else frozenset(),
        errors=errors,
    )


@post("transfers", Permission.DATA_WRITE, "transfers")
def change_transfers(request: Request) -> Response | dict[str, Any]:
    action = request.sent_text("do")
    if action == "find":
        with pages.editing(request, "transfers find") as session:
            transfers.find_transfers(session)
        return pages.done("/transfers", "transfers-found")
    name, change = _CHANGES["confirm" if action == "confirm" else "dismiss"]
    pairs = [text.partition(" ")[::2] for text in request.sent_texts("pair")]
    if not pairs:
        return pages.refused(request, _page(request, {"pair": "Choose one or more transfers."}))
    try:
        with pages.editing(request, name) as session:
            change(session, pairs)
    except ChangeRefused as error:
        return pages.refused(request, _page(request, {"pair": pages.sentence(error)}))
    return pages.changed(session, "/transfers")
