"""The outcome of checking or importing a file, as JSON for the pages."""

from collections.abc import Mapping
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import ImportOrder
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import LedgerSession
from finance_api.resources import RECORDS
from finance_api.resources.field import Kind
from finance_api.resources.wire import text_writer

#: Up to this many updates and matches are shown; the rest is counted.
MOST_SHOWN = 50
#: The fields shown of the first records.
_SHOWN = (
    *("recordDate", "amount", "currencyCode", "payee", "note"),
    *("category", "labels", "accountName"),
)


def preview_of(session: LedgerSession, report: ImportReport) -> dict[str, Any]:
    """The result of an import or a dry run; within its transaction."""
    details = report.details
    return {
        "revision": session.before.revision,
        "tag": session.before.tag,
        "changed": report.changed,
        "format": details["format"],
        "profile": details.get("profile"),
        "encoding": details.get("encoding"),
        "counts": report.counts,
        "skipped": dict(sorted(report.skipped.items())),
        "totals": [
            {**total._asdict(), **_days_of(session, report, total.account)}
            for total in report.totals
        ],
        "new": [{name: row[name] for name in _SHOWN} for row in report.new],
        "updates": [
            {"line": each.line, "changes": _changes(each.old, each.new)}
            for each in sorted(report.updates[:MOST_SHOWN], key=lambda update: update.line)
        ],
        "matches": [
            {"line": each.line, "entry": _values(each.entry), "record": _values(each.record)}
            for each in report.matches[:MOST_SHOWN]
        ],
        "remarks": report.remarks,
        "categories": sorted(
            row["name"]
            for row_id, row in session.categories.rows.items()
            if session.categories.stored(row_id) is None
        ),
        "entry": session.number if report.changed else None,
    }


def _days_of(session: LedgerSession, report: ImportReport, name: str) -> dict[str, Any]:
    """The days of an account that the file covers, and whether the account is new."""
    accounts = session.accounts
    ids = {row["id"] for row in accounts.named(name)}
    facts = [fact for fact in report.details["accounts"] if fact["accountId"] in ids]
    days = [fact[day] for fact in facts for day in ("first", "last") if fact.get(day) is not None]
    return {
        "isNew": not any(accounts.stored(row_id) for row_id in ids),
        "first": min(days, default=None),
        "last": max(days, default=None),
    }


def refusal_of(refused: ImportRefused, order: ImportOrder | None) -> dict[str, Any]:
    """Why a file is refused, and the answers that allow it. order: None for an unknown format."""
    return {
        "format": None if order is None else order.format_name,
        "headings": [] if order is None else order.headings,
        "reason": refused.reason,
        "line": refused.line,
        "questions": [
            {**question._asdict(), "answers": [answer._asdict() for answer in question.answers]}
            for question in refused.questions
        ],
    }


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[list[Any]]:
    """Name of the field, old and new value."""
    return [[name, _shown(name, old[name]), _shown(name, new[name])] for name in old]


def _values(values: Mapping[str, Any]) -> list[list[Any]]:
    return [[name, _shown(name, value)] for name, value in values.items() if value is not None]


def _shown(name: str, value: Any) -> Any:
    """The text of a value; amounts stay numbers."""
    if value is None or value == ():
        return None
    field = RECORDS.get_field(name)
    if field is None or field.kind is Kind.NUMBER:
        return value
    return text_writer(field)(value)
