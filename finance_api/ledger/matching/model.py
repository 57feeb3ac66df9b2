"""The rows that matching compares: entries of a file, and stored records that may equal them.

Stored records are compared as earlier files stated them.
"""

import marshal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import NamedTuple

from finance_api.importers.interface import (
    ANOTHER_FILE,
    Entry,
    ImportRefused,
    Statement,
    nothing_remembered,
)
from finance_api.ledger.derivation import UNRULED, Ruled
from finance_api.ledger.matching.stated import KnownAccount, text_hash_of
from finance_api.values.text import day_text
from finance_api.values.time import DAY_SECONDS, from_date


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

    candidate: the stored record that the entry equals. parts: all these records, if the entry
    equals several together. rest: the part of a new entry's amount that no stored record has.
    """

    entry: "FileEntry"
    outcome: Outcome
    candidate: "Candidate | None" = None
    parts: "tuple[Candidate, ...]" = ()
    rest: int = 0


@dataclass(eq=False, slots=True)
class FileEntry:
    """An entry of the file, with the values that are compared.

    packed: the entry itself as bytes: as objects, 300,000 entries take 180 MB more.
    day: the number of days since 1970-01-01. time: seconds of the day, 0 if unknown.
    text, content: hashes, see `stated.Content`.
    names_other: see `names_other_side`.
    corrects: the bank id of an entry that this one corrects or, if ``deletes`` is set, deletes.
    split: the sorted amounts of the entry's parts. For other fields see
    `importers.interface.Entry`.
    outcome: None while the entry is undecided. candidate, parts, rest: see `Pair`. awaits: for
    WAITING, the entry of the file that this one corrects.
    number: this entry's place among entries with the same bank id or content, from 1.
    payee: what a rule gives to the new record. ruled: what rules give to it or, instead, to each of
    its parts; empty if there are no rules.
    """

    packed: bytes
    statement: int
    day: int
    time: int
    amount: int
    text: int
    bank_id: str | None
    fingerprint: str
    batch: str | None
    section: int | None
    offset: int | None
    message: str | None = None
    names_other: bool = False
    corrects: str | None = None
    deletes: bool = False
    split: tuple[int, ...] = ()
    account: KnownAccount = None  # type: ignore[assignment]  # known later
    outcome: Outcome | None = None
    candidate: "Candidate | None" = None
    parts: "tuple[Candidate, ...]" = ()
    rest: int = 0
    awaits: "FileEntry | None" = None
    number: int = 1
    payee: str | None = None
    ruled: tuple[Ruled, ...] = ()

    @property
    def whole(self) -> Entry:
        """The entry itself, except its correction."""
        # `FileEntries` packed the bytes, and marshal does not run code while it reads.
        return Entry._make(marshal.loads(self.packed))  # noqa: S302

    def ruled_part(self, number: int) -> Ruled:
        """Return what rules give to a part, from 1; 1 is also an entry without parts."""
        return self.ruled[number - 1] if self.ruled else UNRULED

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))

    @property
    def instant(self) -> int | None:
        """Seconds in UTC; None if the offset is unknown."""
        return utc_instant(self.day * DAY_SECONDS + self.time, self.offset)


def names_other_side(source: str | None, payee: str | None, account: str | None) -> bool:
    """Return whether an entry is certainly one payment, and not the sum of several.

    Statements in camt name the other side of every single payment. Other formats may have any text
    in place of its name.
    """
    return account is not None or (payee is not None and (source or "").startswith("camt"))


def correction_chain(entry: FileEntry | None) -> Iterator[FileEntry]:
    """Yield the entry, the entry that it corrects, and so on. Raises ImportRefused."""
    number = 0
    while entry is not None:
        if number == _LONGEST_CHAIN:
            raise ImportRefused(f"more than {number} entries form a chain of corrections")
        yield entry
        entry, number = entry.awaits, number + 1


def utc_instant(date: int, offset: int | None) -> int | None:
    return None if offset is None else date - offset


#: Whether a candidate's payee and note were derived with the same options as the file's.
SAME_TEXTS, OTHER_TEXTS, UNKNOWN_TEXTS = 0, 1, 2


@dataclass(eq=False, slots=True)
class Candidate:
    """A stored record, as one entry of a source stated it.

    record: the record's id. import_id: the number of the import that created it.
    place: the entry's index among the source's entries for the record.
    day, time, amount, text, content: of the stated values, see `FileEntry`.
    mine: whether the entry is from this file's source. source: the source that created the record.
    texts: SAME_TEXTS, OTHER_TEXTS or UNKNOWN_TEXTS. offset, instant: see `FileEntry`.
    is_void: whether the user voided the record. is_past: whether a statement did, or whether these
    values are those before a correction by another source.
    message: the record's import and `Entry.message`. names_other: see `names_other_side`.
    present: the amount after corrections by other sources. further: see `Further`.
    is_taken: whether an entry has the record with these values. now: the record with its present
    values, if these are those before a correction.
    """

    account: KnownAccount
    record: str
    import_id: int | None
    place: int
    mine: bool
    source: str | None
    bank_id: str | None
    texts: int
    is_void: bool
    is_past: bool
    message: tuple[int, str] | None
    names_other: bool
    present: int
    day: int
    time: int
    amount: int
    text: int
    as_of: int | None
    batch: str | None
    offset: int | None
    further: "Further"
    is_taken: bool = False
    now: "Candidate | None" = None

    @property
    def covered(self) -> bool:
        """Whether the file covers the stated day at least partly."""
        return self.account.coverage(self.day)[0]

    @property
    def inner(self) -> bool:
        """Whether the file covers the stated day wholly."""
        return self.account.coverage(self.day)[1]

    @property
    def instant(self) -> int | None:
        return utc_instant(self.day * DAY_SECONDS + self.time, self.offset)

    @property
    def is_free(self) -> bool:
        """Whether no entry has the record, be it with these values or with its present ones."""
        return not self.is_taken and (self.now is None or self.now.is_free)

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))


#: The values before a correction: the hash of the content, the time, the bank id, and whether
#: that id differs from the candidate's current id.
Earlier = tuple[int, int, str | None, bool]


class Further(NamedTuple):
    """What only few stored records have.

    earlier: previously stated values. others: see `StatedValues`. sums: the amounts of other
    sources' entries that the record has only a part of, if it has their values. restated: the
    amounts that these had before and after corrections.
    """

    earlier: tuple[Earlier, ...] = ()
    others: tuple[str, ...] = ()
    sums: tuple[int, ...] = ()
    restated: tuple[int, ...] = ()


#: What most stored records have.
NOTHING_FURTHER = Further()
#: A longer chain of corrections would take too long to follow.
_LONGEST_CHAIN = 100


class FileEntries:
    """A file's entries in their order.

    source: the source of all entries. statements: the file's statements.
    """

    def __init__(
        self,
        source: str,
        read: Iterable[tuple[Statement, Entry | None]],
        last_year: int = nothing_remembered.last_year,
    ) -> None:
        """Read all entries. read: see `StatementImporter`. Raises ImportRefused.

        last_year: the latest year that a bank's statement can have; the first is 1970.
        """
        end = from_date(date(last_year + 1, 1, 1))
        self.source = source
        self.statements: list[Statement] = []
        self.entries: list[FileEntry] = []
        numbers: dict[int, int] = {}
        # Many entries share a day or a time, and each number of its own takes memory.
        same: dict[int, int] = {}
        for statement, entry in read:
            number = numbers.get(id(statement))
            if number is None:
                number = numbers[id(statement)] = len(self.statements)
                self.statements.append(statement)
            if entry is None:
                continue
            for seconds in (entry.date, entry.value_date or 0):
                if not 0 <= seconds < end:
                    raise _out_of_range(seconds, last_year, entry.line)
            day, time = divmod(entry.date, DAY_SECONDS)
            correction = entry.correction
            plain = entry if correction is None else entry._replace(correction=None)
            self.entries.append(
                FileEntry(
                    marshal.dumps(tuple(plain)),  # type: ignore[arg-type]
                    number,
                    same.setdefault(day, day),
                    same.setdefault(time, time),
                    entry.amount,
                    text_hash_of(entry.payee, entry.note),
                    entry.bank_id,
                    entry.fingerprint,
                    entry.batch,
                    entry.section,
                    entry.offset,
                    entry.message,
                    names_other_side(source, entry.payee, entry.counterparty_account),
                    corrects=None if correction is None else correction.bank_id,
                    deletes=correction is not None and correction.deletes,
                    split=tuple(sorted(part[0] for part in entry.parts)),
                )
            )
        for statement in self.statements:
            if statement.closing is not None and not 0 <= statement.closing.date < end:
                raise _out_of_range(statement.closing.date, last_year, None)


def _out_of_range(seconds: int, last_year: int, line: int | None) -> ImportRefused:
    return ImportRefused(
        f"the {'date' if line else 'date of the balance,'} {day_text(seconds)} is not in the "
        f"years 1970 to {last_year}: correct it in the file, or {ANOTHER_FILE}",
        line,
    )
