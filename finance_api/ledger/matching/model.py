"""The rows that matching compares: entries of a file, and stored records that may equal them.

Stored records are compared as earlier files stated them.
"""

import marshal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from finance_api.importers import NATIVE
from finance_api.importers.interface import (
    ANOTHER_FILE,
    Entry,
    ImportRefused,
    Statement,
    nothing_remembered,
)
from finance_api.ledger.matching.stated import (
    REACH_DAYS,
    REST,
    Content,
    KnownAccount,
    StatedValues,
    bank_id_in,
    hash_of,
    own_content,
    own_source,
    payee_of_file,
    read_stated,
    total_stated,
)
from finance_api.ledger.rows import batched, row_id
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import get_stated, get_stated_by_source, stated_pages
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.text import day_text, fold
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
    outcome: None while the entry is undecided. candidate, parts: see `Pair`. awaits: for WAITING,
    the entry of the file that this one corrects.
    number: this entry's place among entries with the same bank id or content, from 1.
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
    awaits: "FileEntry | None" = None
    number: int = 1

    @property
    def whole(self) -> Entry:
        """The entry itself, except its correction."""
        # `FileEntries` packed the bytes, and marshal does not run code while it reads.
        return Entry._make(marshal.loads(self.packed))  # noqa: S302

    @property
    def content(self) -> int:
        return hash((self.day, self.amount, self.text))

    @property
    def instant(self) -> int | None:
        """Seconds in UTC; None if the offset is unknown."""
        return _instant(self.day * DAY_SECONDS + self.time, self.offset)


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


def _instant(date: int, offset: int | None) -> int | None:
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
    covered, inner: whether the file covers the stated day at least partly, and whether wholly.
    texts: SAME_TEXTS, OTHER_TEXTS or UNKNOWN_TEXTS. instant: see `FileEntry`. payee, note: hashes.
    is_void: whether the user voided the record. is_past: whether a statement did, or whether these
    values are those before a correction by another source.
    message: the record's import and `Entry.message`. names_other: see `names_other_side`.
    others: see `StatedValues`. earlier: previously stated values.
    sums: the amounts of other sources' entries that this record has only a part of, if it has their
    values. present: the amount after corrections by other sources. restated: the amounts that
    these had before and after corrections.
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
    earlier: "tuple[Earlier, ...]"
    message: tuple[int, str] | None
    names_other: bool
    others: tuple[str, ...]
    sums: tuple[int, ...]
    present: int
    restated: tuple[int, ...]
    day: int
    time: int
    amount: int
    text: int
    payee: int | None
    note: int | None
    as_of: int | None
    batch: str | None
    instant: int | None
    covered: bool
    inner: bool
    is_taken: bool = False
    now: "Candidate | None" = None

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


#: A longer chain of corrections would take too long to follow.
_LONGEST_CHAIN = 100


class FileEntries:
    """A file's entries in their order.

    source: the source of all entries. statements: the file's statements. open: the entries.
    rests: see `Pair`.
    """

    def __init__(
        self,
        source: str,
        entries: Iterable[tuple[Statement, Entry | None]],
        last_year: int = nothing_remembered.last_year,
    ) -> None:
        """Read all entries. Raises ImportRefused.

        last_year: the latest year that a bank's statement can have; the first is 1970.
        """
        end = from_date(date(last_year + 1, 1, 1))
        self.source = source
        self.statements: list[Statement] = []
        self.open: list[FileEntry] = []
        self.rests: dict[FileEntry, int] = {}
        numbers: dict[int, int] = {}
        days: dict[int, int] = {}
        for statement, entry in entries:
            number = numbers.get(id(statement))
            if number is None:
                number = numbers[id(statement)] = len(self.statements)
                self.statements.append(statement)
            if entry is None:
                continue
            for seconds in (entry.date, entry.value_date or 0):
                if not 0 <= seconds < end:
                    raise _out_of_range(seconds, last_year, entry.line)
            # The same values as `Content` has, but without creating an object for each entry.
            day, time = divmod(entry.date, DAY_SECONDS)
            text = hash((fold(entry.payee or ""), fold(entry.note or "")))
            correction = entry.correction
            plain = entry if correction is None else entry._replace(correction=None)
            compared = FileEntry(
                marshal.dumps(tuple(plain)),  # type: ignore[arg-type]
                number,
                days.setdefault(day, day),
                time,
                entry.amount,
                text,
                entry.bank_id,
                entry.fingerprint,
                entry.batch,
                entry.section,
                entry.offset,
                entry.message,
                names_other_side(source, entry.payee, entry.counterparty_account),
            )
            self.open.append(compared)
            if entry.parts:
                compared.split = tuple(sorted(part[0] for part in entry.parts))
            if correction is not None:
                compared.corrects, compared.deletes = correction.bank_id, correction.deletes
        for statement in self.statements:
            if statement.closing is not None and not 0 <= statement.closing.date < end:
                raise _out_of_range(statement.closing.date, last_year, None)


def _out_of_range(seconds: int, last_year: int, line: int | None) -> ImportRefused:
    return ImportRefused(
        f"the {'date' if line else 'date of the balance,'} {day_text(seconds)} is not in the "
        f"years 1970 to {last_year}: correct it in the file, or {ANOTHER_FILE}",
        line,
    )


#: For each bank id, look for up to this many records.
MOST_OF_AN_ID = 8


class Wanted(NamedTuple):
    """An entry whose record is to be read by its bank id."""

    account: KnownAccount
    statement: int
    bank_id: str


class CandidateReader:
    """Reads the records that may equal entries of the file, each once.

    candidates: the candidates read so far, in the order of reading.
    """

    def __init__(
        self, session: LedgerSession, source: str, accounts: Iterable[KnownAccount]
    ) -> None:
        self._session = session
        self._source = source
        self._accounts = {account.id: account for account in accounts}
        self.candidates: list[Candidate] = []
        scan = session.storage.data.scan_rows
        #: Whether the user has no records at all, and deleted none.
        self.is_empty = not any(scan(session.user.id, r, limit=1) for r in (RECORDS, SPLITS))

    @cached_property
    def _own(self) -> dict[str, Candidate]:
        """Each record's first candidate whose entry is from this source, by the record's id."""
        own: dict[str, Candidate] = {}
        for candidate in self.candidates:
            if candidate.mine:
                own.setdefault(candidate.record, candidate)
        return own

    def read_days(self) -> None:
        """Read the accounts' records on the days of the file and near them."""
        known = [a for a in self._accounts.values() if not a.is_new and a.covers]
        if self.is_empty or not known:
            return
        first = min(account.first for account in known) - REACH_DAYS
        last = max(account.last for account in known) + REACH_DAYS
        for page in stated_pages(self._session, [account.id for account in known], first, last):
            for row in page:
                self._add(row, self._accounts[row["accountId"]])

    def read_ids(self, entries: Iterable[Wanted]) -> bool:
        """Read the records with the entries' bank ids, on any day.

        Returns whether there are new candidates.
        """
        begin = len(self.candidates)
        for wanted in batched([] if self.is_empty else dict.fromkeys(entries)):
            for number in range(1, MOST_OF_AN_ID + 1):
                keys = {
                    each.account.scopes[each.statement].of_bank_id(each.bank_id, number): each
                    for each in wanted
                }
                found = self.by_source_ids(list(keys))
                for source_id, row in found.items():
                    if row["id"] not in self._own:
                        self._add(row, keys[source_id].account, bank_id=keys[source_id].bank_id)
                wanted = list(dict.fromkeys(keys[source_id] for source_id in found))
        return len(self.candidates) > begin

    def read_contents(
        self, wanted: dict[str, tuple[KnownAccount, Content]]
    ) -> dict[str, Candidate]:
        """Return the free candidates that came from entries without a bank id, by source id."""
        if self.is_empty or not wanted:
            return {}
        found = {}
        for source_id, row in self.by_source_ids(list(wanted)).items():
            account, content = wanted[source_id]
            if row["id"] not in self._own:
                self._add(row, account, content=content)
            candidate = self._own.get(row["id"])
            if candidate is not None and candidate.is_free:
                found[source_id] = candidate
        return found

    def texts_of(self, candidate: Candidate) -> tuple[str | None, str | None]:
        """Return the payee and the note of the candidate's record."""
        row = get_stated(self._session, [candidate.record])[candidate.record]
        return payee_of_file(row), row["note"]

    def taken(self, source_ids: list[str]) -> set[str]:
        """Return the source ids that records have, or had when the records' ids were derived."""
        user, source = self._session.user, self._source
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        stored = get_stated(self._session, list(ids))
        of_source = get_stated_by_source(self._session, source, source_ids)
        return {*of_source, *(ids[each] for each in stored)}

    def by_source_ids(self, source_ids: list[str]) -> dict[str, Row]:
        """Return records by source id. If a record has no source id now, its first one counts."""
        if self.is_empty or not source_ids:
            return {}
        user, source = self._session.user, self._source
        found = get_stated_by_source(self._session, source, source_ids)
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        for each, row in get_stated(self._session, list(ids)).items():
            if row["sourceId"] is None:
                found.setdefault(ids[each], row)
        return found

    def _add(
        self,
        row: Row,
        account: KnownAccount,
        *,
        bank_id: str | None = None,
        content: Content | None = None,
    ) -> None:
        """Add a candidate for each entry that stated the record.

        bank_id, content: the values of the entry that the record was created from, if known.
        """
        stated, of = read_stated(row), own_source(row)
        is_void = row["recordState"] == VOID
        is_deleted = is_void and of not in (None, NATIVE) and "recordState" not in row["setByHand"]
        mine = stated.get(self._source)
        if mine is None and (of == self._source or bank_id is not None or content is not None):
            mine = [account.as_made(row, bank_id, content)]
        other = _of_another(row, stated)
        rest = _rest(other, mine) if mine and of != self._source else None
        past = [] if mine else _before_corrections(other, stated)
        others = [each for s in stated if s != self._source for each in stated[s]]
        change = row["amount"] - total_stated(mine) if mine else 0
        sums = tuple(
            each.now.amount
            for each in others
            if each.now is not None and each.beside is not None
            if each.batch is None and each.message in (None, REST)
        )
        now = None
        for place, each in enumerate((*(mine or [other]), *([rest] if rest else []), *past)):
            if each.now is None:
                continue
            is_own = mine is not None and each is not rest
            its_id = each.bank_id
            # Only the record's source id contains the bank id.
            if is_own and its_id is None and place == 0 and of == self._source:
                its_id = bank_id_in(row["sourceId"])
            covered, inner = account.coverage(each.now.day)
            candidate = Candidate(
                account,
                record=row["id"],
                import_id=row["importId"],
                place=place,
                mine=is_own,
                source=of,
                bank_id=its_id,
                texts=_texts_differ(row, each, account.texts),
                is_void=is_void and not is_deleted,
                is_past=is_deleted or each in past,
                earlier=_earlier(each) if is_own else (),
                message=(row["importId"], each.message) if each.message else None,
                names_other=names_other_side(of, each.now.payee, row["counterpartyAccount"]),
                others=each.others or () if is_own else (),
                sums=sums,
                present=each.now.amount + change,
                restated=_restated(each, others) if is_own else (),
                day=each.now.day,
                time=each.now.time,
                amount=each.now.amount,
                text=each.now.text_hash,
                payee=hash_of(each.now.payee),
                note=hash_of(each.now.note),
                as_of=each.as_of,
                batch=each.batch,
                instant=_instant(each.now.date, each.offset),
                covered=covered,
                inner=inner,
                now=now if each in past else None,
            )
            now = now or candidate
            self.candidates.append(candidate)
            if is_own and "_own" in vars(self):
                self._own.setdefault(row["id"], candidate)


def _rest(whole: StatedValues, parts: list[StatedValues]) -> StatedValues | None:
    """Return another source's sum less its known notified parts; None if nothing is left."""
    total = sum(part.now.amount for part in parts if part.now is not None)
    content = whole.now
    if content is None or not any(part.message for part in parts):
        return None
    rest = content.amount - total
    is_less = total < 0 > rest or total > 0 < rest
    return whole._replace(now=content._replace(amount=rest)) if is_less else None


def _earlier(values: StatedValues) -> tuple[Earlier, ...]:
    return tuple(
        (
            content.hash_of(content.text_hash),
            content.time,
            bank_id,
            bank_id is not None and bank_id != values.bank_id,
        )
        for content, bank_id in values.before
    )


def _texts_differ(row: Row, values: StatedValues, texts: str) -> int:
    by_hand = not {"payee", "note"}.isdisjoint(row["setByHand"])
    if by_hand and row["stated"] is None:
        return OTHER_TEXTS
    if values.texts is None:
        return UNKNOWN_TEXTS if texts else SAME_TEXTS
    return SAME_TEXTS if values.texts == texts else OTHER_TEXTS


def _of_another(row: Row, stated: dict[str, list[StatedValues]]) -> StatedValues:
    """Return what another source's only entry stated; if there is no such entry, the row's values.

    Of a rest, and after a correction by any source, the amount is the row's.
    """
    values = stated.get(own_source(row) or "", [])
    if len(values) == 1 and (now := values[0].now) is not None:
        (only,) = values
        is_corrected = "amount" not in row["setByHand"] and any(w.before for w in _wholes(stated))
        if only.message == REST or is_corrected:
            now = now._replace(amount=row["amount"])
        return only._replace(now=now)
    bank_id = None if own_source(row) is None else bank_id_in(row["sourceId"])
    return StatedValues(bank_id, own_content(row))


def _wholes(stated: dict[str, list[StatedValues]]) -> list[StatedValues]:
    """Return the entries of all sources that equal the record, and are no part or sum of it."""
    each_one = chain.from_iterable(stated.values())
    return [w for w in each_one if w.now is not None and w.beside is None and w.message is None]


def _restated(own: StatedValues, others: list[StatedValues]) -> tuple[int, ...]:
    """Return the amounts that entries of other sources, for the same money, had before and after
    corrections.
    """
    same = (each.amounts for each in others if each.before and each.beside == own.beside)
    return tuple(dict.fromkeys(n for amounts in same for n in amounts if n != own.amounts[-1]))


def _before_corrections(
    other: StatedValues, stated: dict[str, list[StatedValues]]
) -> list[StatedValues]:
    """Return what statements of other sources had before corrections, one of each amount."""
    assert other.now is not None
    contents = chain.from_iterable((w.now, *(c for c, _ in w.before)) for w in _wholes(stated))
    past = {content.amount: content for content in contents if content is not None}
    return [other._replace(now=past[n]) for n in past if n != other.now.amount]
