"""One record: adding, showing, correcting and deleting it, and linking it as a transfer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.edits import transfers
from finance_api.ledger.edits.naming import editable_fields, parse_assignments, rows_called
from finance_api.ledger.edits.objects import put_new
from finance_api.ledger.edits.records import ADD, SET, add_record, change_records, remove_records
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import deleted_among
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.resources.typed import calculated
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.regions import Region
from finance_api.values.time import date_text, from_date, to_date
from finance_api.values.written import WrittenRefused
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.api_requests import RECORDS_PATH, ApiAnswers, ApiRequest
from finance_api.web.cells import NONE, Cells
from finance_api.web.choices import currency_options
from finance_api.web.kept_forms import kept_form
from finance_api.web.record_filters import RecordFilters, rule_link
from finance_api.web.routes import get, post
from finance_api.web.views.splits import split_variables

#: Fields that every record needs or has, in the order of the form; the others are below *More*.
_USUAL = ("amount", "payee", "categoryId", "accountId", "recordDate")
_BY_NAME = {field.name: field for field in editable_fields(RECORDS).values()}
FIELDS = {name: _BY_NAME[name] for name in dict.fromkeys((*_USUAL, *_BY_NAME))}
RARE = frozenset(FIELDS) - {*_USUAL}
#: The control for the sign of the amount, and its choices.
DIRECTION, OUT, IN = "direction", "out", "in"
DIRECTIONS = ((OUT, "Money out"), (IN, "Money in"))
#: The fields for the first account of a user.
NEW_ACCOUNT, NEW_CURRENCY = "new-account", "new-currency"
_AMOUNT, _DATE, _ACCOUNT = "amount", "recordDate", "accountId"
_HINTS = {"recordState": "How far it is settled. Void records count in no sum and no balance."}
_MINUS = ("-", "\N{MINUS SIGN}")
#: Fields that are left out, since the page shows their information in a better way.
_SAID_OTHERWISE = (
    *(*_USUAL, "id", "accountName", "currencyCode", "category", "labels"),
    *("transferId", "splitId", "importId", "originalCurrencyCode"),
)
_RECORDS = "/records"
_MAX_CANDIDATES = 20
#: The payees of this many newest records are suggested.
_SUGGESTING = "100"


def texts_of_record(row: Row, region: Region) -> dict[str, str]:
    """Return the texts of a stored record."""
    texts = forms.field_texts(FIELDS, row, region)
    texts[DIRECTION] = OUT if row[_AMOUNT] < 0 else IN
    texts[_AMOUNT] = texts[_AMOUNT].removeprefix("-")
    return texts


def texts_of_new(today: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a new record. given: values from the query of a link."""
    defaults = {_DATE: date_text(today), "recordState": "cleared", DIRECTION: OUT}
    defaults[NEW_ACCOUNT] = "Cash"
    names = (*FIELDS, DIRECTION, NEW_ACCOUNT, NEW_CURRENCY)
    return {name: given.get(name) or defaults.get(name, "") for name in names}


def sent_record(sent: MultiDict) -> dict[str, str]:
    """Return the texts of a form that was sent."""
    direction = IN if sent.get(DIRECTION) == IN else OUT
    account = {name: str(sent.get(name, "")) for name in (NEW_ACCOUNT, NEW_CURRENCY)}
    return {**forms.sent_texts(FIELDS, sent), DIRECTION: direction, **account}


def with_new_account(session: LedgerSession, texts: Mapping[str, str]) -> dict[str, str]:
    """Add the first account, if the user has none, and fill in its id. Raises FormFaults."""
    name, currency = texts[NEW_ACCOUNT].strip(), texts[NEW_CURRENCY]
    if session.accounts.rows:
        # The form may be sent twice.
        there = [] if texts[_ACCOUNT] or not name else rows_called(session, ACCOUNTS, name)
        return {**texts, _ACCOUNT: there[0]["id"]} if there else dict(texts)
    errors = {} if name else {NEW_ACCOUNT: "Enter the account's name, such as Cash."}
    if not currency:
        errors[NEW_CURRENCY] = "Choose the account's currency."
    if errors:
        raise forms.FormFaults(errors)
    given = parse_assignments(session, ACCOUNTS, {"name": name, "currencyCode": currency})
    return {**texts, _ACCOUNT: str(put_new(session, ACCOUNTS, given)["id"])}


def read_record(
    session: LedgerSession, texts: Mapping[str, str], region: Region, stored: Row | None = None
) -> dict[str, Any]:
    """Return the stored values of a form. Raises FormFaults.

    stored: the record to change. If it is given, return only values whose texts differ from its
    own.
    """
    errors: dict[str, str] = {}
    account = session.accounts.rows.get(texts[_ACCOUNT], stored or {})
    try:
        amount = calculated(texts[_AMOUNT], account.get("currencyCode"), region)
        texts = {**texts, _AMOUNT: amount}
    except WrittenRefused as error:
        errors[_AMOUNT] = f"Amount {error}."
    sign = _sign(texts, errors)
    # Read the amount as it was typed, so that a refusal names no sign that nobody typed.
    known = None if stored is None else {**stored, _AMOUNT: sign * stored[_AMOUNT]}
    before = {} if known is None else forms.field_texts(FIELDS, known, region)
    try:
        read = forms.read_texts(session, FIELDS, texts, region, known)
    except forms.FormFaults as faults:
        raise forms.FormFaults({**faults.errors, **errors}) from None
    read[_AMOUNT] *= sign
    values = {name: value for name, value in read.items() if before.get(name) != texts[name]}
    if stored is not None and values.get(_DATE) == from_date(to_date(stored[_DATE])):
        # The same day, only written in another way: the record keeps its time.
        del values[_DATE]
    if errors:
        raise forms.FormFaults(errors)
    return values


def _sign(texts: Mapping[str, str], errors: dict[str, str]) -> int:
    """Return the factor for the typed amount: -1 if it has no sign and goes out, else 1."""
    text = texts[_AMOUNT].strip()
    if texts[DIRECTION] == OUT:
        return 1 if text.startswith(("+", *_MINUS)) else -1
    if text.startswith(_MINUS):
        errors[_AMOUNT] = (
            f"The amount {text} has a minus, but {DIRECTIONS[1][1].lower()} was chosen: leave "
            f"out the minus, or choose {DIRECTIONS[0][1].lower()}."
        )
    return 1


def _path(row: Row) -> str:
    return f"{_RECORDS}/{row['id']}"


def _title(row: Row) -> str:
    return row["payee"] or row["note"] or "Record"


# -- adding


@get("record.new", Permission.DATA_READ, "record_new")
def show_new(request: Request) -> dict[str, Any]:
    """Show an empty form, or a form with values from a link or from the record ``like``."""
    if (kept := kept_form(request)) is not None:
        return _new_form(request, sent_record(kept), {}, forms.form_id(kept))
    texts = texts_of_new(request.today, request.GET)
    if "like" in request.GET:
        request.matchdict["id"] = request.GET["like"]
        row = pages.own_row(request, RECORDS)
        texts = {**texts_of_record(row, request.region), "recordDate": date_text(request.today)}
    return _new_form(request, texts, {}, new_id())


@post("record.new", Permission.DATA_WRITE, "record_new")
def add(request: Request) -> Response | dict[str, Any]:
    texts, record_id = sent_record(request.POST), forms.form_id(request.POST)
    with forms.form_errors() as errors, pages.editing(request, ADD) as session:
        named = forms.with_new_category(session, with_new_account(session, texts))
        values = read_record(session, named, request.region)
        add_record(session, values, record_id)
    if errors:
        return pages.refused(request, _new_form(request, texts, errors, record_id))
    if request.sent_text("then") == "another":
        kept = {_ACCOUNT: values[_ACCOUNT], _DATE: date_text(values[_DATE])}
        path = pages.onward(request, ApiRequest(f"{_RECORDS}/new", kept).target)
    elif session.entry is None:
        path = pages.onward(request, f"{_RECORDS}/{record_id}")
    else:
        path = pages.returning(request, _RECORDS, record_id)
    return (
        pages.done(path, "already-added") if session.entry is None else pages.changed(session, path)
    )


def _new_form(
    request: Request, texts: dict[str, str], errors: dict[str, str], record_id: str
) -> dict[str, Any]:
    owned = pages.own_rows(request)
    if not texts[_ACCOUNT]:
        texts = {**texts, _ACCOUNT: _likely_account(owned)}
    variables = _form_variables(request, owned, texts, errors)
    further: dict[str, dict[str, Any]] = {
        "payee": {"suggestions": suggested_payees(ApiAnswers(request))},
        "categoryId": {"hint": "Rules choose it if you do not."},
    }
    variables["controls"] = [
        replace(control, **further.get(control.name, {})) for control in variables["controls"]
    ]
    return pages.page(
        "record-new",
        "Add a record",
        form_id=record_id,
        has_accounts=bool(owned.accounts.rows),
        new_account=texts.get(NEW_ACCOUNT, ""),
        currency=texts.get(NEW_CURRENCY) or request.user.base_currency or "",
        currencies=[("", "Choose"), *currency_options(set())],
        **variables,
    )


def _likely_account(owned: UserRows) -> str:
    """Return the only account, or that of the newest record that was added manually.

    "" without such an account. Archived accounts are not chosen.
    """
    open_ids = [row["id"] for row in owned.accounts.rows.values() if not row["archived"]]
    if len(open_ids) == 1:
        return str(open_ids[0])
    for entry in reversed(owned.history):
        sums = (entry.details.get("summary") or {}).get("sums", ())
        if entry.action == ADD and entry.undone_at is None and sums and sums[0][0] in open_ids:
            return str(sums[0][0])
    return ""


def suggested_payees(answers: ApiAnswers) -> list[tuple[str, str]]:
    """Return the payees of the newest records, each with its newest category."""
    parameters = {
        "payee": "is.not_null",
        "fields": "payee,categoryId",
        "sortBy": "-recordDate",
        "limit": _SUGGESTING,
    }
    found: dict[str, str] = {}
    for row in answers.get(ApiRequest(RECORDS_PATH, parameters)).rows:
        found[row["payee"]] = found.get(row["payee"]) or row["categoryId"] or ""
    return list(found.items())


def _form_variables(
    request: Request, owned: UserRows, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    controls = forms.controls_of(owned, FIELDS, texts, request.region)
    return {
        # With hints for people who enter a payment.
        "controls": [replace(each, hint=_HINTS.get(each.name, "")) for each in controls],
        "rare": RARE,
        "directions": DIRECTIONS,
        "direction": texts[DIRECTION],
        "errors": errors,
    }


# -- showing and correcting


@get("record", Permission.DATA_READ, "record")
def show_record(request: Request) -> Response | dict[str, Any]:
    row_id, owned = request.path_id, pages.own_rows(request)
    if owned.get_rows(SPLITS, [row_id]) and not deleted_among(owned, [row_id]):
        query = f"?{request.query_string}" if request.query_string else ""
        return pages.SeeOther(f"{_RECORDS}/{row_id}/split{query}")
    row = pages.own_row(request, RECORDS)
    if (kept := kept_form(request)) is not None:
        return {**_form(request, row, sent_record(kept), {}), "seen": kept.get("seen", "")}
    return _form(request, row, texts_of_record(row, request.region), {})


@post("record", Permission.DATA_WRITE, "record")
def change_record(request: Request) -> Response | dict[str, Any]:
    stored = pages.own_row(request, RECORDS)
    texts, region = sent_record(request.POST), request.region
    with forms.form_errors() as errors, pages.editing(request, SET) as session:
        now = session.storage.data.get_rows(session.user.id, RECORDS, [stored["id"]])
        stored = now.get(stored["id"], stored)
        shown = texts_of_record(stored, region)
        if (seen := request.sent_text("seen")) != forms.digest_of(shown):
            raise forms.conflict(session, FIELDS, texts, shown, region, seen)
        named = forms.with_new_category(session, texts)
        values = read_record(session, named, region, stored)
        report = change_records(session, [stored["id"]], values)
        is_moved = any(change.id != stored["id"] for change in report.changes)
    if errors:
        return pages.refused(
            request, _form(request, pages.own_row(request, RECORDS), texts, errors)
        )
    return pages.changed(
        session, pages.returning(request, _RECORDS if is_moved else _path(stored), stored["id"])
    )


def _form(
    request: Request, row: Row, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    owned = pages.own_rows(request)
    cells = Cells(owned, request.region)
    shown = [f for f in RECORDS.listed_fields if f.name not in _SAID_OTHERWISE]
    facts = [(forms.label_of(f), cells.cell(f, row)) for f in shown]
    transfer_id = row["transferId"]
    halves = transfers.other_halves(owned, [transfer_id])[transfer_id] if transfer_id else []
    return pages.page(
        "records",
        _title(row),
        row=row,
        neighbours=_neighbours(request, row["id"]),
        rule=rule_link(row),
        seen=forms.digest_of(texts_of_record(row, request.region)),
        facts=[(label, text) for label, text in facts if text is not NONE],
        others=[half for half in halves if half["id"] != row["id"]],
        can_link=transfer_id is None and row["recordState"] != VOID and row["splitId"] is None,
        **split_variables(owned, row),
        api=[ApiRequest(f"{PUBLIC_SURFACE}records/{row['id']}", {})],
        **_form_variables(request, owned, texts, errors),
    )


def _neighbours(request: Request, row_id: str) -> dict[str, str]:
    """Return the pages of the records before and after this one in its list: "prev" and "next"."""
    path, _, query = pages.returning(request, "").partition("?")
    if path != _RECORDS:
        return {}
    sent = dict(parse_qsl(query))
    filters, offset = RecordFilters.read(request, sent), pages.offset_in(sent)
    answers, asked = ApiAnswers(request), filters.page_request(offset)
    ids = [row["id"] for row in answers.get(asked, withTotal="").rows]
    if row_id not in ids:
        return {}
    place = offset + ids.index(row_id)
    first = max(0, place - 1)
    around = answers.get(asked, withTotal="", offset=str(first), limit="3").rows
    return {
        rel: pages.opened(
            request, _path(row), filters.path(offset=_page_of(at, offset, filters.size))
        )
        for at, row in enumerate(around, first)
        for rel in [{place - 1: "prev", place + 1: "next"}.get(at)]
        if rel
    }


def _page_of(place: int, offset: int, size: int) -> str:
    """Return the offset of the page with a place in the list; "" for the first page.

    offset: the offset of a page.
    """
    return str(max(0, offset + (place - offset) // size * size) or "")


# -- deleting


@get("record.remove", Permission.DATA_READ, "record_remove")
def confirm_removing(request: Request) -> dict[str, Any]:
    return _removal(pages.own_row(request, RECORDS), {})


@post("record.remove", Permission.DATA_WRITE, "record_remove")
def remove(request: Request) -> Response | dict[str, Any]:
    row = pages.own_row(request, RECORDS)
    with forms.form_errors() as errors, pages.editing(request, "records remove") as session:
        remove_records(session, [row["id"]])
    if errors:
        return pages.refused(request, _removal(row, errors))
    return pages.changed(session, pages.returning(request, _RECORDS))


def _removal(row: Row, errors: dict[str, str]) -> dict[str, Any]:
    return pages.page("records", "Delete a record", row=row, errors=errors)


# -- transfers


@get("record.link", Permission.DATA_READ, "record_link")
def show_candidates(request: Request) -> dict[str, Any]:
    return _candidates(request, pages.own_row(request, RECORDS), {})


@post("record.link", Permission.DATA_WRITE, "record_link")
def link(request: Request) -> Response | dict[str, Any]:
    row = pages.own_row(request, RECORDS)
    with forms.form_errors() as errors, pages.editing(request, "transfers link") as session:
        other = request.sent_text("other")
        if not other:
            raise forms.FormFaults({"form": "Choose the other half of the transfer."})
        transfers.link_records(session, row["id"], other)
    if errors:
        return pages.refused(request, _candidates(request, row, errors))
    return pages.changed(session, pages.onward(request, _path(row)))


def _candidates(request: Request, row: Row, errors: dict[str, str]) -> dict[str, Any]:
    owned = pages.own_rows(request)
    return pages.page(
        "records",
        "Link as a transfer",
        row=row,
        candidates=transfers.list_candidates(owned, row, limit=_MAX_CANDIDATES),
        chosen=request.sent_text("other"),
        errors=errors,
    )


@post("record.unlink", Permission.DATA_WRITE)
def unlink(request: Request) -> Response:
    """Unlink a transfer; does nothing if the record is no longer part of one."""
    row = pages.own_row(request, RECORDS)
    if row["transferId"] is None:
        return pages.done(pages.onward(request, _path(row)), "same")
    with pages.editing(request, "transfers unlink") as session:
        transfers.unlink_records(session, [row["id"]])
    return pages.changed(session, pages.onward(request, _path(row)))
