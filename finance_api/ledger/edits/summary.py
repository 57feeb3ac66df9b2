"""What an edit did, in the few facts that a sentence about it needs."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: Longer names and values are cut.
_MAX_CHARACTERS = 80
#: The sums of up to this many days are kept.
_MAX_DAYS = 500


@dataclass
class EditSummary:
    """Counts and common values of the rows that an edit added, changed or removed.

    counts: resource -> "created", "updated" or "removed" -> number of rows; the resource that the
    edit is about comes first. name: the first row's; None: it has none.
    values: the fields that were changed. A field that got one value in all rows has that text,
    or None if it was emptied, in a list; a field that got different values has an empty list.
    sums: account -> day -> by how much the records' sum of that day changed.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    name: str | None = None
    values: dict[str, list[str | None]] = field(default_factory=dict)
    sums: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    def count(self, resource: str, verb: str, name: str | None) -> None:
        if not self.counts:
            self.name = name and _cut(name)
        counts = self.counts[resource]
        counts[verb] = counts.get(verb, 0) + 1

    def note_value(self, name: str, text: str | None) -> None:
        """Note the new value of a field in one more row."""
        value = [text and _cut(text)]
        if self.values.setdefault(name, value) != value:
            self.values[name] = []

    def note_record(self, before: Row | None, after: Row | None) -> None:
        """Note how a new, changed or removed record changes the sums of days."""
        if before is not None and after is not None and _counts_as(before) == _counts_as(after):
            return
        for row, sign in ((before, -1), (after, 1)):
            if row is not None:
                account_id, day, amount = _counts_as(row)
                sums = self.sums[account_id]
                sums[day] = sums.get(day, 0) + sign * amount

    def as_json(self) -> dict[str, Any]:
        sums = ((i, d, units) for i, days in self.sums.items() for d, units in days.items())
        return {
            "counts": dict(self.counts),
            "name": self.name,
            "values": self.values,
            "sums": list(islice((each for each in sums if each[2]), _MAX_DAYS)),
        }


def _counts_as(row: Row) -> tuple[str, int, int]:
    """Return the record's account, its day (the first second), and what it adds to sums."""
    date = row["recordDate"]
    amount = 0 if row["recordState"] == VOID else row["amount"]
    return row["accountId"], date - date % DAY_SECONDS, amount


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
