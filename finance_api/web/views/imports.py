"""The history of imports and edits, and undoing them."""

from typing import Any

from pyramid.httpexceptions import HTTPNotFound

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.undo import UndoReport, undo
from finance_api.query.model import Query, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import HistoryEntry
from finance_api.values.text import edited
from finance_api.web import page as pages
from finance_api.web.routes import get, post

IMPORTS = "/imports"
_SHOWN = ("number", "at", "action", "by", "revision", "undone_at", "pruned")
_CHANGED = "Your data has changed since you opened this page. Check the changes again, and confirm."


class _DataChanged(Exception):
    """The data has changed since the preview."""


@get("imports", Permission.DATA_READ, "imports")
def show_history(request: Request) -> dict[str, Any]:
    entries = request.storage.history.list_entries(request.user.id)[::-1]
    pager, names = pages.Pager.of(request, len(entries)), _account_names(request)
    return pages.page(
        "imports",
        "Imports",
        entries=[
            _shown(entry, names) for entry in entries[pager.offset : pager.offset + pages.PAGE_ROWS]
        ],
        pager=pager,
    )


@get("imports.entry", Permission.DATA_READ, "imports_entry")
def show_entry(request: Request) -> dict[str, Any]:
    entry = _entry(request)
    user_id = request.user.id
    made = condition_on(RECORDS, "importId", Operator.ANY_OF, (entry.number,))
    left = request.storage.data.count_rows(user_id, Query(RECORDS, (made,), (), limit=0))
    return pages.page(
        "imports",
        f"Import {entry.number}" if entry.action == "import" else f"Change {entry.number}",
        entry=_shown(entry, _account_names(request)),
        options=_option_words(entry),
        record_count=left,
    )


def _entry(request: Request) -> HistoryEntry:
    """Return the history entry in the path. Raises HTTPNotFound."""
    text = request.matchdict["number"]
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise HTTPNotFound()
    entries = request.storage.history.list_entries(request.user.id)
    return pages.first_of(entry for entry in entries if entry.number == int(text))


def _account_names(request: Request) -> dict[str, str]:
    rows = request.storage.data.scan_rows(request.user.id, ACCOUNTS)
    return {row["id"]: row["name"] for row in rows}


def _shown(entry: HistoryEntry, names: dict[str, str]) -> dict[str, Any]:
    details = entry.details
    file = details.get("file") or {}
    accounts = {
        fact["accountId"]: names.get(fact["accountId"]) or fact.get("key") or "a removed account"
        for fact in entry.facts
    }
    return {
        **{name: getattr(entry, name) for name in _SHOWN},
        **{name: details.get(name) for name in ("format", "profile", "encoding")},
        "can_go_back": entry.undone_at is None and not entry.pruned,
        "file": file.get("name"),
        "size": file.get("size"),
        "counts": details.get("counts") or {},
        "account_names": list(dict.fromkeys(accounts.values())),
        "days": [
            (accounts[fact["accountId"]], fact["first"], fact["last"])
            for fact in entry.facts
            if fact.get("first") is not None
        ],
    }


def _option_words(entry: HistoryEntry) -> list[tuple[str, str]]:
    words = []
    for name, value in (entry.details.get("options") or {}).items():
        if isinstance(value, dict):
            value = [f"{field} = {' + '.join(columns)}" for field, columns in value.items()]
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        words.append((name.replace("_", " "), "yes" if value is True else text))
    return words


# -- undoing


@get("imports.undo", Permission.DATA_WRITE, "imports_undo")
def show_undo(request: Request) -> Any:
    entry = _entry(request)
    if entry.undone_at is not None:
        return pages.SeeOther(f"{IMPORTS}/{entry.number}")
    choices = {name: name in request.GET for name in ("with_later", "keep_changed")}
    return _undo_page(request, choices, None)


@post("imports.undo", Permission.DATA_WRITE, "imports_undo")
def undo_entry(request: Request) -> Any:
    choices = {name: bool(request.sent_text(name)) for name in ("with_later", "keep_changed")}
    entry, back = _entry(request), request.sent_text("back")
    if back and entry.undone_at is not None:
        return pages.SeeOther(pages.page_after(back))
    # The button in a notice undoes the change without a preview.
    saw = None if back else request.sent_text("revision")
    try:
        _undo(request, entry.number, choices, saw=saw)
    except _DataChanged:
        return pages.refused(request, _undo_page(request, choices, _CHANGED), 409)
    except ChangeRefused as error:
        return pages.refused(request, _undo_page(request, choices, _reason(error)), 409)
    return pages.done(pages.page_after(back) if back else f"{IMPORTS}/{entry.number}", "undone")


#: A box of the form -> how it resolves a refusal.
_WAYS = {
    "with_later": ". Undo them as well with “Undo later changes as well”",
    "keep_changed": ", or keep later manual edits with “Keep later manual edits”",
}


def _reason(refusal: ChangeRefused) -> str:
    ways = "".join(_WAYS[way] for way in refusal.ways)
    return edited(refusal.reason, lambda text: text + ways)


def _undo_page(request: Request, choices: dict[str, bool], error: str | None) -> dict[str, Any]:
    """Return the variables of the preview, which comes from a dry run."""
    entry = _shown(_entry(request), _account_names(request))
    report, revision, reason = None, 0, None
    try:
        report, revision = _undo(request, entry["number"], choices, dry_run=True)
    except ChangeRefused as refusal:
        reason = _reason(refusal)
    return pages.page(
        "imports",
        f"Undo {'import' if entry['action'] == 'import' else 'change'} {entry['number']}",
        entry=entry,
        choices=choices,
        report=report,
        revision=revision,
        refused=reason,
        error=error,
    )


def _undo(
    request: Request,
    number: int,
    choices: dict[str, bool],
    *,
    saw: str | None = None,
    dry_run: bool = False,
) -> tuple[UndoReport, int]:
    """Undo an entry. Return the report, and the revision of the data before it.

    saw: the revision that a preview showed; None without a preview. Raises ChangeRefused,
    _DataChanged.
    """
    with pages.editing(request, None, dry_run=dry_run) as session:
        revision = session.before.revision
        if saw is not None and saw != str(revision):
            raise _DataChanged
        return undo(session, number, **choices), revision
