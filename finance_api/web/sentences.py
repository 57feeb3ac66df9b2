"""What an entry of the history changed: in a sentence, and row by row."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from finance_api.ledger.edits.naming import counted_rows
from finance_api.ledger.edits.rules import APPLY
from finance_api.ledger.session import IMPORT
from finance_api.planning.repetition import parse_repetition
from finance_api.resources import BY_NAME, RECORDS
from finance_api.resources.currencies import money_text
from finance_api.resources.field import Field, Kind, Resource, Role
from finance_api.storage.interface import HistoryEntry
from finance_api.values.number import to_units
from finance_api.values.period_limits import split_limits
from finance_api.values.text import Message, count_text, counted_text, day_text, message
from finance_api.values.time import parse_date
from finance_api.web.forms import choice_label, label_of
from finance_api.web.page import capital

_TRANSFERS = {
    "transfers find": "{} linked. Budgets and sums leave transfers out.",
    "transfers link": "{} linked. Budgets and sums leave transfers out.",
    "transfers unlink": "{} unlinked.",
    "transfers dismiss": "{} dismissed. These pairs are not proposed again.",
}
#: The action of remembering that both records of a pair are right.
KEEP_BOTH = "duplicates keep"
#: The action of adding a standing order that ends, for a payment that is cancelled.
CANCEL = "recurring cancel"
#: Sentences with the name of the record or payment.
_NAMED = {
    CANCEL: "{} is cancelled: you are warned if it is paid after its last day.",
    "records split": "{} split into parts: {}.",
    "records join": "Parts of {} joined into one record again.",
    "recurring ignore": "The recurring payment {} is no longer shown or expected.",
    "recurring restore": "The recurring payment {} is shown and expected again.",
}
_VERBS = {"created": "added", "updated": "changed", "removed": "removed"}
#: A sentence names up to this many fields.
_MAX_FIELDS = 3
#: Derived fields that sentences name in place of the stored fields, which contain ids.
_READABLE = ("category", "labels")


@dataclass(frozen=True)
class ChangedRow:
    """A row as an edit found it. name, day, amount: None if it has none.

    verb: "added", "changed" or "removed". changes: label, old and new value of the changed fields.
    """

    resource: Resource
    id: str
    name: str | None
    day: int | None
    amount: Message | None
    verb: str
    changes: list[tuple[str, Message, Message]]


def rows_of(entry: HistoryEntry) -> list[ChangedRow]:
    """Return the rows that are kept with an edit, the newest records first."""
    kept = (entry.details.get("summary") or {}).get("rows", ())
    return [
        ChangedRow(
            resource=(resource := BY_NAME[row["type"]]),
            id=row["id"],
            name=row["name"],
            day=parse_date(row["day"]) if "day" in row else None,
            amount=_words(RECORDS["amount"], row["amount"]) if "amount" in row else None,
            verb=_VERBS[row["verb"]],
            changes=[
                (label_of(field), _words(field, old), _words(field, new))
                for field, (old, new) in _fields(resource, row["changed"])
            ],
        )
        for row in sorted(kept, key=lambda row: str(row.get("day", "9")), reverse=True)
    ]


def sentence_of(entry: HistoryEntry) -> Message:
    """Say what an entry changed: ``Category of Aldi: none → Groceries.``"""
    details = entry.details
    counts = details.get("counts") or {}
    if entry.action == IMPORT:
        return _import_sentence((details.get("file") or {}).get("name"), counts)
    summary = details.get("summary") or {}
    if entry.action in _TRANSFERS:
        return _transfer_sentence(entry.action, counts, summary)
    if entry.action == KEEP_BOTH:
        names = " and ".join(row["name"] or "a record" for row in summary.get("rows", ()))
        return message(f"Remembered as no duplicates: {names}.")
    if entry.action in _NAMED:
        made = [row for row in summary.get("rows", ()) if row["verb"] == "created" and "day" in row]
        parts = ", ".join(_marked(RECORDS["amount"], row["amount"]) for row in made)
        return capital(_NAMED[entry.action].format(summary.get("name") or "a record", parts))
    text = ", ".join(_parts(summary)) if summary.get("counts") else "your data changed"
    return message(f"Rules applied: {text}.") if entry.action == APPLY else capital(f"{text}.")


def _import_sentence(file: str | None, counts: dict[str, int]) -> Message:
    rows = [
        f"{count_text(counts[key])} {word}"
        for key, word in (("created", "new"), ("updated", "changed"))
        if counts.get(key)
    ]
    head = f"{file} imported" if file else "A file was imported"
    return message(f"{head}: {', '.join(rows) or 'nothing new'}.")


def _transfer_sentence(action: str, counts: dict[str, int], summary: dict[str, Any]) -> Message:
    number = max(1, counts.get("updated", 0) // 2)
    names = [row["name"] or "a record" for row in summary.get("rows", ())]
    is_one = number == 1 and len(names) == 2
    what = f"transfer of {' and '.join(names)}" if is_one else counted_text(number, "transfer")
    return capital(message(_TRANSFERS[action].format(what)))


def _parts(summary: dict[str, Any]) -> list[str]:
    parts: list[str] = []
    for name, verbs in summary["counts"].items():
        resource = BY_NAME[name]
        for verb, count in verbs.items():
            is_named = not parts and count == 1
            called = summary.get("name") if is_named else None
            day, amount = _day_and_amount(summary) if is_named else ("", "")
            rows = f"the record{day}" if day else counted_rows(count, resource)
            fields = _fields(resource, summary["values"]) if not parts else []
            if verb == "updated" and fields:
                old = summary.get("old", {})
                if called and old.get(fields[0][0].name) == [called]:
                    called = f"the {resource.word}"
                numbers = {} if count == 1 else summary.get("numbers", {}).get(name, {})
                of = [
                    counted_rows(numbers[f.name], resource) if f.name in numbers else called or rows
                    for f, _ in fields
                ]
                parts.append(_values_set(fields, old, of))
            else:
                what = f"{resource.word} {called}{day}" if called else rows
                is_deleted = resource is RECORDS and verb == "removed"
                into = summary.get("into") if not parts else None
                done = f"merged into {into}" if into else "deleted" if is_deleted else _VERBS[verb]
                parts.append(f"{what}{amount} {done}")
    return parts


def _day_and_amount(summary: dict[str, Any]) -> tuple[str, str]:
    """Return what to add to the name of the first row if it is a record."""
    for row in summary.get("rows", ())[:1]:
        if "day" in row:
            amount = _marked(RECORDS["amount"], row["amount"])
            return f" of {day_text(parse_date(row['day']))}", f" ({amount})"
    return "", ""


def _fields(resource: Resource, values: Mapping[str, Any]) -> list[tuple[Field, Any]]:
    """Return the fields that people set, with their values.

    values: the values of an edit by field name, which may also be of another resource.
    """
    found = ((resource.get_field(name), value) for name, value in values.items())
    return [
        (field, value)
        for field, value in found
        if field is not None and (field.name in _READABLE or field.role is Role.STORED)
    ]


def _values_set(
    fields: list[tuple[Field, list[str | None]]], old: dict[str, list[str | None]], rows: list[str]
) -> str:
    """Say what became of the first fields: ``category of Aldi: A → B, note set to milk``.

    old: the old values by field name, which entries of older versions lack. rows: those that have
    a new value, for each field.
    """
    parts = [
        f"{label_of(field).lower()}{f' of {of}' if of != before else ''}"
        f"{_change(field, old.get(field.name, []), new)}"
        for (field, new), of, before in zip(fields[:_MAX_FIELDS], rows, ["", *rows], strict=False)
    ]
    if len(fields) > _MAX_FIELDS:
        parts.append(f"and {counted_text(len(fields) - _MAX_FIELDS, 'more field')} changed")
    return ", ".join(parts)


def _change(field: Field, old: list[str | None], new: list[str | None]) -> str:
    """Return what became of a field. old, new: a list with the value; empty if rows differ."""
    if not new:
        return " changed"
    if old:
        return f": {_marked(field, old[0])} → {_marked(field, new[0])}"
    return " removed" if new[0] is None else f" set to {_marked(field, new[0])}"


def _words(field: Field, text: str | None) -> Message:
    return message(_marked(field, text))


def _marked(field: Field, text: str | None) -> str:
    """Return the text of a value, as an edit keeps it, for a `message`."""
    if field.kind is Kind.ID and not field.references:
        # Records of a transfer or split share such an id.
        return "no" if text is None else "yes"
    if text is None:
        return "none"
    if field.is_money:
        number, _, currency = text.partition(" ")
        return money_text(to_units(Decimal(number)), currency or None)
    if field.name == "recurrenceRule" and (repetition := parse_repetition(text)):
        return repetition.words
    if field.kind is Kind.LIMIT_LIST and not text.endswith("…"):
        # A text that ends so was too long to be kept whole.
        return ", ".join(
            f"{day_text(parse_date(day))} {money_text(to_units(Decimal(limit)), None)}"
            for day, limit in split_limits(text.split(";"))
        )
    match field.kind:
        case Kind.DATE | Kind.DATETIME:
            return day_text(parse_date(text.partition("T")[0]))
        case Kind.BOOLEAN:
            return "yes" if text == "true" else "no"
        case Kind.CHOICE:
            return choice_label(text)
    return text
