"""Applying the rules to stored records."""

from itertools import groupby
from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.report import Change, EditReport
from finance_api.ledger.edits.rules import APPLY, apply_rules
from finance_api.ledger.session import LedgerSession
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.web.forms import label_of
from finance_api.web.page import changed, editing, form_text, page
from finance_api.web.routes import get, post

#: The preview shows up to this many records.
MOST_RECORDS = 100


@get("rules.apply", Permission.DATA_READ, "rules_apply")
def show_apply(request: Request) -> dict[str, Any]:
    return _page(None, recategorise=False)


@post("rules.apply", Permission.DATA_WRITE, "rules_apply")
def preview_or_apply(request: Request) -> Response | dict[str, Any]:
    """Apply the changes of the preview; if the data has changed since, show a new preview."""
    recategorise = form_text(request, "all") == "true"
    seen = form_text(request, "revision")
    if seen:
        with editing(request, APPLY) as session:
            if seen == str(session.revision):
                apply_rules(session, recategorise=recategorise)
                return changed(session, "/rules")
    with editing(request, APPLY, dry_run=True) as session:
        report = apply_rules(session, recategorise=recategorise)
        rows, revision = _changed(session, report.changes), session.revision
    return _page(
        report, rows=rows, recategorise=recategorise, revision=revision, is_stale=bool(seen)
    )


def _changed(session: LedgerSession, changes: list[Change]) -> list[tuple[Row, list[Change]]]:
    """The records to list, newest first, with their changes."""
    by_id = {row_id: list(found) for row_id, found in groupby(changes, lambda each: each.id)}
    rows = session.storage.data.get_rows(session.user.id, RECORDS, by_id).values()
    newest_first = sorted(rows, key=lambda row: (row["recordDate"], row["id"]), reverse=True)
    return [(row, by_id[row["id"]]) for row in newest_first[:MOST_RECORDS]]


def _page(report: EditReport | None, **variables: Any) -> dict[str, Any]:
    defaults = {"rows": (), "revision": None, "is_stale": False}
    return page(
        "rules",
        "Apply the rules",
        report=report,
        label_of=lambda change: label_of(RECORDS[change.field]),
        **{**defaults, **variables},
    )
