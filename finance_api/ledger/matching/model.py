"""What matching compares: entries of a file, and stored records as files stated them."""

from enum import IntEnum
from typing import Any, NamedTuple

from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.stated import Content
from finance_api.values.time import DAY_SECONDS


class Outcome(IntEnum):
    """What becomes of an entry."""

    #: It is the stored record.
    SAME = 1
    #: It is the stored record, by its content alone.
    SAME_CONTENT = 2
    #: The file has it already.
    DUPLICATE = 3
    #: It is the stored record, and states something else of it.
    CORRECTION = 4
    #: It is the stored record, of which a later statement is known already.
    OLDER = 5
    #: It is the record of another source.
    MATCHED = 6
    #: As MATCHED, of several records together: only the first one gets the entry's content.
    MATCHED_PARTS = 7
    #: It takes the stored record back.
    VOIDS = 8
    #: It corrects or takes back another entry, and waits for it.
    WAITING = 9
    #: A new record.
    NEW = 10


class Pair(NamedTuple):
    """What a rule decides of an entry.

    candidate: the stored record that it is. parts: all of them, where it is several together.
    """

    entry: "FileEntry"
    outcome: Outcome
    candidate: "Candidate | None" = None
    parts: "tuple[Candidate, ...]" = ()


class FileEntry:
    """What is compared of an entry; `FileEntries.read` has the rest.

    n: its place in the file, from 0. day: the number of days since 1970-01-01. time: seconds of
    the day, 0: not known. text, content: hashes, see `stated.Content`. rare: see `Rare`.
    outcome: None while it is undecided. candidate: the stored record that it is. parts: all of
    them, of MATCHED_PARTS. awaits: the entry that it corrects.
    number: of the entry among those that share its bank id or content.
    """

    __slots__ = (
        *("n", "account", "statement", "day", "time", "amount", "text", "bank_id"),
        *("rare", "outcome", "candidate", "parts", "awaits", "number"),
    )

    def __init__(
        self,
        n: int,
        statement: int,
        day: int,
        time: int,
        amount: int,
        text: int,
        bank_id: str | None,
        rare: "Rare",
    ) -> None:
        self.n = n
        self.account: KnownAccount = None  # type: ignore[assignment]  # known later
        self.statement = statement
        self.day = day
        self.time = time
        self.amount = amount
        self.text = text
        self.bank_id = bank_id
        self.rare = rare
        self.outcome: Outcome | None = None
        self.candidate: Candidate | None = None
        self.parts: tuple[Candidate, ...] = ()
        self.awaits: FileEntry | None = None
        self.number = 1

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))

    @property
    def instant(self) -> int | None:
        """Seconds in UTC; None: not known."""
        return _instant(self.day * DAY_SECONDS + self.time, self.rare.offset)


def _instant(date: int, offset: int | None) -> int | None:
    return None if offset is None else date - offset


class Rare:
    """What few entries have; those that have none of it share one.

    corrects: the bank id of the entry that it corrects, or deletes. Others: see
    `importers.interface.Entry`.
    """

    __slots__ = ("batch", "corrects", "deletes", "fingerprint", "offset", "section")

    def __init__(
        self,
        fingerprint: str = "",
        corrects: str | None = None,
        deletes: bool = False,
        batch: str | None = None,
        section: int | None = None,
        offset: int | None = None,
    ) -> None:
        self.fingerprint = fingerprint
        self.corrects = corrects
        self.deletes = deletes
        self.batch = batch
        self.section = section
        self.offset = offset


#: Whether the texts of a stored entry are made otherwise than the file's.
SAME_TEXTS, OTHER_TEXTS, UNKNOWN_TEXTS = 0, 1, 2


class Candidate:
    """A stored record, as one entry of a source stated it.

    record: its id. place: of the entry among those of the record. mine: whether the entry is of
    this file's source. other_id: what its bank id may be besides. covered, inner: whether the file
    has some of its day, or all of it. instant: see `FileEntry`. payee, note: hashes.
    earlier: what it stated before: content, time, bank id, and whether that is another id than it
    has now. following: the next of equal ones, while they are paired.
    """

    __slots__ = (
        *("account", "record", "place", "mine", "source", "bank_id", "other_id", "day", "time"),
        *("amount", "text", "payee", "note", "as_of", "texts", "covered", "inner"),
        *("is_void", "batch", "earlier", "instant", "is_taken", "following"),
    )

    def __init__(self, account: KnownAccount, content: Content, **values: Any) -> None:
        from finance_api.ledger.matching.stated import hash_of

        self.account = account
        self.day, self.time, self.amount = content.day, content.time, content.amount
        self.text = content.text_hash
        self.payee: int | None = None
        self.note: int | None = None
        self.covered = account.covers_day(self.day)
        self.inner = account.covers_all_of(self.day)
        self.is_taken = False
        self.following: Candidate | None = None
        self.record: str = values["record"]
        self.place: int = values["place"]
        self.mine: bool = values["mine"]
        self.source: str | None = values["source"]
        self.bank_id: str | None = values["bank_id"]
        if self.bank_id is not None:
            # Only of equal ids texts are compared one by one.
            self.payee, self.note = hash_of(content.payee), hash_of(content.note)
        self.other_id: str | None = values["other_id"]
        self.as_of: int | None = values["as_of"]
        self.texts: int = values["texts"]
        self.is_void: bool = values["is_void"]
        self.batch: str | None = values["batch"]
        self.earlier: tuple[Earlier, ...] = values["earlier"]
        self.instant = _instant(content.date, values["offset"])

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))


#: content, time, bank id, whether that is another one than the candidate has now.
Earlier = tuple[int, int, str | None, bool]
