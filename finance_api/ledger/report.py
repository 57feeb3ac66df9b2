"""The report of an import, in numbers."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class ImportReport:
    """Counts of the objects of one file (records only, for statement formats).

    skipped: what the file has and nothing keeps, by what it is.
    changed: whether the user's data is different from before.
    """

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    changed: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "skipped": self.skipped.total(),
        }

    def add(self, other: "ImportReport") -> None:
        self.created += other.created
        self.updated += other.updated
        self.unchanged += other.unchanged
        self.skipped.update(other.skipped)
        self.changed = self.changed or other.changed
