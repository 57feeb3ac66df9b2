"""Records: the list, one record, and correcting them."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.records import EDITED, change_records
from finance_api.ledger.edits.transfers import unlink_records
from finance_api.ledger.session import LedgerSession
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.field import Resource
from finance_api.values import Row
from finance_api.web.api_results import ApiRequest, ApiResults
from finance_api.web.cells import Cells
from finance_api.web.forms import (
    NEW_CATEGORY,
    FormFaults,
    category_called,
    controls_of,
    digest_of,
    field_texts,
    form_errors,
    joined,
    label_of,
    named_options,
    read_texts,
    sent_texts,
    with_new_category,
)
from finance_api.web.overview import added
from finance_api.web.page import (
    CHANGED_MEANWHILE,
    Pager,
    SeeOther,
    done,
    editing,
    form_text,
    form_texts,
    offset_of,
    own_row,
    own_rows,
    page,
    refused,
    sentence,
)
from finance_api.web.record_filters import NO_CATEGORY, RecordFilters
from finance_api.web.routes import get, post

_FIELDS = {name: RECORDS[name] for name in EDITED.values()}

#: Fields that are left out, since the page shows their information in a better way.
_SAID_OTHERWISE = (
    *("id", "accountName", "currencyCode", "category", "labels"),
    *("transferId", "importId", "originalCurrencyCode"),
)


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


def rule_link(row: Row) -> str | None:
    """Return a link to add a rule for records like this one; None without payee and note."""
    keyword = row["payee"] or row["note"]
    if not keyword:
        return None
    given = {"keywords": joined([keyword]), "categoryId": row["categoryId"] or ""}
    return ApiRequest("/rules/new", given).target


@post("records", Permission.DATA_WRITE, "records")
def change_chosen(request: Request) -> Response | dict[str, Any]:
    """POST: change the chosen records. The query has the filters of the list to show again."""
    ids, action = form_texts(request, "id"), form_text(request, "do")
    with form_errors() as errors:
        if not ids:
            raise FormFaults({"id": "Choose one or more records."})
        with editing(request, "records edit") as session:
            report = _change_chosen(session, request, ids, action)
    if errors:
        return refused(request, _list(request, errors))
    query = RecordFilters.of(request).query
    notice = "records-changed" if report.updated else "records-same"
    offset = f"&offset={offset_of(request)}" if offset_of(request) else ""
    return SeeOther(f"/records?{query}{'&' if query else ''}done={notice}{offset}")


def _change_chosen(session: LedgerSession, request: Request, ids: list[str], action: str) -> Any:
    if action == "category":
        wanted, new = form_text(request, "set_category"), form_text(request, NEW_CATEGORY).strip()
        if new:
            category: str | None = category_called(session, new)
        else:
            known = wanted != NO_CATEGORY
            category = _found(session, CATEGORIES, wanted, action) if known else None
        return change_records(session, ids, {"categoryId": category})
    label = [_found(session, LABELS, form_text(request, "set_label"), "label")]
    if action == "unlabel":
        return change_records(session, ids, {}, remove_labels=label)
    return change_records(session, ids, {}, add_labels=label)


def _found(session: LedgerSession, resource: Resource, row_id: str, key: str) -> str:
    """The id of one of the user's rows. Raises FormFaults."""
    if not row_id:
        raise FormFaults({f"set_{key}": f"Choose a {key}."})
    try:
        return str(find_row(session, resource, row_id)["id"])
    except ChangeRefused as error:
        raise FormFaults({f"set_{key}": sentence(error)}) from None


@get("record", Permission.DATA_READ, "record")
def show_record(request: Request) -> dict[str, Any]:
    row = own_row(request, RECORDS)
    return _form(request, row, field_texts(_FIELDS, row), {})


@post("record", Permission.DATA_WRITE, "record")
def change_record(request: Request) -> Response | dict[str, Any]:
    stored = own_row(request, RECORDS)
    texts = sent_texts(_FIELDS, request.POST)
    with form_errors() as errors, editing(request, "records edit") as session:
        now = session.storage.data.get_rows(session.user.id, RECORDS, [stored["id"]])
        stored = now.get(stored["id"], stored)
        if request.POST.get("seen") != digest_of(field_texts(_FIELDS, stored)):
            texts = field_texts(_FIELDS, stored)
            raise FormFaults({"form": CHANGED_MEANWHILE})
        named = with_new_category(session, texts)
        change_records(session, [stored["id"]], read_texts(session, _FIELDS, named))
    if errors:
        return refused(request, _form(request, own_row(request, RECORDS), texts, errors))
    return done(f"/records/{stored['id']}", "saved")


@post("record.unlink", Permission.DATA_WRITE)
def unlink(request: Request) -> Response:
    """Unlink a transfer; does nothing if the record is no longer part of one."""
    row = own_row(request, RECORDS)
    if row["transferId"] is not None:
        with editing(request, "transfers unlink") as session:
            unlink_records(session, [row["id"]])
    return done(f"/records/{row['id']}", "saved")


def _form(
    request: Request, row: Row, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    owned = own_rows(request)
    cells = Cells(owned)
    left_out = (*_FIELDS, *_SAID_OTHERWISE)
    shown = [f for f in RECORDS.listed_fields if f.name not in left_out]
    facts = [(label_of(f), cells.cell(f, row)) for f in shown if row[f.name] is not None]
    return page(
        "records",
        row["payee"] or row["note"] or "Record",
        row=row,
        rule=rule_link(row),
        controls=controls_of(owned, _FIELDS, texts),
        errors=errors,
        seen=digest_of(field_texts(_FIELDS, row)),
        facts=facts,
        api=[ApiRequest(f"{PUBLIC_SURFACE}records/{row['id']}", {})],
    )
