"""The notice after a change of the user's data: what changed, and a button to undo it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from finance_api.http.requests import Request
from finance_api.ledger.edits.naming import counted_rows
from finance_api.ledger.edits.rules import APPLY
from finance_api.ledger.session import IMPORT
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Field, Kind, Resource, Role
from finance_api.storage.interface import HistoryEntry
from finance_api.values.number import to_units
from finance_api.values.sentences import amount_text, count_text
from finance_api.values.text import counted
from finance_api.web.forms import label_of
from finance_api.web.page import CHANGED, NOTICE_PARAMETERS

#: A page that is opened later, from a bookmark for example, shows no notice.
_SECONDS = 3_600

_TRANSFERS = {
    "transfers link": "{} linked. Budgets and sums leave transfers out.",
    "transfers unlink": "{} unlinked.",
    "transfers dismiss": "{} dismissed. These pairs are not proposed again.",
}
_SPLITS = {
    "records split": "{} split into parts.",
    "records join": "Parts of {} joined into one record again.",
}
_VERBS = {"created": "added", "updated": "changed", "removed": "removed"}
#: A sentence names up to this many fields.
_MAX_FIELDS = 3
_BY_NAME = {resource.name: resource for resource in RESOURCES}
#: Derived fields that stand for a stored one.
_READABLE = ("category", "labels")


@dataclass(frozen=True)
class ChangeNotice:
    """number: of the history entry. back: the path of the page without the notice."""

    number: int
    sentence: str
    back: str


def change_notice(request: Request) -> ChangeNotice | None:
    """Return the notice that `page.changed` asks for; None if the entry cannot be undone now.

    The number counts in the history of the signed-in user only.
    """
    text = request.GET.get(CHANGED, "")
    if request.method != "GET" or not (text.isascii() and text.isdigit() and len(text) < 16):
        return None
    now = request.now
    for entry in reversed(request.storage.history.list_entries(request.user.id)):
        if entry.number == int(text):
            is_live = entry.undone_at is None and not entry.pruned and entry.at > now - _SECONDS
            kept = [pair for pair in request.GET.items() if pair[0] not in NOTICE_PARAMETERS]
            back = request.path + (f"?{urlencode(kept)}" if kept else "")
            return ChangeNotice(entry.number, sentence_of(entry), back) if is_live else None
    return None


def sentence_of(entry: HistoryEntry) -> str:
    """Say what an entry changed: ``Category of 12 records set to Groceries.``"""
    details = entry.details
    counts = details.get("counts") or {}
    if entry.action == IMPORT:
        return _import_sentence((details.get("file") or {}).get("name"), counts)
    if entry.action in _TRANSFERS:
        transfers = counted(max(1, counts.get("updated", 0) // 2), "transfer")
        return _TRANSFERS[entry.action].format(transfers)
    summary = details.get("summary") or {}
    if entry.action in _SPLITS:
        sentence = _SPLITS[entry.action].format(summary.get("name") or "a record")
        return f"{sentence[:1].upper()}{sentence[1:]}"
    parts = _parts(summary) if summary.get("counts") else ["your data changed"]
    text = ", ".join(parts)
    if entry.action == APPLY:
        return f"Rules applied: {text}."
    return f"{text[:1].upper()}{text[1:]}."


def _import_sentence(file: str | None, counts: dict[str, int]) -> str:
    rows = [
        f"{count_text(counts[key])} {word}"
        for key, word in (("created", "new"), ("updated", "changed"))
        if counts.get(key)
    ]
    return f"{file or 'The file'} imported: {', '.join(rows) or 'nothing new'}."


def _parts(summary: dict[str, Any]) -> list[str]:
    parts: list[str] = []
    for name, verbs in summary["counts"].items():
        resource = _BY_NAME[name]
        for verb, count in verbs.items():
            called = summary.get("name") if not parts and count == 1 else None
            fields = _fields(resource, summary["values"]) if not parts else {}
            if verb == "updated" and 0 < len(fields) <= _MAX_FIELDS:
                parts.append(_values_set(fields, called or counted_rows(count, resource)))
            else:
                what = f"{resource.word} {called}" if called else counted_rows(count, resource)
                parts.append(f"{what} {_verb(resource, verb)}")
    return parts


def _verb(resource: Resource, verb: str) -> str:
    return "deleted" if resource is RECORDS and verb == "removed" else _VERBS[verb]


def _fields(resource: Resource, values: dict[str, Any]) -> dict[str, list[str | None]]:
    """Return the new values by the labels of the fields that people set.

    values: may be of another resource that the edit changed as well.
    """
    found = {name: resource.get_field(name) for name in values}
    return {
        label_of(field): [_as_people_write(field, text) for text in values[name]]
        for name, field in found.items()
        if field is not None and (name in _READABLE or field.role is Role.STORED)
    }


def _as_people_write(field: Field, text: str | None) -> str | None:
    return amount_text(to_units(Decimal(text))) if text and field.kind is Kind.NUMBER else text


def _values_set(fields: dict[str, list[str | None]], rows: str) -> str:
    labels = [label.lower() for label in fields]
    names = " and ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else labels[0]
    values = next(iter(fields.values()))
    if len(fields) > 1 or not values:
        return f"{names} of {rows} changed"
    return f"{names} of {rows} {'removed' if values[0] is None else f'set to {values[0]}'}"
