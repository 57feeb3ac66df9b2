"""One record: showing, adding and correcting it, and linking it as a transfer."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.edits.records import ADD, SET, add_record, change_records, remove_records
from finance_api.ledger.edits.transfers import (
    link_records,
    list_candidates,
    other_halves,
    unlink_records,
)
from finance_api.ledger.session import UserRows
from finance_api.ledger.splits import deleted_among
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.time import date_text
from finance_api.web.api_results import ApiRequest
from finance_api.web.cells import Cells
from finance_api.web.choices import currency_options
from finance_api.web.forms import (
    FormFaults,
    conflict,
    digest_of,
    form_errors,
    form_id,
    label_of,
    with_new_category,
)
from finance_api.web.kept_forms import kept_form
from finance_api.web.page import (
    SeeOther,
    changed,
    done,
    editing,
    form_text,
    identity_of,
    own_row,
    own_rows,
    page,
    path_id,
    refused,
    today_of,
)
from finance_api.web.record_filters import rule_link
from finance_api.web.record_form import (
    DIRECTION,
    DIRECTIONS,
    FIELDS,
    NEW_ACCOUNT,
    NEW_CURRENCY,
    controls_of_record,
    read_record,
    sent_record,
    texts_of_new,
    texts_of_record,
    with_new_account,
)
from finance_api.web.routes import get, post
from finance_api.web.split_form import split_variables

#: Fields that are left out, since the page shows their information in a better way.
_SAID_OTHERWISE = (
    *("id", "accountName", "currencyCode", "category", "labels"),
    *("transferId", "splitId", "importId", "originalCurrencyCode"),
)
_RECORDS = "/records"
_MAX_CANDIDATES = 20


def _path(row: Row) -> str:
    return f"{_RECORDS}/{row['id']}"


def _title(row: Row) -> str:
    return row["payee"] or row["note"] or "Record"


# -- adding


@get("record.new", Permission.DATA_READ, "record_new")
def show_new(request: Request) -> dict[str, Any]:
    """GET: an empty form, one with values from a link, or with those of the record ``like``."""
    if (kept := kept_form(request)) is not None:
        return _new_form(request, sent_record(kept), {}, form_id(kept), is_kept=True)
    texts = texts_of_new(today_of(request), request.GET)
    if "like" in request.GET:
        row = own_row(request, RECORDS, request.GET["like"])
        texts = {**texts_of_record(row), "recordDate": date_text(today_of(request))}
    return _new_form(request, texts, {}, new_id())


@post("record.new", Permission.DATA_WRITE, "record_new")
def add(request: Request) -> Response | dict[str, Any]:
    texts, record_id = sent_record(request.POST), form_id(request.POST)
    with form_errors() as errors, editing(request, ADD) as session:
        named = with_new_category(session, with_new_account(session, texts))
        add_record(session, read_record(session, named), record_id)
    if errors:
        return refused(request, _new_form(request, texts, errors, record_id))
    if session.entry is None:
        return done(f"{_RECORDS}/{record_id}", "already-added")
    is_followed = form_text(request, "then") == "another"
    return changed(session, f"{_RECORDS}/new" if is_followed else _RECORDS)


def _new_form(
    request: Request,
    texts: dict[str, str],
    errors: dict[str, str],
    record_id: str,
    *,
    is_kept: bool = False,
) -> dict[str, Any]:
    owned = own_rows(request)
    accounts = list(owned.accounts.rows)
    if len(accounts) == 1 and not texts["accountId"]:
        texts = {**texts, "accountId": accounts[0]}
    return page(
        "records",
        "Add a record",
        form_id=record_id,
        has_accounts=bool(accounts),
        new_account=texts.get(NEW_ACCOUNT, ""),
        currency=texts.get(NEW_CURRENCY) or identity_of(request).user.base_currency or "",
        currencies=[("", "Choose"), *currency_options(set())],
        is_kept=is_kept,
        **_form_variables(owned, texts, errors),
    )


def _form_variables(
    owned: UserRows, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    return {
        "controls": controls_of_record(owned, texts),
        "directions": DIRECTIONS,
        "direction": texts[DIRECTION],
        "errors": errors,
    }


# -- showing and correcting


@get("record", Permission.DATA_READ, "record")
def show_record(request: Request) -> Response | dict[str, Any]:
    row_id, owned = path_id(request), own_rows(request)
    if owned.get_rows(SPLITS, [row_id]) and not deleted_among(owned, [row_id]):
        query = f"?{request.query_string}" if request.query_string else ""
        return SeeOther(f"{_RECORDS}/{row_id}/split{query}")
    row = own_row(request, RECORDS)
    if (kept := kept_form(request)) is not None:
        shown = _form(request, row, sent_record(kept), {})
        return {**shown, "seen": kept.get("seen", ""), "is_kept": True}
    return _form(request, row, texts_of_record(row), {})


@post("record", Permission.DATA_WRITE, "record")
def change_record(request: Request) -> Response | dict[str, Any]:
    stored = own_row(request, RECORDS)
    texts = sent_record(request.POST)
    with form_errors() as errors, editing(request, SET) as session:
        now = session.storage.data.get_rows(session.user.id, RECORDS, [stored["id"]])
        stored = now.get(stored["id"], stored)
        if request.POST.get("seen") != digest_of(texts_of_record(stored)):
            raise conflict(session, FIELDS, texts, texts_of_record(stored))
        named = with_new_category(session, texts)
        report = change_records(session, [stored["id"]], read_record(session, named, stored))
        is_moved = any(change.id != stored["id"] for change in report.changes)
    if errors:
        return refused(request, _form(request, own_row(request, RECORDS), texts, errors))
    return changed(session, _RECORDS if is_moved else _path(stored))


def _form(
    request: Request, row: Row, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    owned = own_rows(request)
    cells = Cells(owned)
    left_out = (*FIELDS, *_SAID_OTHERWISE)
    shown = [f for f in RECORDS.listed_fields if f.name not in left_out]
    facts = [(label_of(f), cells.cell(f, row)) for f in shown if row[f.name] is not None]
    transfer_id = row["transferId"]
    halves = other_halves(owned, [transfer_id])[transfer_id] if transfer_id else []
    return page(
        "records",
        _title(row),
        row=row,
        rule=rule_link(row),
        seen=digest_of(texts_of_record(row)),
        facts=facts,
        others=[half for half in halves if half["id"] != row["id"]],
        can_link=transfer_id is None and row["recordState"] != VOID and row["splitId"] is None,
        **split_variables(owned, row),
        api=[ApiRequest(f"{PUBLIC_SURFACE}records/{row['id']}", {})],
        **_form_variables(owned, texts, errors),
    )


# -- deleting


@get("record.remove", Permission.DATA_READ, "record_remove")
def confirm_removing(request: Request) -> dict[str, Any]:
    return _removal(own_row(request, RECORDS), {})


@post("record.remove", Permission.DATA_WRITE, "record_remove")
def remove(request: Request) -> Response | dict[str, Any]:
    row = own_row(request, RECORDS)
    with form_errors() as errors, editing(request, "records remove") as session:
        remove_records(session, [row["id"]])
    if errors:
        return refused(request, _removal(row, errors))
    return changed(session, _RECORDS)


def _removal(row: Row, errors: dict[str, str]) -> dict[str, Any]:
    return page("records", f"Delete {_title(row)}", row=row, errors=errors)


# -- transfers


@get("record.link", Permission.DATA_READ, "record_link")
def show_candidates(request: Request) -> dict[str, Any]:
    return _candidates(request, own_row(request, RECORDS), {})


@post("record.link", Permission.DATA_WRITE, "record_link")
def link(request: Request) -> Response | dict[str, Any]:
    row = own_row(request, RECORDS)
    with form_errors() as errors, editing(request, "transfers link") as session:
        other = form_text(request, "other")
        if not other:
            raise FormFaults({"form": "Choose the other half of the transfer."})
        link_records(session, row["id"], other)
    if errors:
        return refused(request, _candidates(request, row, errors))
    return changed(session, _path(row))


def _candidates(request: Request, row: Row, errors: dict[str, str]) -> dict[str, Any]:
    owned = own_rows(request)
    return page(
        "records",
        "Link as a transfer",
        row=row,
        candidates=list_candidates(owned, row, limit=_MAX_CANDIDATES),
        chosen=form_text(request, "other"),
        errors=errors,
    )


@post("record.unlink", Permission.DATA_WRITE)
def unlink(request: Request) -> Response:
    """Unlink a transfer; does nothing if the record is no longer part of one."""
    row = own_row(request, RECORDS)
    if row["transferId"] is None:
        return done(_path(row), "same")
    with editing(request, "transfers unlink") as session:
        unlink_records(session, [row["id"]])
    return changed(session, _path(row))
