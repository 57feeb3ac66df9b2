"""The report of an edit, and its summary: the few facts that a sentence about the edit needs."""

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from typing import Any

from finance_api.ledger.brought import as_stored
from finance_api.ledger.edits.naming import joined
from finance_api.ledger.references import ids_in
from finance_api.ledger.session import UserRows
from finance_api.resources import RECORDS, referred_by
from finance_api.resources.currencies import money_text
from finance_api.resources.field import Field, Kind, Resource, Role
from finance_api.serialization.values import text_writer
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.text import count_text, day_text, message
from finance_api.values.time import date_text

#: Longer names and values are cut.
_MAX_CHARACTERS = 80
#: The sums of up to this many days are kept.
_MAX_DAYS = 500
#: Up to this many rows are kept with the change.
MAX_KEPT = 100
#: Changed field -> its text before and after the change; None: no value.
_Texts = dict[str, tuple[str | None, str | None]]


@dataclass
class EditSummary:
    """What an edit added, changed and removed, in the words of that moment, for the history.

    counts: resource -> "created", "updated" or "removed" -> number of rows; the resource that the
    edit is about comes first. name: the first row's name. into: the name of the row that took the
    place of a removed one.
    old, values: changed field -> a list with the text before or after the change (None: no value).
    The list is empty if the texts of rows differ. Money has its currency: ``-4.5 EUR``.
    numbers: resource -> changed field -> number of rows.
    rows: the first rows, each with its changed fields; removed ones other than records with what
    their source calls them.
    sums: account -> day -> the change in the sum of that day's records.
    questions: saved question -> its address before and after.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    name: str | None = None
    into: str | None = None
    old: dict[str, list[str | None]] = field(default_factory=dict)
    values: dict[str, list[str | None]] = field(default_factory=dict)
    numbers: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    rows: list[dict[str, Any]] = field(default_factory=list)
    sums: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    questions: dict[str, tuple[str, str]] = field(default_factory=dict)

    def note_row(self, resource: Resource, verb: str, row: Row, changed: _Texts) -> None:
        """Note a row. changed: the texts of its changed fields, before and after."""
        name = _name_of(resource, row)
        name = name and _cut(name)
        if not self.counts:
            self.name = name
        counts = self.counts[resource.name]
        counts[verb] = counts.get(verb, 0) + 1
        numbers = self.numbers[resource.name]
        numbers |= {name: numbers.get(name, 0) + 1 for name in changed}
        for texts, place in ((self.old, 0), (self.values, 1)):
            for field_name, pair in changed.items():
                value = [pair[place]]
                if texts.setdefault(field_name, value) != value:
                    texts[field_name] = []
        if len(self.rows) < MAX_KEPT:
            about = {"type": resource.name, "id": row["id"], "name": name, "verb": verb}
            if resource is RECORDS:
                about["day"] = date_text(row["recordDate"])
                about["amount"] = _kept_text(RECORDS["amount"], row, decimal_text(row["amount"]))
            elif verb == "removed" and row["source"] is not None:
                about |= {"source": row["source"], "sourceId": row["sourceId"] or row["id"]}
            self.rows.append({**about, "changed": changed})

    def note_record(self, before: Row | None, after: Row | None) -> None:
        """Note how a new, changed or removed record changes the sums of days."""
        for row, sign in ((before, -1), (after, 1)):
            if row is not None:
                counted = as_stored(row)
                sums = self.sums[counted.account_id]
                sums[counted.day] = sums.get(counted.day, 0) + sign * counted.counted

    def as_json(self) -> dict[str, Any]:
        sums = ((i, d, units) for i, days in self.sums.items() for d, units in days.items())
        return {
            "counts": dict(self.counts),
            "name": self.name,
            "into": self.into,
            "old": self.old,
            "values": self.values,
            "numbers": dict(self.numbers),
            "rows": self.rows,
            "questions": self.questions,
            "sums": list(islice((each for each in sums if each[2]), _MAX_DAYS)),
        }


def _kept_text(each: Field, row: Row, text: str | None) -> str | None:
    """Return the text of a value for the history; money gets the currency of the row."""
    if each.kind is Kind.TEXT_LIST and text:
        return _cut(joined(row[each.name]))
    if text and each.is_money and (code := row.get(each.currency_name)):
        return f"{text} {code}"
    return text and _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"


#: Up to this many changes are listed one by one; the rest are only counted.
MAX_LISTED = 1_000

#: Fields of records that are not listed, because other fields show the same in a readable form.
_LISTED_BY_NAME = ("categoryId", "labelIds", "recordType", "originalPayee")


@dataclass(frozen=True, slots=True)
class Change:
    """One field of a row, before and after, as text; None: no value.

    type: the resource's name. name: the row's title for users.
    """

    type: str
    id: str
    name: str
    field: str
    old: str | None
    new: str | None


@dataclass
class EditReport:
    """The counts of changed rows, and the changes to fields.

    made, gone: ids and titles of new and removed rows. unlisted: number of rows that are only
    counted. remarks: sentences for the user.
    """

    created: int = 0
    updated: int = 0
    removed: int = 0
    changes: list[Change] = field(default_factory=list)
    made: list[tuple[str, str]] = field(default_factory=list)
    gone: list[tuple[str, str]] = field(default_factory=list)
    unlisted: int = 0
    remarks: list[str] = field(default_factory=list)
    summary: EditSummary = field(default_factory=EditSummary)

    @property
    def counts(self) -> dict[str, int]:
        return {"created": self.created, "updated": self.updated, "removed": self.removed}

    @property
    def details(self) -> dict[str, Any]:
        """Return the details for the history entry."""
        return {"counts": self.counts, "summary": self.summary.as_json()}

    def as_json(self) -> dict[str, Any]:
        return {
            **self.counts,
            "made": [{"id": row_id, "name": title} for row_id, title in self.made],
            "gone": [{"id": row_id, "name": title} for row_id, title in self.gone],
            "changes": [asdict(change) for change in self.changes],
            "unlisted": self.unlisted,
            "remarks": self.remarks,
        }

    def lines(self) -> list[str]:
        """Return one line for each new, removed or changed row, and the remarks, for users."""
        lines = [f"+ {title} ({row_id})" for row_id, title in self.made]
        lines += [f"- {title} ({row_id})" for row_id, title in self.gone]
        lines += [f"{c.name}: {c.field} {c.old or '-'} -> {c.new or '-'}" for c in self.changes]
        if self.unlisted:
            lines.append(message(f"… and {count_text(self.unlisted)} more"))
        return lines + self.remarks

    def sentence(self) -> str:
        parts = [f"{count_text(count)} {what}" for what, count in self.counts.items() if count]
        return message(", ".join(parts)) or "nothing to change"

    def note(
        self, owned: UserRows, resource: Resource, before: Row | None, after: Row | None
    ) -> None:
        """Count a new, changed or removed row, and list the fields that changed."""
        is_full = len(self.changes) + len(self.made) + len(self.gone) >= MAX_LISTED
        self.unlisted += is_full
        if resource is RECORDS:
            self.summary.note_record(before, after)
        if before is None or after is None:
            self.created += before is None
            self.removed += after is None
            if (row := after or before) is not None:
                verb = "created" if before is None else "removed"
                self.summary.note_row(resource, verb, row, {})
            if not is_full and row is not None:
                listed = self.made if before is None else self.gone
                listed.append((row["id"], message(title_of(resource, row))))
            return
        self.updated += 1
        title = "" if is_full else message(title_of(resource, before))
        changed: _Texts = {}
        for each in _listed(resource):
            old, new = before[each.name], after[each.name]
            if old != new:
                texts = shown(owned, each, old), shown(owned, each, new)
                changed[each.name] = (
                    _kept_text(each, before, texts[0]),
                    _kept_text(each, after, texts[1]),
                )
                if not is_full:
                    change = (title, each.name, *texts)
                    self.changes.append(Change(resource.name, after["id"], *change))
        self.summary.note_row(resource, "updated", before, changed)


@cache
def _listed(resource: Resource) -> list[Field]:
    left_out = ("updatedAt", *(_LISTED_BY_NAME if resource is RECORDS else ()))
    return [f for f in resource.listed_fields if f.name not in left_out]


def _name_of(resource: Resource, row: Row) -> str | None:
    name = row["payee"] or row["note"] if resource is RECORDS else row["name"]
    return str(name) if name else None


def title_of(resource: Resource, row: Row) -> str:
    """Return what people call the row, for a `message`."""
    if resource is RECORDS:
        text = row["payee"] or row["note"] or "-"
        amount = money_text(row["amount"], row["currencyCode"])
        return f"{day_text(row['recordDate'])} {text} {amount}"
    return str(row["name"] or row["id"])


def shown(owned: UserRows, each: Field, value: Any) -> str | None:
    """Return a value as text, with names in place of ids."""
    if value is None or value == ():
        return None
    if each.references and each.role is Role.STORED:
        rows = owned.row_set(referred_by(each)).rows
        names = [str(rows[i]["name"] or i) if i in rows else i for i in ids_in(value)]
        return joined(names) if each.kind.is_list else names[0]
    return str(text_writer(each)(value))
