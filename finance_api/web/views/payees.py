"""Payees, of which several can be given one name."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.payees import MERGE, merge_payees
from finance_api.query.errors import QueryError
from finance_api.query.model import Condition, condition_on
from finance_api.query.operators import Operator
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.storage.interface import TooManySums
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.routes import get, post

#: The page counts the records of up to this many payees.
_MOST = 20_000
_NAMED = condition_on(RECORDS, "payee", Operator.NOT_NULL)


@get("payees", Permission.DATA_READ, "payees")
def list_payees(request: Request) -> dict[str, Any]:
    return _page(request, {})


@post("payees", Permission.DATA_WRITE, "payees")
def merge(request: Request) -> Response | dict[str, Any]:
    names, into = request.sent_texts("payee"), request.sent_text("into")
    with forms.form_errors() as errors, pages.editing(request, MERGE) as session:
        if not names:
            raise forms.FormFaults({"payee": "Choose one or more payees."})
        if not into.strip():
            raise forms.FormFaults({"into": "Enter the name that they all get."})
        merge_payees(session, names, into)
    if errors:
        return pages.refused(request, _page(request, errors))
    return pages.changed(session, pages.here(request))


def _page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    text = request.GET.get("q", "")
    conditions: tuple[Condition, ...] = (_NAMED,)
    try:
        conditions += parse_words(text) if text.strip() else ()
    except QueryError as error:
        errors = {**errors, "q": pages.sentence(error)}
    found = _counted(request, conditions)
    pager = pages.Pager.of(request, len(found or ()))
    shown = (found or [])[pager.offset : pager.last]
    return pages.page(
        "rules",
        "Payees",
        here=pages.here(request),
        payees=shown,
        is_too_much=found is None,
        pager=pager,
        q=text,
        into=request.sent_text("into") if errors else "",
        chosen=frozenset(request.sent_texts("payee")) if errors else frozenset(),
        errors=errors,
    )


def _counted(request: Request, conditions: tuple[Condition, ...]) -> list[tuple[str, int]] | None:
    """Return payees, each with its number of records, most records first; None if too many."""
    try:
        sums = request.storage.data.sum_by(
            request.user.id, ["payee"], conditions, with_void=True, most=_MOST
        )
    except TooManySums:
        return None
    counts = [(payee, found.number) for (payee,), found in sums.items()]
    return sorted(counts, key=lambda each: (-each[1], each[0]))
