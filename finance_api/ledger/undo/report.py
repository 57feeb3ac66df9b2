"""The report of an undo."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from finance_api.ledger.edits.naming import counted_rows
from finance_api.resources import RESOURCES


@dataclass
class UndoReport:
    """The changes of an undo.

    entries: the numbers of the undone entries, newest first. removed, restored: counts of rows by
    resource. kept: number of rows kept because of later changes. used: the names of accounts,
    categories and labels that are kept because other data refers to them.
    """

    entries: list[int] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    restored: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    used: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """The removed and the restored rows, each as ``3 records``."""
        return _texts(self.removed), _texts(self.restored)

    def as_json(self) -> dict[str, Any]:
        counts = {"removed": dict(+self.removed), "restored": dict(+self.restored)}
        return {"entries": self.entries, **counts, "kept": self.kept, "stillUsed": self.used}


def _texts(counts: Counter[str]) -> list[str]:
    rows = sorted(RESOURCES, key=lambda resource: resource.name)
    return [counted_rows(counts[r.name], r) for r in rows if counts[r.name]]
