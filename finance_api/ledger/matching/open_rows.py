"""The rows to decide about: entries of the file, and stored records that may equal them.

The rules at the end decide entries that the file itself repeats, corrects or deletes.
"""

import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import Any, Literal, TypeVar, cast

from finance_api.importers.clauses import (
    Clause,
    Day,
    FileRow,
    Says,
    StoredRow,
    Topic,
    Units,
    clause,
)
from finance_api.importers.interface import Choice, Entry, Question, Questions
from finance_api.importers.options import ImportOptions
from finance_api.ledger.matching.candidates import CandidateReader, Wanted
from finance_api.ledger.matching.model import (
    Candidate,
    FileEntries,
    FileEntry,
    Outcome,
    Pair,
    correction_chain,
)
from finance_api.ledger.matching.stated import KnownAccount
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

SAME, NEW = "same", "new"
#: What `which_one` asks for.
Point = Literal["first_day", "ids", "moved_days", "match_days"]
#: The option that answers the questions of two rules.
MATCH_DAYS: Point = "match_days"
#: Rows are compared seven days at a time.
_PART_DAYS = 7
_Row = TypeVar("_Row", FileEntry, Candidate)
EntryTest = Callable[[FileEntry], bool]
CandidateTest = Callable[[Candidate], bool]


def anything(row: FileEntry | Candidate) -> bool:
    return True


def is_own(candidate: Candidate) -> bool:
    return candidate.mine


def is_plain(entry: FileEntry) -> bool:
    """Return whether the entry corrects no other entry."""
    return entry.corrects is None


@dataclass(eq=False)
class OpenRows:
    """The rows that rules decide about, with the other data that rules need.

    first_day: SAME, NEW or None, from ``--first-day``. moved_days, match_days: how many days apart
    a row and a record of the same format, or of another one, may be; None: ask the user.
    questions: the questions for the user. remarks: sentences for the user.
    """

    file: FileEntries
    reader: CandidateReader
    accounts: list[KnownAccount]
    first_day: str | None
    moved_days: int | None
    match_days: int | None
    questions: Questions
    remarks: list[Clause | str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._undecided = self.entries

    @property
    def entries(self) -> list[FileEntry]:
        return self.file.entries

    @property
    def candidates(self) -> list[Candidate]:
        return self.reader.candidates

    @property
    def undecided(self) -> list[FileEntry]:
        if any(entry.outcome is not None for entry in self._undecided):
            self._undecided = [entry for entry in self.entries if entry.outcome is None]
        return self._undecided

    @cached_property
    def _edges(self) -> dict[tuple[KnownAccount, int], list[FileEntry]]:
        edges: dict[tuple[KnownAccount, int], list[FileEntry]] = {
            (account, day): []
            for account in self.accounts
            for cover in account.covers.values()
            for day in (cover.first, cover.last)
        }
        for entry in self.entries:
            if (entry.account, entry.day) in edges:
                edges[entry.account, entry.day].append(entry)
        return edges

    def of_edge(self, account: KnownAccount, day: int) -> list[FileEntry]:
        """Return the entries of a day on which one of the account's statements begins or ends."""
        return self._edges[account, day]

    def free(self, test: CandidateTest = is_own) -> Iterator[Candidate]:
        """Yield the candidates that no entry has taken yet."""
        return (c for c in self.candidates if c.is_free and test(c))

    @cached_property
    def _corrected(self) -> set[tuple[KnownAccount, str]]:
        return {(e.account, e.corrects) for e in self.entries if e.corrects is not None}

    def is_corrected(self, candidate: Candidate) -> bool:
        """Return whether an entry corrects or deletes the record by its bank id."""
        return (candidate.account, candidate.bank_id) in self._corrected

    def order(self, entry: FileEntry, candidate: Candidate) -> int:
        """Compare when the statements of entry and record were made: 1 if the entry's is later.

        -1: the record's is later. 0: equal or unknown.
        """
        as_of, known = self.file.statements[entry.statement].as_of, candidate.as_of
        if as_of is None or known is None:
            return 0
        return int(as_of > known) - int(as_of < known)

    def correction(self, entry: FileEntry, candidate: Candidate) -> Pair:
        """Pair an entry with the record that it corrects, or whose older values it states."""
        is_older = self.order(entry, candidate) < 0
        return Pair(entry, Outcome.OLDER if is_older else Outcome.CORRECTION, candidate)

    # -- deciding

    def settle_all(self, found: Iterable[Pair | Question]) -> None:
        for each in found:
            self.settle(each)

    def settle(self, found: Pair | Question) -> None:
        """Decide an entry, which may be decided already; or ask a question, once per option."""
        if isinstance(found, Question):
            self._ask(found)
            return
        entry, outcome, candidate, parts, rest = found
        if entry.candidate is not None:
            _take(entry.candidate, is_taken=False)
        entry.outcome, entry.candidate = outcome, candidate
        entry.parts, entry.rest = parts, rest
        for each in parts or (candidate,):
            if each is not None:
                _take(each, is_taken=True)

    def _ask(self, question: Question) -> None:
        asked, option = self.questions.asked, next(iter(question.choices[0].changes))
        place = next((n for n, q in enumerate(asked) if option in q.choices[0].changes), None)
        if place is None:
            asked.append(question)
        elif option == MATCH_DAYS:
            asked[place] = _both(asked[place], question)

    def pairs(
        self,
        outcome: Outcome,
        *names: str,
        entries: EntryTest = anything,
        stored: CandidateTest = is_own,
    ) -> Iterator[Pair]:
        """Pair undecided entries with free candidates, one to one.

        names: attributes that must be equal, in addition to the account. If several entries and
        candidates are equal, the first entry gets the first candidate, and so on; last those that
        another source has corrected, because the file may have corrected them, too.
        """
        key = attrgetter("account", *names)
        # Rows of other days are not equal: only the keys of one part of the days are in memory.
        days = sys.maxsize if {"day", "content"}.isdisjoint(names) else _PART_DAYS
        free = grouped(self.free(stored), lambda candidate: candidate.day // days)
        open_ = grouped(self.undecided if free else (), lambda entry: entry.day // days)
        for part, candidates in free.items():
            in_order = sorted(candidates, key=lambda c: c.present != c.amount)
            waiting = grouped(reversed(in_order), key)
            for entry in open_.get(part, ()):
                if entries(entry) and (same := waiting.get(key(entry))):
                    yield Pair(entry, outcome, same.pop())

    def equal_pairs(
        self, outcome: Outcome, *names: str, entries: EntryTest, stored: CandidateTest
    ) -> Iterator[Pair]:
        """Pair rows of equal content; an unknown time is equal to any time."""

        def timed(test: Any, is_timed: bool) -> Any:
            return lambda row: bool(row.time) is is_timed and test(row)

        content = (*names, "content")
        yield from self.pairs(outcome, *content, "time", entries=entries, stored=stored)
        for is_timed in (False, True):
            yield from self.pairs(
                outcome,
                *content,
                entries=timed(entries, is_timed),
                stored=timed(stored, not is_timed),
            )


def day_digest(rows: OpenRows, account: KnownAccount, day: int) -> str:
    """Return a digest of an account's entries on a day when one of its statements begins or ends.

    Repeated entries do not count.
    """
    of_day = (
        (entry.time, entry.amount, entry.whole)
        for entry in rows.of_edge(account, day)
        if entry.outcome is not Outcome.DUPLICATE
    )
    stated = sorted(
        ((time, amount, whole.payee or "", whole.note or "") for time, amount, whole in of_day)
    )
    digest = hashlib.sha256()
    for time, amount, payee, note in stated:
        digest.update(repr((time, amount, fold(payee), fold(note))).encode())
    return digest.hexdigest()[:16]


def which_one(
    option: Point, fact: Clause, line: int, *, same: str | int, other: str | int
) -> Question:
    """Return the question whether a line is a known transaction or another one.

    fact: see `Question`. same, other: the option's value for each of the two answers.
    """
    choices = (
        Choice(cast("ImportOptions", {option: value}), clause(says, line=line))
        for value, says in ((same, Says.SAME_TRANSACTION), (other, Says.OTHER_TRANSACTION))
    )
    return Question(fact, line, tuple(choices))


def part_of_day(day: int, entry: FileEntry) -> Question:
    """Ask whether an entry equals a stored record of a day that the file covers only partly."""
    whole = entry.whole
    fact = clause(Topic.PART_OF_DAY, day=Day(day * DAY_SECONDS), entry=file_row(whole))
    return which_one("first_day", fact, whole.line, same=SAME, other=NEW)


def _both(one: Question, other: Question) -> Question:
    """Join two questions about `MATCH_DAYS` into one, whose answers apply to both lines."""
    choices = []
    for days, *pair in zip((max, min), one.choices, other.choices, strict=True):
        number = days(choice.changes["match_days"] or 0 for choice in pair)
        both = clause(Says.BOTH, both=tuple(choice.meaning for choice in pair))
        choices.append(Choice({"match_days": number}, both))
    fact = clause(Topic.TWO_OF_THESE, first=one.fact, second=other.fact, line=other.line or 0)
    return Question(fact, one.line, tuple(choices))


def _take(candidate: Candidate, *, is_taken: bool) -> None:
    for each in (candidate, candidate.now):
        if each is not None:
            each.is_taken = is_taken


def first_within(entry: FileEntry, waiting: list[Candidate], reach: int) -> Candidate | None:
    """Return the last of the waiting candidates, if it is at most ``reach`` days apart.

    waiting: sorted by day, the newest first; loses those that are too old for later entries, too,
    and those that another entry has.
    """
    while waiting and not (waiting[-1].is_free and waiting[-1].day >= entry.day - reach):
        waiting.pop()
    return waiting[-1] if waiting and waiting[-1].day <= entry.day + reach else None


def grouped(rows: Iterable[_Row], key: Callable[[_Row], Hashable]) -> dict[Hashable, list[_Row]]:
    found: dict[Hashable, list[_Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def file_row(entry: Entry) -> FileRow:
    """Return an entry of the file as a fact."""
    texts = " ".join(text for text in (entry.payee, entry.note) if text)
    return FileRow(Day(entry.date), Units(entry.amount), texts, entry.bank_id, entry.line)


def stored_row(rows: OpenRows, stored: Candidate) -> StoredRow:
    """Return a stored record, as its file stated it, as a fact."""
    day, (payee, note) = Day(stored.day * DAY_SECONDS), rows.reader.texts_of(stored)
    return StoredRow(day, Units(stored.amount), stored.record, payee or note or "")


# -- rules about the file itself


def skip_repeated(rows: OpenRows) -> Iterator[Pair | Question]:
    """Skip an entry that repeats another entry of the file.

    file    2026-01-03  -3.00  Coffee  id 7
            2026-01-03  -3.00  Coffee  id 7
    gives   new, duplicate
    """
    seen: defaultdict[KnownAccount, set[str]] = defaultdict(set)
    repeated: set[tuple[KnownAccount, str | None]] = set()
    for entry in rows.entries:
        if entry.bank_id is not None:
            ids = seen[entry.account]
            repeated |= {(entry.account, entry.bank_id)} if entry.bank_id in ids else set()
            ids.add(entry.bank_id)
    if repeated:
        yield from _repeated(rows, lambda e: (e.account, e.bank_id) in repeated)
    if any((e.section or 0) > 1 for e in rows.entries):
        yield from _without_id(rows)


def _without_id(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask whether equal entries of two sections are one transaction, stated twice, or two."""
    equal = grouped(
        filter(_is_sectioned, rows.entries), lambda e: (e.account, e.content, e.time)
    ).values()
    twice = next((es for es in equal if len({e.section for e in es}) > 1), None)
    if twice is None or rows.first_day == NEW:
        return
    if rows.first_day is None:
        line, last = twice[0].whole.line, twice[-1].whole
        yield which_one(
            "first_day",
            clause(Topic.REPEATED_IN_FILE, entry=file_row(last), first=line),
            last.line,
            same=SAME,
            other=NEW,
        )
    yield from _repeated(rows, _is_sectioned)


def _is_sectioned(entry: FileEntry) -> bool:
    return entry.bank_id is None and entry.section is not None


def _repeated(rows: OpenRows, entries: EntryTest) -> Iterator[Pair]:
    """Skip entries that repeat an earlier one. Within a section, equal entries are distinct."""
    of_section: Counter[tuple[object, ...]] = Counter()
    seen: set[tuple[object, ...]] = set()
    for entry in filter(entries, rows.entries):
        nth = 1
        same = (
            *(entry.account, entry.bank_id, entry.content, entry.time),
            *(entry.fingerprint, entry.corrects),
        )
        if entry.section is not None:
            of_section[*same, entry.section] += 1
            nth = of_section[*same, entry.section]
        if (*same, nth) in seen:
            yield Pair(entry, Outcome.DUPLICATE)
        seen.add((*same, nth))


_MOST_REMARKS = 20
#: An account, and a bank id.
_Key = tuple[KnownAccount, str | None]


def set_corrections_aside(rows: OpenRows) -> Iterator[Pair]:
    """Treat an entry that claims to correct itself as an entry that corrects nothing."""
    of_themselves = [e for e in rows.entries if e.corrects is not None and e.corrects == e.bank_id]
    named = [e for e in of_themselves if e.outcome is None][:_MOST_REMARKS]
    rows.remarks += [clause(Says.CORRECTS_ITSELF, entry=file_row(e.whole)) for e in named]
    for entry in of_themselves:
        entry.corrects = None
    yield from ()


def act_on_corrections(rows: OpenRows) -> Iterator[Pair]:
    """Decide an entry that corrects or deletes another entry, which it identifies by id.

    stored  2026-01-03  -3.00  Coffee  id 7
    file    2026-01-03  -3.50  Coffee  id 8, corrects 7
    gives   corrected: the amount changes
    """
    correcting = [e for e in rows.entries if e.corrects is not None]
    if not correcting:
        return
    by_id = grouped((e for e in rows.entries if e.bank_id), lambda e: (e.account, e.bank_id))
    known: defaultdict[_Key, list[Candidate]] = defaultdict(list)
    before: dict[_Key, Candidate] = {}
    number = 0
    for entry in correcting:
        bank_id = entry.corrects
        if bank_id is None or entry.outcome not in (None, Outcome.NEW):
            continue
        rows.reader.read_ids([Wanted(entry.account, entry.statement, bank_id)])
        for candidate in islice(rows.candidates, number, None):
            if candidate.mine:
                known[candidate.account, candidate.bank_id].append(candidate)
            for _, _, its_id, _ in candidate.further.earlier:
                before.setdefault((candidate.account, its_id), candidate)
        number = len(rows.candidates)
        key = entry.account, bank_id
        near = sorted(known[key], key=lambda candidate: abs(candidate.day - entry.day))
        stored = near[0] if near else before.get(key)
        other = next((e for e in by_id.get(key, ()) if e is not entry), None)
        if stored is not None:
            if entry.deletes:
                yield Pair(entry, Outcome.VOIDS, stored)
            else:
                yield rows.correction(entry, stored)
        elif other is not None and entry not in correction_chain(other):
            entry.awaits = other
            yield Pair(entry, Outcome.WAITING)
        else:
            whole = file_row(entry.whole)
            rows.remarks.append(clause(Says.CORRECTS_NOTHING, entry=whole, id=bank_id))
