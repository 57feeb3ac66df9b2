"""The list of records."""

from collections.abc import Iterable
from typing import Any

from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.naming import rows_called
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.records import RECORD_STATES
from finance_api.web.api_results import ApiResults
from finance_api.web.forms import (
    NEW_CATEGORY,
    choice_label,
    last_parts,
    named_options,
)
from finance_api.web.kept_forms import ROW, kept_form
from finance_api.web.overview import added
from finance_api.web.page import (
    Pager,
    identity_of,
    offset_of,
    own_rows,
    page,
)
from finance_api.web.record_filters import (
    ANY,
    NONE,
    SIZES,
    TYPES,
    RecordFilters,
    period_options,
    rule_link,
)
from finance_api.web.routes import get


@get("records", Permission.DATA_READ, "records")
def list_records(request: Request) -> dict[str, Any]:
    sent = kept_form(request)
    if sent is not None and ROW in sent:
        typed = tuple(str(sent.get(name, "")) for name in (ROW, "category", "seen"))
        return {**list_page(request, {}, typed), "is_kept": True}
    return list_page(request, {}, sent=sent)


#: The controls of the form that changes the chosen records.
GIVEN = ("set_category", NEW_CATEGORY, "set_label", "set_note", "set_state")
_CHOSEN_ALL = "all"
_NOT_LISTED = "The record whose category you typed is no longer in this list."


def list_page(
    request: Request,
    errors: dict[str, str],
    typed: tuple[str, ...] | None = None,
    sent: MultiDict | None = None,
) -> dict[str, Any]:
    """Return the variables of the list.

    errors: sentences about the form that changes the chosen records, or about the category that
    was typed. typed: the id of that record, the text, and in a kept form the id of the category
    that the record had. sent: the form for several records, to show it again.
    """
    filters, offset = RecordFilters.of(request), offset_of(request)
    owned, results = own_rows(request), ApiResults(request)
    asked = filters.page_request(offset)
    found = results.page(RECORDS, asked)
    if typed is not None and all(row["id"] != typed[0] for row in found.rows):
        # The record was deleted, or has left the list.
        errors = {"form": next(iter(errors.values()), _NOT_LISTED)}
    sums = results.summary(filters.sums_request)
    accounts, categories, labels = (
        named_options(owned, resource) for resource in (ACCOUNTS, CATEGORIES, LABELS)
    )
    selecting, entries = _selecting(request, sent), sent or MultiDict()
    return page(
        "records",
        "Records",
        rows=found.rows,
        hints=[] if found.rows else results.hints(RECORDS, asked),
        rule_of=rule_link,
        here=filters.path(offset=str(offset or "")),
        paths=dict(categories),
        names=last_parts(categories),
        typed=typed or ("", ""),
        addable=typed[1] if typed and not rows_called(owned, CATEGORIES, typed[1]) else "",
        sums=sums,
        converted=added(sums, "converted") if filters.convert_to else None,
        filters=filters,
        chips=filters.chips(dict((*accounts, *categories, *labels))),
        options={
            "period": period_options(_months(request), filters.given["period"]),
            "account": accounts,
            "category": [*_presence("category"), *categories],
            "label": [*_presence("label"), *labels],
            "note": _presence("note"),
            "type": _choices(TYPES),
            "state": _choices(RECORD_STATES),
            "currency": [(code, code) for code in _currencies(owned)],
            "size": [(str(size), str(size)) for size in SIZES],
        },
        errors={**filters.errors, **errors},
        selecting=selecting,
        chosen=frozenset(ticked_ids(entries)),
        is_kept=sent is not None and not errors,
        given_categories=[("", "Choose"), (NONE, "No category"), *categories],
        given_labels=[("", "Choose"), *labels],
        given_states=[("", "Choose"), *_choices(RECORD_STATES)],
        sent={name: str(entries.get(name, "")) for name in GIVEN},
        pager=Pager.of(request, found.total or 0, filters.size),
        api=[asked, filters.sums_request, filters.download_request],
    )


def _selecting(request: Request, sent: MultiDict | None) -> str:
    """Return which records are chosen: "some", "page" or "all"; "" without the form for them."""
    if sent is not None:
        return _CHOSEN_ALL if sent.get(_CHOSEN_ALL) else "some"
    selecting = request.GET.get("select", "")
    return selecting if selecting in ("some", "page", _CHOSEN_ALL) else ""


def _months(request: Request) -> list[int]:
    """Return the first day of each month with records."""
    user_id, data = identity_of(request).user.id, request.storage.data
    return [month for (month,) in data.sum_by(user_id, ("month",), (), with_void=True)]


def ticked_ids(sent: MultiDict) -> list[str]:
    """Return the ids in the form; a confirmation sends thousands of them in one field."""
    return [each for ids in sent.getall("id") for each in str(ids).split(",") if each]


def _presence(word: str) -> list[tuple[str, str]]:
    return [(NONE, f"Without a {word}"), (ANY, f"With a {word}")]


def _choices(values: Iterable[str]) -> list[tuple[str, str]]:
    return [(value, choice_label(value)) for value in values]


def _currencies(owned: UserRows) -> list[str]:
    return sorted({row["currencyCode"] for row in owned.accounts.rows.values()})
