"""One record: showing and correcting it."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.edits.records import EDITED, change_records
from finance_api.ledger.edits.transfers import unlink_records
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.web.api_results import ApiRequest
from finance_api.web.cells import Cells
from finance_api.web.forms import (
    FormFaults,
    controls_of,
    digest_of,
    field_texts,
    form_errors,
    label_of,
    read_texts,
    sent_texts,
    with_new_category,
)
from finance_api.web.page import (
    CHANGED_MEANWHILE,
    changed,
    done,
    editing,
    own_row,
    own_rows,
    page,
    refused,
)
from finance_api.web.record_filters import rule_link
from finance_api.web.routes import get, post

_FIELDS = {name: RECORDS[name] for name in EDITED.values()}

#: Fields that are left out, since the page shows their information in a better way.
_SAID_OTHERWISE = (
    *("id", "accountName", "currencyCode", "category", "labels"),
    *("transferId", "importId", "originalCurrencyCode"),
)


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
        change_records(session, [stored["id"]], read_texts(session, _FIELDS, named, stored))
    if errors:
        return refused(request, _form(request, own_row(request, RECORDS), texts, errors))
    return changed(session, f"/records/{stored['id']}")


@post("record.unlink", Permission.DATA_WRITE)
def unlink(request: Request) -> Response:
    """Unlink a transfer; does nothing if the record is no longer part of one."""
    row = own_row(request, RECORDS)
    path = f"/records/{row['id']}"
    if row["transferId"] is None:
        return done(path, "same")
    with editing(request, "transfers unlink") as session:
        unlink_records(session, [row["id"]])
    return changed(session, path)


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
