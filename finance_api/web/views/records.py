"""The list of records, and changes of the chosen ones."""

from collections.abc import Iterable
from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.records import change_records
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.field import Resource
from finance_api.resources.records import RECORD_STATES
from finance_api.web.api_results import ApiResults
from finance_api.web.forms import (
    NEW_CATEGORY,
    FormFaults,
    category_called,
    choice_label,
    form_errors,
    named_options,
)
from finance_api.web.overview import added
from finance_api.web.page import (
    Pager,
    changed,
    editing,
    form_text,
    form_texts,
    offset_of,
    own_rows,
    page,
    refused,
    sentence,
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
from finance_api.web.routes import get, post


@get("records", Permission.DATA_READ, "records")
def list_records(request: Request) -> dict[str, Any]:
    return _list(request, {})


def _list(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    """errors: sentences about the form that changes the chosen records."""
    filters, offset = RecordFilters.of(request), offset_of(request)
    owned, results = own_rows(request), ApiResults(request)
    asked = filters.page_request(offset)
    found = results.page(RECORDS, asked)
    sums = results.summary(filters.sums_request)
    accounts, categories, labels = (
        named_options(owned, resource) for resource in (ACCOUNTS, CATEGORIES, LABELS)
    )
    selecting = "some" if errors else request.GET.get("select", "")
    return page(
        "records",
        "Records",
        rows=found.rows,
        rule_of=rule_link,
        sums=sums,
        converted=added(sums, "converted") if filters.convert_to else None,
        filters=filters,
        chips=filters.chips(dict((*accounts, *categories, *labels))),
        options={
            "period": period_options(results.today, filters.given["period"]),
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
        selecting=selecting if selecting in ("some", "page", "all") else "",
        chosen=frozenset(form_texts(request, "id")) if errors else frozenset(),
        given_categories=[("", "Choose"), (NONE, "No category"), *categories],
        new_category=form_text(request, NEW_CATEGORY) if errors else "",
        given_labels=[("", "Choose"), *labels],
        pager=Pager.of(request, found.total or 0, filters.size),
        api=[asked, filters.sums_request],
    )


def _presence(word: str) -> list[tuple[str, str]]:
    return [(NONE, f"Without a {word}"), (ANY, f"With a {word}")]


def _choices(values: Iterable[str]) -> list[tuple[str, str]]:
    return [(value, choice_label(value)) for value in values]


def _currencies(owned: UserRows) -> list[str]:
    return sorted({row["currencyCode"] for row in owned.accounts.rows.values()})


@post("records", Permission.DATA_WRITE, "records")
def change_chosen(request: Request) -> Response | dict[str, Any]:
    """POST: change the chosen records. The query has the filters of the list to show again."""
    ids, action = form_texts(request, "id"), form_text(request, "do")
    with form_errors() as errors:
        if not ids:
            raise FormFaults({"id": "Choose one or more records."})
        with editing(request, "records edit") as session:
            _change_chosen(session, request, ids, action)
    if errors:
        return refused(request, _list(request, errors))
    query = RecordFilters.of(request).query
    offset = f"offset={offset_of(request)}" if offset_of(request) else ""
    shown = "&".join(filter(None, (query, offset)))
    return changed(session, f"/records?{shown}" if shown else "/records")


def _change_chosen(session: LedgerSession, request: Request, ids: list[str], action: str) -> None:
    if action == "category":
        wanted, new = form_text(request, "set_category"), form_text(request, NEW_CATEGORY).strip()
        if new:
            category: str | None = category_called(session, new)
        else:
            known = wanted != NONE
            category = _found(session, CATEGORIES, wanted, action) if known else None
        change_records(session, ids, {"categoryId": category})
        return
    label = [_found(session, LABELS, form_text(request, "set_label"), "label")]
    if action == "unlabel":
        change_records(session, ids, {}, remove_labels=label)
    else:
        change_records(session, ids, {}, add_labels=label)


def _found(session: LedgerSession, resource: Resource, row_id: str, key: str) -> str:
    """The id of one of the user's rows. Raises FormFaults."""
    if not row_id:
        raise FormFaults({f"set_{key}": f"Choose a {key}."})
    try:
        return str(find_row(session, resource, row_id)["id"])
    except ChangeRefused as error:
        raise FormFaults({f"set_{key}": sentence(error)}) from None
