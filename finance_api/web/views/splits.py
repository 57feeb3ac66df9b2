"""Splitting a record into parts, changing them together, and joining them again."""

from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.splits import MAX_PARTS, find_split, join_parts, split_record
from finance_api.ledger.session import UserRows
from finance_api.web.forms import FormFaults, form_errors
from finance_api.web.kept_forms import kept_form
from finance_api.web.page import (
    CHANGED_MEANWHILE,
    changed,
    done,
    editing,
    form_text,
    own_rows,
    page,
    path_id,
    refused,
)
from finance_api.web.routes import get, post
from finance_api.web.split_form import (
    PartRow,
    Splittable,
    controls_of_row,
    read_parts,
    rest_of,
    sent_rows,
    with_rest,
)


@get("record.split", Permission.DATA_READ, "record_split")
def show_split(request: Request) -> dict[str, Any]:
    owned = own_rows(request)
    split = _find(owned, request)
    if (kept := kept_form(request)) is not None:
        shown = _form(request, owned, split, sent_rows(kept), {}, kept.get("seen", ""))
        return {**shown, "is_kept": True}
    return _form(request, owned, split, split.rows, {}, split.seen)


@post("record.split", Permission.DATA_WRITE, "record_split")
def split(request: Request) -> Response | dict[str, Any]:
    """POST: split the record, or show the form with one more row or with the rest filled in."""
    rows, row_id = sent_rows(request.POST), path_id(request)
    seen = form_text(request, "seen")
    action = form_text(request, "do")
    if action in ("add", "rest"):
        owned = own_rows(request)
        found = _find(owned, request)
        more = [*rows, found.blank_row] if action == "add" else with_rest(owned, found, rows)
        rows = more[:MAX_PARTS]
        return _form(request, owned, found, rows, {}, seen)
    with form_errors() as errors, editing(request, "records split") as session:
        stored = _find(session, request)
        if seen != stored.seen:
            raise FormFaults({"form": CHANGED_MEANWHILE})
        split_record(session, row_id, read_parts(session, stored, rows))
    if errors:
        owned = own_rows(request)
        found = _find(owned, request)
        return refused(request, _form(request, owned, found, rows, errors, found.seen))
    # This page is also there after an undo, unlike those of the parts.
    return changed(session, f"/records/{stored.record['id']}/split")


@post("record.join", Permission.DATA_WRITE)
def join(request: Request) -> Response:
    """Join the parts of a split; does nothing if they are joined already."""
    found = find_split(own_rows(request), path_id(request))
    if found is None:
        return done("/records", "same")
    with editing(request, "records join") as session:
        join_parts(session, found.whole["id"])
    return changed(session, f"/records/{found.whole['id']}")


def _find(owned: UserRows, request: Request) -> Splittable:
    found = Splittable.find(owned, path_id(request))
    if found is None:
        raise HTTPNotFound()
    return found


def _form(
    request: Request,
    owned: UserRows,
    split: Splittable,
    rows: list[PartRow],
    errors: dict[str, str],
    seen: str,
) -> dict[str, Any]:
    """seen: see `Splittable.seen`."""
    parts = [(row.id, controls_of_row(owned, n, row)) for n, row in enumerate(rows, 1)]
    return page(
        "records",
        "Split a record" if not split.parts else "Change a split",
        record=split.record,
        account=owned.accounts.rows[split.record["accountId"]],
        total=split.sign * split.record["amount"],
        rest=rest_of(owned, split, rows),
        currency=split.currency,
        parts=parts,
        controls=[control for _, controls in parts for control in controls],
        errors=errors,
        seen=seen,
        action=f"/records/{path_id(request)}/split",
        back=f"/records/{split.parts[0]['id'] if split.parts else split.record['id']}",
        can_add=len(rows) < MAX_PARTS,
    )
