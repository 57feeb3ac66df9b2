"""Watches an importer while it reads a file."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, BinaryIO

from finance_api.importers.csv.places import TableSample
from finance_api.importers.interface import (
    Entry,
    Remembered,
    Statement,
    StatementImporter,
    nothing_remembered,
)

#: The number of entries that are kept, and how often their count is reported.
_KEPT, _REPORTED = 5, 1_000


class WatchedImporter:
    """Wraps an importer, and reads as it does. first: the first entries, for the preview.

    count: of the entries so far. on_count: called from time to time as it rises.
    """

    def __init__(self, importer: StatementImporter, on_count: Callable[[], None]) -> None:
        self._importer = importer
        self._on_count = on_count
        self.source = importer.source
        self.first: list[dict[str, Any]] = []
        self.count = 0

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `StatementImporter`."""
        self.first, self.count = [], 0
        for statement, entry in self._importer.read(stream, remembered):
            if entry is not None:
                if self.count < _KEPT:
                    self.first.append(
                        {
                            "recordDate": entry.date,
                            "amount": entry.amount,
                            "payee": entry.payee or entry.note,
                        }
                    )
                self.count += 1
                if self.count % _REPORTED == 0:
                    self._on_count()
            yield statement, entry

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        """Return the beginning of a table; an empty one for formats without tables."""
        sample = getattr(self._importer, "sample", None)
        return TableSample() if sample is None else sample(lines)
