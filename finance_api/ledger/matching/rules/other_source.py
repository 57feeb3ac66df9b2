"""Pairs entries with records of other formats that have the same amount and a nearby day."""

from collections.abc import Iterable, Iterator
from itertools import chain

from finance_api.importers.clauses import Clause, Fact, Says, Topic, clause
from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import Candidate, Outcome, Pair
from finance_api.ledger.matching.open_rows import (
    MATCH_DAYS,
    CandidateTest,
    EntryTest,
    OpenRows,
    file_row,
    first_within,
    grouped,
    is_plain,
    stored_row,
    which_one,
)
from finance_api.ledger.matching.rules.batches import batch_pairs
from finance_api.ledger.matching.rules.notifications import (
    pair_in_part,
    pair_notifications,
    pair_whole_days,
)

#: A transaction may be _REACH_DAYS apart in two formats; up to _DOUBTFUL_DAYS, the user is asked.
_REACH_DAYS, _DOUBTFUL_DAYS = 1, 5


def pair_other_sources(rows: OpenRows) -> Iterator[Pair | Question]:
    """Pair an entry with the record that a file of another format made.

    stored  2026-01-03  -3.00  Coffee             (from a CSV file)
    file    2026-01-04  -3.00  COFFEE BERLIN      (OFX)
    gives   matched
    """
    if not any(rows.free(lambda candidate: not candidate.mine)):
        return
    # A smaller --match-days concerns only records of the file's own format.
    most = max(_REACH_DAYS, rows.match_days or 0)
    yield from _batches(rows, _is_other, most)
    yield from pair_notifications(rows, _is_other, most)
    others = _not_void(_is_other)
    for names in (("day", "amount", "text"), ("day", "amount")):
        yield from rows.pairs(Outcome.MATCHED, *names, entries=is_plain, stored=others)
    for reach in sorted({_REACH_DAYS, most}):
        yield from _near(rows, reach, is_plain, _is_other)
    # Without the payments that both formats state singly, the rest of a day may have one sum.
    yield from pair_notifications(rows, _is_other, most)
    yield from pair_whole_days(rows, _is_other)
    # This file's first and last entries may be records of another file, on days just outside.
    beside = chain(
        _batches(rows, _is_beside, _REACH_DAYS),
        pair_notifications(rows, _is_beside, _REACH_DAYS),
        _near(rows, _REACH_DAYS, is_plain, _is_beside),
    )
    in_part = pair_in_part(rows)
    if rows.match_days is None:
        yield from _question(rows, beside)
        yield from _question_about_sums(rows, in_part)
    elif rows.match_days > _REACH_DAYS:
        yield from chain(beside, in_part)


def _batches(rows: OpenRows, stored: CandidateTest, reach: int) -> Iterator[Pair]:
    # A part that the user voided still belongs to the sum.
    wholes, parts = _not_void(stored), stored
    return batch_pairs(rows, wholes, parts, Outcome.MATCHED, Outcome.MATCHED_PARTS, reach=reach)


def _is_other(candidate: Candidate) -> bool:
    """Return whether the record is from another source, and on a day that this file covers."""
    return not candidate.mine and candidate.covered


def _is_beside(candidate: Candidate) -> bool:
    """Return whether the record is from another source, on a day that this file does not cover."""
    return not candidate.mine and not candidate.covered


def _not_void(test: CandidateTest) -> CandidateTest:
    return lambda candidate: not candidate.is_void and test(candidate)


def _of(source: str | None) -> CandidateTest:
    return lambda candidate: _is_other(candidate) and candidate.source == source


def _of_days_of(source: str) -> EntryTest:
    """Return a test of whether an entry is plain, and on a day that a file of the source covers."""
    return lambda entry: (
        is_plain(entry)
        and any(cover.holds(entry.day) for cover in entry.account.earlier.others.get(source, ()))
    )


def _near(rows: OpenRows, reach: int, entries: EntryTest, stored: CandidateTest) -> Iterator[Pair]:
    """Pair as many rows of equal amounts as possible, at most ``reach`` days apart."""
    others = grouped(
        sorted(rows.free(_not_void(stored)), key=lambda c: -c.day), lambda c: (c.account, c.amount)
    )
    undecided = sorted(filter(entries, rows.undecided), key=lambda e: e.day)
    for entry in undecided:
        waiting = others.get((entry.account, entry.amount), [])
        if first_within(entry, waiting, reach):
            yield Pair(entry, Outcome.MATCHED, waiting.pop())


def _facts(other: Candidate) -> dict[str, Fact]:
    origin = clause(Says.ENTERED)
    if other.source:
        origin = clause(Says.FROM_FORMAT, format=other.source)
    return {"record": stored_row(other), "origin": origin, "least": _REACH_DAYS}


def _question(rows: OpenRows, beside: Iterable[Pair]) -> Iterator[Question]:
    """Ask about unpaired rows that may be the same transaction.

    Either both files cover their days, or almost do, or the user entered the record.
    """
    found = list(beside)
    for source in dict.fromkeys(s for account in rows.accounts for s in account.earlier.others):
        found += _near(rows, _DOUBTFUL_DAYS, _of_days_of(source), _of(source))
    # People may enter a payment some days before or after the bank books it.
    found += _near(rows, _DOUBTFUL_DAYS, is_plain, _of(None))
    if not found:
        return
    pairs = [(pair.entry, pair.candidate) for pair in found if pair.candidate is not None]
    entry, other = pairs[0]
    farthest = max(_REACH_DAYS + 1, *(abs(e.day - c.day) for e, c in pairs))
    whole = entry.whole
    more = clause(Says.MORE_PAIRS, count=len(found) - 1) if len(found) > 1 else ""
    facts = {"entry": file_row(whole), "more": more, "days": farthest, **_facts(other)}
    yield which_one(
        MATCH_DAYS, Clause(Topic.OTHER_SOURCE, facts), whole.line, same=farthest, other=_REACH_DAYS
    )


def _question_about_sums(rows: OpenRows, in_part: Iterable[Pair]) -> Iterator[Question]:
    """Ask about a notification that may be a part of a sum, or a sum that may include one."""
    pairs = list(in_part)
    if not pairs:
        return
    whole, (other, *_) = pairs[0].entry.whole, pairs[0].parts or (pairs[0].candidate,)
    assert other is not None
    topic = Topic.SUM_OF_PARTS if pairs[0].parts else Topic.PART_OF_SUM
    count = sum(len(pair.parts or (pair,)) for pair in pairs) - 1
    more = clause(Says.MORE_PAIRS, count=count) if count else ""
    farthest = _REACH_DAYS + 1
    facts = {"entry": file_row(whole), "more": more, "days": farthest, **_facts(other)}
    yield which_one(MATCH_DAYS, Clause(topic, facts), whole.line, same=farthest, other=_REACH_DAYS)
