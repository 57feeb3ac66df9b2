"""The entries of one file, while they are compared and stored."""

import marshal
from array import array
from collections.abc import Iterable
from typing import Any

from finance_api.importers.interface import Correction, Entry, Statement
from finance_api.ledger.matching.model import FileEntry, Rare
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

_CORRECTION = Entry._fields.index("correction")
#: What entries with nothing else rare share, by their offsets.
_OFFSETS: dict[int | None, Rare] = {}
_BLOCK = 1_000


class FileEntries:
    """The entries in the order of the file, packed: a file can have many.

    source: their source. statements: of the file. open: what is compared of each entry.
    """

    def __init__(self, source: str, entries: Iterable[tuple[Statement, Entry | None]]) -> None:
        """Raises ImportRefused."""
        self.source = source
        self.statements: list[Statement] = []
        self.open: list[FileEntry] = []
        self._blocks: list[bytes] = []
        self._ends = array("I")
        numbers: dict[int, int] = {}
        days: dict[int, int] = {}
        block: list[bytes] = []
        for statement, entry in entries:
            number = numbers.get(id(statement))
            if number is None:
                number = numbers[id(statement)] = len(self.statements)
                self.statements.append(statement)
            if entry is None:
                continue
            # As `Content` has them; there are many.
            day, time = divmod(entry.date, DAY_SECONDS)
            text = hash((fold(entry.payee or ""), fold(entry.note or "")))
            day, n = days.setdefault(day, day), len(self.open)
            self.open.append(
                FileEntry(n, number, day, time, entry.amount, text, entry.bank_id, _rare(entry))
            )
            block.append(marshal.dumps(_plain(entry)))
            if len(block) == _BLOCK:
                self._put(block)
        self._put(block)

    def _put(self, block: list[bytes]) -> None:
        end = 0
        for packed in block:
            end += len(packed)
            self._ends.append(end)
        self._blocks.append(b"".join(block))
        block.clear()

    def read(self, n: int) -> Entry:
        """The whole entry."""
        block, place = divmod(n, _BLOCK)
        begin = self._ends[n - 1] if place else 0
        # It is what was packed here; and marshal runs nothing that it reads.
        packed = marshal.loads(self._blocks[block][begin : self._ends[n]])  # noqa: S302
        entry = Entry._make(packed)
        if entry.correction is not None:
            entry = entry._replace(correction=Correction(*entry.correction))  # type: ignore[misc]
        return entry


def _plain(entry: Entry) -> tuple[Any, ...]:
    correction = entry.correction
    if correction is None:
        return tuple(entry)
    return (
        *entry[:_CORRECTION],
        (correction.bank_id, correction.deletes),
        *entry[_CORRECTION + 1 :],
    )


def _rare(entry: Entry) -> Rare:
    if not (entry.fingerprint or entry.correction or entry.batch or entry.section is not None):
        return _OFFSETS.setdefault(entry.offset, Rare(offset=entry.offset))
    correction = entry.correction
    return Rare(
        entry.fingerprint,
        None if correction is None else correction.bank_id,
        correction is not None and correction.deletes,
        entry.batch,
        entry.section,
        entry.offset,
    )
