"""Decides which entry of a file equals which stored record.

The rules in `RULES` decide, in that order. Each rule looks at the entries that earlier rules left
undecided, and yields pairs and questions. The rules in this module decide entries that the file
itself repeats, corrects or deletes; the others are in `rules`, one idea in each module.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import islice

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import (
    Candidate,
    FileEntry,
    Outcome,
    Pair,
    Wanted,
    correction_chain,
)
from finance_api.ledger.matching.open_rows import (
    NEW,
    SAME,
    EntryTest,
    OpenRows,
    described,
    grouped,
    stored_described,
    which_one,
)
from finance_api.ledger.matching.reused_ids import look_for_reused_ids
from finance_api.ledger.matching.rules.batches import pair_own_batches
from finance_api.ledger.matching.rules.moved import pair_moved
from finance_api.ledger.matching.rules.other_source import pair_other_sources
from finance_api.ledger.matching.rules.same_content import (
    check_parts_of_days,
    pair_hashed_contents,
    pair_same_contents,
    pair_same_instants,
)
from finance_api.ledger.matching.rules.same_id import pair_corrected, pair_same_ids
from finance_api.ledger.matching.stated import KnownAccount


def skip_repeated(rows: OpenRows) -> Iterator[Pair | Question]:
    """Skip an entry that repeats another entry of the file.

    file    2026-01-03  -3.00  Coffee  id 7
            2026-01-03  -3.00  Coffee  id 7
    gives   new, duplicate
    """
    times = Counter((e.account, e.bank_id) for e in rows.entries if e.bank_id is not None)
    repeated = {key for key, count in times.items() if count > 1}
    if repeated:
        yield from _repeated(rows, lambda e: (e.account, e.bank_id) in repeated)
    if any((e.section or 0) > 1 for e in rows.entries):
        yield from _without_id(rows)


def _without_id(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask about equal entries of two sections: one transaction stated twice, or two."""
    equal = grouped(
        filter(_is_sectioned, rows.entries), lambda e: (e.account, e.content, e.time)
    ).values()
    twice = next((es for es in equal if len({e.section for e in es}) > 1), None)
    if twice is None or rows.first_day == NEW:
        return
    if rows.first_day is None:
        line, last = rows.read(twice[0]).line, rows.read(twice[-1])
        yield which_one(
            "--first-day",
            f"{described(last)} appears in line {line} as well, in another part of the file, and "
            f"neither has an id",
            last.line,
            how=(
                ": if they are one transaction, say --first-day same; if they are two, say "
                "--first-day new"
            ),
            same=SAME,
            other=NEW,
        )
    yield from _repeated(rows, _is_sectioned)


def _is_sectioned(entry: FileEntry) -> bool:
    return entry.bank_id is None and entry.section is not None


def _repeated(rows: OpenRows, entries: EntryTest) -> Iterator[Pair]:
    """Skip entries that another section or, without sections, another entry repeats."""
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
    """Treat an entry that says to correct itself as a plain entry."""
    of_themselves = [e for e in rows.entries if e.corrects is not None and e.corrects == e.bank_id]
    named = [e for e in of_themselves if e.outcome is None][:_MOST_REMARKS]
    rows.remarks += [
        f"{described(rows.read(e))} corrects itself: imported unchanged" for e in named
    ]
    for entry in of_themselves:
        entry.corrects = None
    yield from ()


def act_on_corrections(rows: OpenRows) -> Iterator[Pair]:
    """Decide an entry that corrects or deletes another one, which it names by id.

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
            for _, _, its_id, _ in candidate.earlier:
                before.setdefault((candidate.account, its_id), candidate)
        number = len(rows.candidates)
        key = entry.account, bank_id
        stored = _nearest(known[key], entry.day) or before.get(key)
        other = next((e for e in by_id.get(key, ()) if e is not entry), None)
        if stored is not None:
            outcome = Outcome.VOIDS if entry.deletes else Outcome.CORRECTION
            yield Pair(entry, outcome, stored)
        elif other is not None and entry not in correction_chain(other):
            entry.awaits = other
            yield Pair(entry, Outcome.WAITING)
        else:
            rows.remarks.append(
                f"{described(rows.read(entry))} corrects {bank_id!r}, which is not stored: "
                f"imported unchanged"
            )


def _nearest(candidates: list[Candidate], day: int) -> Candidate | None:
    return min(candidates, key=lambda candidate: abs(candidate.day - day), default=None)


Rule = Callable[[OpenRows], Iterator[Pair | Question]]

#: The rules that matter even if the user has no records.
_OF_THE_FILE: tuple[Rule, ...] = (skip_repeated, set_corrections_aside, act_on_corrections)
RULES: tuple[Rule, ...] = (
    # First, so that the other rules see a repeated entry only once.
    skip_repeated,
    set_corrections_aside,
    # An id with the same content is the surest sign.
    pair_same_ids,
    # Entries with matching ids are decided by now; the rest show whether the bank reuses ids.
    look_for_reused_ids,
    # The content decides for entries without an id, or with an unreliable one.
    pair_same_contents,
    pair_same_instants,
    check_parts_of_days,
    pair_hashed_contents,
    # Before pair_corrected, which would take a part of a batch for a correction of the whole.
    pair_own_batches,
    pair_corrected,
    # A record that the file lacks may equal an entry that no rule has paired yet.
    pair_moved,
    # Late, because any earlier rule may decide the entry that another entry corrects.
    act_on_corrections,
    # Last, because records of the file's own source are more likely matches.
    pair_other_sources,
)


def match(rows: OpenRows, *, others: bool) -> None:
    """Decide every entry. ``rows.questions`` gets the questions that only the user can answer.

    others: whether to match records of other sources.
    """
    for rule in _OF_THE_FILE if rows.reader.is_empty else RULES:
        if others or rule is not pair_other_sources:
            for found in rule(rows):
                rows.settle(found)
    _name_missing(rows)
    for entry in rows.undecided:
        entry.outcome = Outcome.NEW


def _name_missing(rows: OpenRows) -> None:
    """Remark on stored records that the file should have: the bank may have changed them."""
    paired = {entry.candidate for entry in rows.entries}
    missing = grouped(
        (c for c in rows.free() if c.inner and not c.is_void and c not in paired),
        lambda candidate: candidate.account,
    )
    for found in missing.values():
        rows.remarks.append(
            f"the file covers whole days of {len(found)} stored records but lacks them, such as "
            f"{stored_described(found[0])}"
        )
