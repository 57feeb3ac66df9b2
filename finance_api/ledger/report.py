"""The report of an import."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.resources import RECORDS
from finance_api.resources.field import Kind
from finance_api.resources.wire import json_writer
from finance_api.values import Row
from finance_api.values.number import decimal_text

#: Up to this many updates and matches are listed; the rest are only counted.
MOST_LISTED = 1_000
#: Up to this many new records are shown.
MOST_SHOWN = 10


class Update(NamedTuple):
    """A stored record that the file changed. old, new: the changed values, by field."""

    id: str
    line: int
    old: dict[str, Any]
    new: dict[str, Any]


class Match(NamedTuple):
    """An entry matched with a record of another format. entry, record: their values, by field."""

    id: str
    line: int
    entry: dict[str, Any]
    record: dict[str, Any]


class AccountTotal(NamedTuple):
    """The sums of an account in the file, in ten-thousandths. balance: after the import.

    first, last: the days of its entries in the file: seconds of their 00:00:00Z; None without any.
    """

    account: str
    currency: str
    money_in: int
    money_out: int
    balance: int
    first: int | None = None
    last: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "account": self.account,
            "currencyCode": self.currency,
            "in": _number(self.money_in),
            "out": _number(self.money_out),
            "balance": _number(self.balance),
        }


@dataclass
class ImportReport:
    """The counts of one file's objects (for statement formats, only records), and some of them.

    matched: number of entries matched with records of other sources.
    new_records: number of new records; uncategorised: how many of them have no category.
    skipped: number of items that no record can hold, by kind.
    new, updates, matches: the first ones of each. remarks: sentences for the user.
    totals: by account. details: those of the history entry.
    changed: whether the import changed visible data. on_new: called as new records are noted.
    """

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    matched: int = 0
    new_records: int = 0
    uncategorised: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    new: list[Row] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    totals: list[AccountTotal] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    changed: bool = False
    on_new: Callable[[], None] = lambda: None

    @property
    def counts(self) -> dict[str, int]:
        return {
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "matched": self.matched,
            "skipped": self.skipped.total(),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            **self.counts,
            "updates": [_as_json(u.id, u.line, old=u.old, new=u.new) for u in self.updates],
            "matches": [
                _as_json(m.id, m.line, entry=m.entry, record=m.record) for m in self.matches
            ],
            "remarks": self.remarks,
            "accounts": [each.as_json() for each in self.totals],
        }

    def note_new(self, records: Sequence[Row]) -> None:
        self.created += len(records)
        self.new_records += len(records)
        self.uncategorised += sum(row["categoryId"] is None for row in records)
        self.new += records[: MOST_SHOWN - len(self.new)]
        self.on_new()

    def note_update(self, update: Update) -> None:
        self.updated += 1
        if len(self.updates) < MOST_LISTED:
            self.updates.append(update)

    def note_match(self, match: Match) -> None:
        self.matched += 1
        if len(self.matches) < MOST_LISTED:
            self.matches.append(match)

    def add_counts(self, other: "ImportReport") -> None:
        self.created += other.created
        self.updated += other.updated
        self.unchanged += other.unchanged
        self.matched += other.matched
        self.skipped.update(other.skipped)


def _number(units: int) -> float | str:
    """Return ten-thousandths as a JSON number, or as text if programs would round the number."""
    text = decimal_text(units)
    return float(text) if abs(units) < 2**53 else text


_WRITERS = {
    field.name: _number if field.kind is Kind.NUMBER else json_writer(field)
    for field in RECORDS.fields
}


def _as_json(record_id: str, line: int, **values: dict[str, Any]) -> dict[str, Any]:
    written = {name: _written(of_record) for name, of_record in values.items()}
    return {"id": record_id, "line": line, **written}


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a record's fields as JSON values."""
    written = {}
    for name, value in values.items():
        writer = _WRITERS.get(name)
        written[name] = value if value is None or writer is None else writer(value)
    return written
