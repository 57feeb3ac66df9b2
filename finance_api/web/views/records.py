"""The list of records, and changes of the chosen ones."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.records import change_records
from finance_api.ledger.session import LedgerSession
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.field import Resource
from finance_api.web.api_results import ApiResults
from finance_api.web.forms import (
    NEW_CATEGORY,
    FormFaults,
    category_called,
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
from finance_api.web.record_filters import NO_CATEGORY, RecordFilters, rule_link
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
    categories = named_options(owned, CATEGORIES)
    return page(
        "records",
        "Records",
        rows=found.rows,
        rule_of=rule_link,
        sums=sums,
        converted=added(sums, "converted") if filters.convert_to else None,
        filters=filters,
        errors={**filters.errors, **errors},
        chosen=frozenset(form_texts(request, "id")) if errors else frozenset(),
        accounts=[("", "All"), *named_options(owned, ACCOUNTS)],
        categories=[("", "All"), (NO_CATEGORY, "Without category"), *categories],
        labels=[("", "All"), *named_options(owned, LABELS)],
        given_categories=[("", "Choose"), (NO_CATEGORY, "No category"), *categories],
        new_category=form_text(request, NEW_CATEGORY) if errors else "",
        given_labels=[("", "Choose"), *named_options(owned, LABELS)],
        has_filters=any(filters.given.values()),
        pager=Pager.of(request, found.total or 0),
        api=[asked, filters.sums_request],
    )


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
            known = wanted != NO_CATEGORY
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
