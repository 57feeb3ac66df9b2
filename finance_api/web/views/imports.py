"""The history of imports and edits, and undoing them."""

from itertools import groupby
from typing import Any

from pyramid.httpexceptions import HTTPNotFound

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.session import IMPORT, UserRows
from finance_api.ledger.undo import UndoBlocked, UndoReport, UndoTooLarge, undo
from finance_api.query.model import Query, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS, SPLITS
from finance_api.storage.interface import HistoryEntry
from finance_api.web import page as pages
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.routes import get, post
from finance_api.web.sentences import ChangedRow, rows_of, sentence_of

IMPORTS = "/imports"
#: Resource -> the path of its pages.
_PATHS = {
    RECORDS: "/records",
    SPLITS: "/records",
    **{page.resource: page.path for page in OBJECT_PAGES.values()},
}
_SHOWN = ("number", "at", "action", "by", "revision", "undone_at", "pruned")
_CHANGED = "Your data has changed since you opened this page. Check the changes again, and confirm."


class _DataChanged(Exception):
    """The data has changed since the preview."""


@get("imports", Permission.DATA_READ, "imports")
def show_history(request: Request) -> dict[str, Any]:
    entries = request.storage.ledger.list_entries(request.user.id)[::-1]
    pager, owned = pages.Pager.of(request, len(entries)), pages.own_rows(request)
    return pages.page(
        "imports",
        "History",
        entries=[
            _shown(entry, owned) for entry in entries[pager.offset : pager.offset + pages.PAGE_ROWS]
        ],
        pager=pager,
    )


@get("imports.entry", Permission.DATA_READ, "imports_entry")
def show_entry(request: Request) -> dict[str, Any]:
    entry = _entry(request)
    user_id = request.user.id
    made = condition_on(RECORDS, "importId", Operator.ANY_OF, (entry.number,))
    left = request.storage.data.count_rows(user_id, Query(RECORDS, (made,), (), limit=0))
    rows, counts = rows_of(entry), (entry.details.get("summary") or {}).get("counts", {})
    return pages.page(
        "imports",
        sentence_of(entry),
        entry=_shown(entry, pages.own_rows(request)),
        options=_option_words(entry),
        record_count=left,
        rows=[(row, path) for row, path in zip(rows, _paths(request, rows), strict=True)],
        more=sum(n for verbs in counts.values() for n in verbs.values()) - len(rows),
    )


def _paths(request: Request, rows: list[ChangedRow]) -> list[str | None]:
    """Return the paths of the rows' pages; None for a row that no longer exists."""
    paths: list[str | None] = []
    for resource, group in groupby(rows, key=lambda row: row.resource):
        ids = [row.id for row in group]
        stored = request.storage.data.get_rows(request.user.id, resource, ids)
        paths += [f"{_PATHS[resource]}/{i}" if i in stored else None for i in ids]
    return paths


def _entry(request: Request) -> HistoryEntry:
    """Return the history entry in the path. Raises HTTPNotFound."""
    text = request.matchdict["number"]
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise HTTPNotFound()
    return pages.first_of(request.storage.ledger.list_entries(request.user.id, [int(text)]))


def _shown(entry: HistoryEntry, owned: UserRows) -> dict[str, Any]:
    details = entry.details
    file = details.get("file") or {}
    accounts = {
        fact["accountId"]: owned.accounts.rows.get(fact["accountId"], {}).get("name")
        or fact.get("key")
        or "a removed account"
        for fact in entry.facts
    }
    return {
        **{name: getattr(entry, name) for name in _SHOWN},
        **{name: details.get(name) for name in ("format", "profile", "encoding")},
        "sentence": sentence_of(entry),
        "is_import": entry.action == IMPORT,
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


#: What becomes of later entries that stand in the way -> the options of `undo`.
_CHOICES = {"keep": {"with_later": True, "keep_changed": True}, "undo": {"with_later": True}}
#: A page undoes imports of up to this many records: their preview takes 0.3 s of processor time.
MOST_UNDONE = 10_000


@get("imports.undo", Permission.DATA_WRITE, "imports_undo")
def show_undo(request: Request) -> Any:
    entry = _entry(request)
    if entry.undone_at is not None:
        return pages.SeeOther(pages.onward(request, f"{IMPORTS}/{entry.number}"))
    return _undo_page(request, request.GET.get("later", ""), None)


@post("imports.undo", Permission.DATA_WRITE, "imports_undo")
def undo_entry(request: Request) -> Any:
    entry, later = _entry(request), request.sent_text("later")
    path = pages.returning(request, f"{IMPORTS}/{entry.number}")
    if entry.undone_at is not None:
        # The form may be sent twice.
        return pages.done(path, "undone")
    # The button in a notice undoes the change without a preview.
    saw = request.sent_text("revision") if "revision" in request.POST else None
    try:
        report, _ = _undo(request, entry.number, later, saw=saw)
    except _DataChanged:
        return pages.refused(request, _undo_page(request, later, _CHANGED), 409)
    except ChangeRefused:
        # The page says why.
        return pages.refused(request, _undo_page(request, later, None), 409)
    kept = report.kept + len(report.used)
    return pages.done(path, f"undone-kept.{kept}" if kept else "undone")


def _undo_page(request: Request, later: str, error: str | None) -> dict[str, Any]:
    """Return the variables of the preview, which comes from a dry run."""
    entry = _entry(request)
    report, revision, refusal, options = None, 0, None, None
    try:
        report, revision = _undo(request, entry.number, later, dry_run=True)
    except UndoTooLarge as reason:
        report = reason.report
        options = "".join(f" --{each}".replace("_", "-") for each in _CHOICES.get(later, {}))
    except ChangeRefused as reason:
        refusal = reason
    undone = request.storage.ledger.list_entries(request.user.id, report.entries if report else ())
    return pages.page(
        "imports",
        f"Undo this {'import' if entry.action == IMPORT else 'change'}?",
        entry=_shown(entry, pages.own_rows(request)),
        later=later,
        report=report,
        options=options,
        undone=[(each.number, sentence_of(each)) for each in reversed(undone)],
        revision=revision,
        refused=refusal and refusal.reason,
        can_keep=isinstance(refusal, UndoBlocked) and refusal.can_keep,
        blockers=[
            (each.number, sentence_of(each), each.at, reason)
            for each, reason in (refusal.blockers if isinstance(refusal, UndoBlocked) else ())
        ],
        error=error,
    )


def _undo(
    request: Request, number: int, later: str, *, saw: str | None = None, dry_run: bool = False
) -> tuple[UndoReport, int]:
    """Undo an entry. Return the report, and the revision of the data before it.

    later: a key of _CHOICES, or "". saw: the revision that a preview showed; None without a
    preview. Raises ChangeRefused, _DataChanged.
    """
    with pages.editing(request, None, dry_run=dry_run) as session:
        revision = session.before.revision
        if saw is not None and saw != str(revision):
            raise _DataChanged
        return undo(session, number, **_CHOICES.get(later, {}), most=MOST_UNDONE), revision
