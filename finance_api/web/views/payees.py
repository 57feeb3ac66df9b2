"""Payees, of which several can be given one name."""

from collections import defaultdict
from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.payees import MERGE, merge_payees
from finance_api.query.errors import QueryError
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, condition_on
from finance_api.query.operators import Operator
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.resources.field import names_of
from finance_api.storage.interface import TooManySums
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.routes import get, post

#: The page counts the records of up to this many payees.
_MOST = 20_000
_NAMED = condition_on(RECORDS, "payee", Operator.NOT_NULL)
#: Without a condition on the payee, SQLite reads the records in the order of the table, once.
_RENAMED = condition_on(RECORDS, "originalPayee", Operator.NOT_NULL)
_BLANK = dict.fromkeys(names_of(RECORDS.fields))


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
    words: tuple[Condition, ...] = ()
    try:
        words = parse_words(text) if text.strip() else ()
    except QueryError as error:
        errors = {**errors, "q": pages.sentence(error)}
    found = _counted(request, words)
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


def _counted(request: Request, words: tuple[Condition, ...]) -> list[tuple[str, int]] | None:
    """Return the payees with these words in their names or in their original ones, each with its
    number of records, most records first; None if there are too many.
    """
    # If there are too many payees, the storage searches for the words in all texts first.
    for searched in dict.fromkeys([(), words]):
        try:
            counts = _numbers(request, ["payee"], _NAMED, *searched)
            renamed = ["originalPayee", "payee"]
            named = _numbers(request, renamed, _RENAMED, *searched) if words else {}
        except TooManySums:
            continue
        originals = defaultdict(list)
        for original, payee in named:
            originals[payee].append(original)
        found = [
            (payee, number)
            for (payee,), number in counts.items()
            if matches({**_BLANK, "payee": (payee, *originals[payee])}, words)
        ]
        return sorted(found, key=lambda each: (-each[1], each[0]))
    return None


def _numbers(
    request: Request, names: list[str], *conditions: Condition
) -> dict[tuple[str, ...], int]:
    sums = request.storage.data.sum_by(
        request.user.id, names, conditions, with_void=True, most=_MOST
    )
    return {key: found.number for key, found in sums.items()}
