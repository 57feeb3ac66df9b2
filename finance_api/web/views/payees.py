"""Payees: the figures of one; several can be given one name, and the largest ones categories."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.payees import MERGE, merge_payees
from finance_api.ledger.edits.rules import TO_CATEGORISE, PayeesRefused, categorise_payees
from finance_api.query.errors import MAX_OPERAND_CHARACTERS, QueryError
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, any_of, condition_on
from finance_api.query.operators import Operator
from finance_api.query.words import parse_words
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.resources.field import names_of
from finance_api.storage.interface import TooManySums
from finance_api.values.text import fold
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.api_requests import ApiAnswers
from finance_api.web.development import PayeeDetail
from finance_api.web.kept_forms import kept_form
from finance_api.web.routes import get, post

#: The page counts the records of up to this many payees.
_MOST = 20_000
_NAMED = condition_on(RECORDS, "payee", Operator.NOT_NULL)
#: Without a condition on the payee, SQLite reads the records in the order of the table, once.
_RENAMED = condition_on(RECORDS, "originalPayee", Operator.NOT_NULL)
#: So many of the largest payees are offered a category at once.
_LARGEST = 10
_BLANK = dict.fromkeys(names_of(RECORDS.fields))


@get("payee", Permission.DATA_READ, "payee")
def show_payee(request: Request) -> dict[str, Any]:
    return _payee_page(request, {})


def _payee_page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    payee, sent = request.GET.get("name", ""), kept_form(request) or request.POST
    row, owned = {"id": payee, "name": payee}, pages.own_rows(request)
    answers = ApiAnswers(request)
    detail = PayeeDetail(answers, owned, row, request.region)
    if not payee:
        raise HTTPNotFound()
    # The API cannot be asked about such a payee.
    is_long = len(payee) > MAX_OPERAND_CHARACTERS
    named = owned.pages(RECORDS, any_of("payee", [payee]), size=1) if is_long else ()
    return pages.page(
        "records",
        payee,
        detail=detail,
        has_records=any(named) if is_long else bool(detail.records),
        most=MAX_OPERAND_CHARACTERS if is_long else None,
        api=answers.shown,
        into=sent.get("into", payee),
        errors=errors,
    )


@get("payees", Permission.DATA_READ, "payees")
def list_payees(request: Request) -> dict[str, Any]:
    return _page(request, {})


@post("payee", Permission.DATA_WRITE, "payee")
@post("payees", Permission.DATA_WRITE, "payees")
def merge(request: Request) -> Response | dict[str, Any]:
    """Give the chosen payees one name: those of the list, or the one of a payee's page."""
    names, into = request.sent_texts("payee"), request.sent_text("into")
    is_list = request.matched_route.name == "payees"
    with forms.form_errors() as errors, pages.editing(request, MERGE) as session:
        if not names:
            raise forms.FormFaults({"payee": "Choose one or more payees."})
        if not into.strip():
            raise forms.FormFaults({"into": "Enter the name that they all get."})
        merge_payees(session, names, into)
    if errors:
        show = _page if is_list else _payee_page
        return pages.refused(request, show(request, errors))
    renamed = pages.onward(request, f"/payee?{urlencode({'name': into.strip()})}")
    return pages.changed(session, pages.here(request) if is_list else renamed)


def _page(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    text = request.GET.get("q", "")
    words: tuple[Condition, ...] = ()
    try:
        words = parse_words(text) if text.strip() else ()
    except QueryError as error:
        errors = {**errors, "q": pages.sentence(error)}
    found = _counted(request, words)
    pager, sent = pages.Pager.of(request, len(found or ())), kept_form(request) or request.POST
    return pages.page(
        "rules",
        "Payees",
        here=pages.here(request),
        payees=(found or [])[pager.offset : pager.last],
        is_too_much=found is None,
        pager=pager,
        q=text,
        into=sent.get("into", ""),
        chosen=frozenset(sent.getall("payee")),
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


@dataclass
class _Payee:
    """A payee's records without a category. sums: by currency."""

    name: str
    number: int = 0
    sums: Counter[str] = field(default_factory=Counter)


@get("payees.categories", Permission.DATA_READ, "payees_categories")
def show_largest(request: Request) -> dict[str, Any]:
    return _largest(request, {})


@post("payees.categories", Permission.DATA_WRITE, "payees_categories")
def categorise_largest(request: Request) -> Response | dict[str, Any]:
    sent = _sent(request.POST)
    with forms.form_errors() as errors, pages.editing(request, "payees categorise") as session:
        if not any(sent.values()):
            raise forms.FormFaults({"form": "Choose a category for at least one payee."})
        try:
            categorise_payees(session, {payee: sent[payee] for payee in sent if sent[payee]})
        except PayeesRefused as error:
            names = {payee: f"category-{place}" for place, payee in enumerate(sent, 1)}
            found = {names[each]: pages.sentence(why) for each, why in error.reasons.items()}
            raise forms.FormFaults(found) from None
    if errors:
        return pages.refused(request, _largest(request, errors))
    return pages.changed(session, request.path)


def _sent(form: MultiDict) -> dict[str, str]:
    """Return the category ids by payee."""
    return dict(zip(form.getall("payee"), form.getall("category"), strict=False))


def _largest(request: Request, errors: Mapping[str, str]) -> dict[str, Any]:
    """Return the page. If a form was sent or kept, the page has its payees."""
    sent = _sent(kept_form(request) or request.POST)
    found: dict[str, _Payee] = {}
    totals: Counter[str] = Counter()
    by = ["payee", "currencyCode"]
    try:
        sums = request.storage.data.sum_by(request.user.id, by, TO_CATEGORISE, most=_MOST)
    except TooManySums:
        sums = None
    for (name, currency), each in sorted((sums or {}).items()):
        # Rules ignore case, too.
        payee = found.setdefault(fold(name), _Payee(name))
        payee.number += each.number
        payee.sums[currency] += each.amount
        totals[currency] += abs(each.amount)

    def share(payee: _Payee) -> float:
        return max(abs(units) / (totals[each] or 1) for each, units in payee.sums.items())

    largest = sorted(found.values(), key=share, reverse=True)[:_LARGEST]
    return pages.page(
        "records",
        "Categories for the largest payees",
        payees=[found.get(fold(name), _Payee(name)) for name in sent] or largest,
        is_too_much=sums is None,
        categories=forms.named_options(pages.own_rows(request), CATEGORIES),
        chosen=[*sent.values()],
        errors=errors,
    )
