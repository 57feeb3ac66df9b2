"""The rows that matching compares: entries of a file, and stored records as files stated them."""

import marshal
from collections.abc import Iterable, Iterator
from dataclasses import InitVar, dataclass, field
from enum import IntEnum
from typing import NamedTuple

from finance_api.importers.interface import Entry, ImportRefused, Statement
from finance_api.ledger.matching.accounts import KnownAccount
from finance_api.ledger.matching.stated import StatedValues, hash_of
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS


class Outcome(IntEnum):
    """The decision about an entry."""

    #: The entry equals a stored record.
    SAME = 1
    #: The entry equals a stored record, judged by its content alone.
    SAME_CONTENT = 2
    #: The entry repeats another entry of the file.
    DUPLICATE = 3
    #: The entry equals a stored record, but states different values.
    CORRECTION = 4
    #: The entry equals a stored record that has values from a newer statement.
    OLDER = 5
    #: The entry equals a record of another source.
    MATCHED = 6
    #: The entry equals several records together: only the first one gets the entry's content.
    MATCHED_PARTS = 7
    #: The entry voids a stored record.
    VOIDS = 8
    #: The entry corrects or voids another entry of the file, which has to be stored first.
    WAITING = 9
    #: The entry becomes a new record.
    NEW = 10


class Pair(NamedTuple):
    """A rule's decision about an entry.

    candidate: the stored record that it equals. parts: all records, if it equals several together.
    """

    entry: "FileEntry"
    outcome: Outcome
    candidate: "Candidate | None" = None
    parts: "tuple[Candidate, ...]" = ()


@dataclass(eq=False, slots=True)
class FileEntry:
    """The compared part of an entry; `FileEntries.read` returns the whole entry.

    n: its place in the file, from 0. day: the number of days since 1970-01-01. time: seconds of
    the day, 0 if unknown. text, content: hashes, see `stated.Content`. rare: see `Rare`.
    outcome: None while it is undecided. candidate: the stored record that it equals. parts: all
    records, for MATCHED_PARTS. awaits: the entry that it corrects.
    number: counts the entries that share its bank id or content, from 1.
    """

    n: int
    statement: int
    day: int
    time: int
    amount: int
    text: int
    bank_id: str | None
    rare: "Rare"
    account: KnownAccount = None  # type: ignore[assignment]  # known later
    outcome: Outcome | None = None
    candidate: "Candidate | None" = None
    parts: "tuple[Candidate, ...]" = ()
    awaits: "FileEntry | None" = None
    number: int = 1

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))

    @property
    def instant(self) -> int | None:
        """Seconds in UTC; None if the offset is unknown."""
        return _instant(self.day * DAY_SECONDS + self.time, self.rare.offset)


def correction_chain(entry: FileEntry | None) -> Iterator[FileEntry]:
    """Yield the entry, the one that it corrects, and so on. Raises ImportRefused."""
    number = 0
    while entry is not None:
        if number == _LONGEST_CHAIN:
            raise ImportRefused(f"more than {number} entries form a chain of corrections")
        yield entry
        entry, number = entry.awaits, number + 1


def _instant(date: int, offset: int | None) -> int | None:
    return None if offset is None else date - offset


@dataclass(eq=False, slots=True)
class Rare:
    """Values that few entries have; entries without any share one object for each offset.

    corrects: the bank id of the entry that it corrects or deletes. parts: the amounts of its parts,
    sorted. See `importers.interface.Entry`
    for the other fields.
    """

    fingerprint: str = ""
    corrects: str | None = None
    deletes: bool = False
    batch: str | None = None
    section: int | None = None
    offset: int | None = None
    parts: tuple[int, ...] = ()


#: Whether payee and note of a candidate were derived with the same options as the file's.
SAME_TEXTS, OTHER_TEXTS, UNKNOWN_TEXTS = 0, 1, 2


@dataclass(eq=False, slots=True)
class Candidate:
    """A stored record, as one entry of a source stated it.

    record: its id. place: index of the entry among those that stated the record. mine: whether the
    entry is of this file's source. covered: the file covers its day at least partly; inner: wholly.
    instant: see `FileEntry`. payee, note: hashes.
    earlier: previously stated values, see `Earlier`. following: the next equal candidate, while
    pairs are formed.
    """

    account: KnownAccount
    stated: InitVar[StatedValues]
    record: str
    place: int
    mine: bool
    source: str | None
    bank_id: str | None
    texts: int
    is_void: bool
    earlier: "tuple[Earlier, ...]"
    day: int = field(init=False)
    time: int = field(init=False)
    amount: int = field(init=False)
    text: int = field(init=False)
    payee: int | None = None
    note: int | None = None
    as_of: int | None = field(init=False)
    batch: str | None = field(init=False)
    instant: int | None = field(init=False)
    covered: bool = field(init=False)
    inner: bool = field(init=False)
    is_taken: bool = False
    following: "Candidate | None" = None

    def __post_init__(self, stated: StatedValues) -> None:
        content = stated.now
        assert content is not None
        self.day, self.time, self.amount = content.day, content.time, content.amount
        self.text = content.text_hash
        self.as_of, self.batch = stated.as_of, stated.batch
        self.instant = _instant(content.date, stated.offset)
        self.covered, self.inner = self.account.coverage(self.day)
        if self.bank_id is not None:
            # Payee and note are compared separately only between rows with equal ids.
            self.payee, self.note = hash_of(content.payee), hash_of(content.note)

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))


#: A version before a correction: the hash of its content, its time and bank id, and whether this
#: id differs from the candidate's current one.
Earlier = tuple[int, int, str | None, bool]


#: More corrections of corrections would take too long to follow.
_LONGEST_CHAIN = 100
#: Offset -> the object that entries without other rare values share.
_OFFSETS: dict[int | None, Rare] = {}


class FileEntries:
    """The entries in the order of the file, packed because there can be many.

    source: of all entries. statements: of the file. open: the compared part of each entry.
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
            # Computes the same as `Content` does, but without an object for each entry.
            day, time = divmod(entry.date, DAY_SECONDS)
            text = hash((fold(entry.payee or ""), fold(entry.note or "")))
            day, n = days.setdefault(day, day), len(self.open)
            self.open.append(
                FileEntry(n, number, day, time, entry.amount, text, entry.bank_id, _rare(entry))
            )
            plain = entry if entry.correction is None else entry._replace(correction=None)
            self._packed.append(marshal.dumps(tuple(plain)))  # type: ignore[arg-type]

    def read(self, n: int) -> Entry:
        """Return the whole entry, except its correction, which is in `Rare`."""
        # The bytes were packed above, and marshal does not run code while it reads.
        return Entry._make(marshal.loads(self._packed[n]))  # noqa: S302


def _rare(entry: Entry) -> Rare:
    has_section = entry.section is not None
    if not (entry.fingerprint or entry.correction or entry.batch or has_section or entry.parts):
        return _OFFSETS.setdefault(entry.offset, Rare(offset=entry.offset))
    correction = entry.correction
    return Rare(
        entry.fingerprint,
        None if correction is None else correction.bank_id,
        correction is not None and correction.deletes,
        entry.batch,
        entry.section,
        entry.offset,
        tuple(sorted(part[0] for part in entry.parts)),
    )
