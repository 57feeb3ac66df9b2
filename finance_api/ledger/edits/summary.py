"""What an edit did, in the few facts that a sentence about it needs."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

#: Longer names and values are cut.
_MAX_CHARACTERS = 80


@dataclass
class EditSummary:
    """Counts and common values of the rows that an edit added, changed or removed.

    counts: resource -> "created", "updated" or "removed" -> number of rows; the resource that the
    edit is about comes first. name: the first row's; None: it has none.
    values: the fields that were changed. A field that got one value in all rows has that text,
    or None if it was emptied, in a list; a field that got different values has an empty list.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    name: str | None = None
    values: dict[str, list[str | None]] = field(default_factory=dict)

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

    def as_json(self) -> dict[str, Any]:
        return {"counts": dict(self.counts), "name": self.name, "values": self.values}


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
