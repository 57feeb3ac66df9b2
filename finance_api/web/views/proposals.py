"""Proposed pairs of records: transfers to confirm or dismiss, and duplicates to settle."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits import duplicates, transfers
from finance_api.ledger.edits.proposals import search_all
from finance_api.storage.interface import Proposed
from finance_api.web import page as pages
from finance_api.web.routes import get, post
from finance_api.web.sentences import KEEP_BOTH

#: The pages by the names of their routes, each with its title and what reads its pairs.
_PAGES = {
    "transfers": (Proposed.TRANSFER, "Transfers to confirm", transfers.list_proposals),
    "duplicates": (Proposed.DUPLICATE, "Likely duplicates", duplicates.list_duplicates),
}
#: The buttons of the forms, each with its name in the history and what it does.
_CHANGES = {
    "confirm": ("transfers link", transfers.confirm_transfers),
    "dismiss": ("transfers dismiss", transfers.dismiss_transfers),
    "earlier": ("duplicates void", duplicates.void_earlier),
    "later": ("duplicates void", duplicates.void_later),
    "keep": (KEEP_BOTH, duplicates.keep_both),
}


@get("transfers", Permission.DATA_READ, "transfers")
@get("duplicates", Permission.DATA_READ, "duplicates")
def list_pairs(request: Request) -> dict[str, Any]:
    return _page(request, {})


def _page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    name = request.matched_route.name
    kind, title, read = _PAGES[name]
    owned, offset = pages.own_rows(request), pages.offset_of(request)
    total = request.storage.ledger.count_proposals(request.user.id, kind)
    return pages.page(
        name,
        title,
        proposals=read(owned, limit=pages.PAGE_ROWS, offset=offset),
        is_by_hand=duplicates.is_by_hand,
        pager=pages.Pager.of(request, total),
        chosen=frozenset(request.sent_texts("pair")) if errors else frozenset(),
        errors=errors,
    )


@post("transfers", Permission.DATA_WRITE, "transfers")
@post("duplicates", Permission.DATA_WRITE, "duplicates")
def change_pairs(request: Request) -> Response | dict[str, Any]:
    name, action = request.matched_route.name, request.sent_text("do")
    if action == "find":
        with pages.editing(request, f"{name} find") as session:
            search_all(session, _PAGES[name][0])
        return pages.done(request.path, "searched")
    pairs = [text.partition(" ")[::2] for text in request.sent_texts("pair")]
    if not pairs or action not in _CHANGES:
        return pages.refused(request, _page(request, {"pair": "Choose one or more pairs."}))
    entry, change = _CHANGES[action]
    try:
        with pages.editing(request, entry) as session:
            change(session, pairs)
    except ChangeRefused as error:
        return pages.refused(request, _page(request, {"pair": pages.sentence(error)}))
    return pages.changed(session, request.path)
