"""The entries of one file, while they are compared and stored."""

import marshal
from collections.abc import Iterable

from finance_api.importers.interface import Entry, Statement
from finance_api.ledger.matching.model import FileEntry, Rare
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

#: Shared by entries without other rare values, by offset.
_OFFSETS: dict[int | None, Rare] = {}


class FileEntries:
    """The entries in the order of the file, packed: a file can have many.

    source: their source. statements: of the file. open: what is compared of each entry.
    """

    def __init__(self, source: str, entries: Iterable[tuple[Statement, Entry | None]]) -> None:
        """Raises ImportRefused."""
        self.source = source
        self.statements: list[Statement] = []
        self.open: list[FileEntry] = []
        self._packed: list[bytes] = []
        numbers: dict[int, int] = {}
        days: dict[int, int] = {}
        for statement, entry in entries:
            number = numbers.get(id(statement))
            if number is None:
                number = numbers[id(statement)] = len(self.statements)
                self.statements.append(statement)
            if entry is None:
                continue
            # The same as in `Content`, without making one for each of many entries.
            day, time = divmod(entry.date, DAY_SECONDS)
            text = hash((fold(entry.payee or ""), fold(entry.note or "")))
            day, n = days.setdefault(day, day), len(self.open)
            self.open.append(
                FileEntry(n, number, day, time, entry.amount, text, entry.bank_id, _rare(entry))
            )
            plain = entry if entry.correction is None else entry._replace(correction=None)
            self._packed.append(marshal.dumps(tuple(plain)))  # type: ignore[arg-type]

    def read(self, n: int) -> Entry:
        """The whole entry, but for its correction, which is in `Rare`."""
        # It was packed above; and marshal runs no code that it reads.
        return Entry._make(marshal.loads(self._packed[n]))  # noqa: S302


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
