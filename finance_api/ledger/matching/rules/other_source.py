"""Pairs entries with records of other formats that have the same amount and a nearby day."""

from collections.abc import Iterable, Iterator
from itertools import chain

from finance_api.importers.clauses import Says, Topic, clause
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
    most = max(_REACH_DAYS, rows.match_days or 0)
    others = _not_void(_is_other)
    yield from _batches(rows, _is_other, most)
    yield from pair_notifications(rows, _is_other, most)
    for names in (("day", "amount", "text"), ("day", "amount")):
        yield from rows.pairs(Outcome.MATCHED, *names, entries=is_plain, stored=others)
    for reach in sorted({_REACH_DAYS, most}):
        yield from _near(rows, reach, is_plain, others)
    # Without the payments that both formats state singly, the rest of a day may have one sum.
    yield from pair_notifications(rows, _is_other, most)
    yield from pair_whole_days(rows, _is_other)
    # This file's first and last entries may be records of another file, on days just outside; this
    # file may be older than one in which the bank deleted a record; and a void record may be a
    # payment that the user does not want, or a duplicate, which stands for none.
    beside = chain(
        _batches(rows, _is_beside, _REACH_DAYS),
        pair_notifications(rows, _is_beside, _REACH_DAYS),
        _near(rows, _REACH_DAYS, is_plain, _is_beside),
        pair_notifications(rows, _is_beside, _REACH_DAYS),
        _near(rows, rows.match_days or _DOUBTFUL_DAYS, is_plain, _is_voided),
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
    """Return whether another source has the record now, on a day that this file covers."""
    return not candidate.mine and candidate.covered and not candidate.is_past


def _is_beside(candidate: Candidate) -> bool:
    """Return whether another source has the record on another day, or had it before a deletion; or
    whether the user voided it.
    """
    is_near = candidate.is_past or candidate.is_void or not candidate.covered
    return not candidate.mine and is_near


def _is_voided(candidate: Candidate) -> bool:
    """Return whether the user voided a record of another source, on whatever day."""
    return not candidate.mine and candidate.is_void


def _not_void(test: CandidateTest) -> CandidateTest:
    return lambda candidate: not candidate.is_void and test(candidate)


def _of(source: str | None) -> CandidateTest:
    return lambda candidate: (
        _is_other(candidate) and not candidate.is_void and candidate.source == source
    )


def _of_days_of(source: str) -> EntryTest:
    """Return a test of whether an entry is plain, and on a day that a file of the source covers."""
    return lambda entry: (
        is_plain(entry)
        and any(cover.holds(entry.day) for cover in entry.account.earlier.others.get(source, ()))
    )


def _near(rows: OpenRows, reach: int, entries: EntryTest, stored: CandidateTest) -> Iterator[Pair]:
    """Pair as many rows of equal amounts as possible, at most ``reach`` days apart."""
    others = grouped(
        sorted(rows.free(stored), key=lambda c: -c.day), lambda c: (c.account, c.amount)
    )
    undecided = sorted(filter(entries, rows.undecided), key=lambda e: e.day)
    for entry in undecided:
        waiting = others.get((entry.account, entry.amount), [])
        if first_within(entry, waiting, reach):
            yield Pair(entry, Outcome.MATCHED, waiting.pop())


def _question(rows: OpenRows, beside: Iterable[Pair]) -> Iterator[Question]:
    """Ask about unpaired rows that may be the same transaction.

    Either both files cover their days, or almost do, or the user entered the record.
    """
    found = list(beside)
    for source in dict.fromkeys(s for account in rows.accounts for s in account.earlier.others):
        found += _near(rows, _DOUBTFUL_DAYS, _of_days_of(source), _of(source))
    # People may enter a payment some days before or after the bank books it.
    found += _near(rows, _DOUBTFUL_DAYS, is_plain, _of(None))
    if found:
        apart = (abs(p.entry.day - p.candidate.day) for p in found if p.candidate is not None)
        days = max(_REACH_DAYS + 1, *apart)
        yield _are_same(rows, Topic.OTHER_SOURCE, found[0], more=len(found) - 1, days=days)


def _question_about_sums(rows: OpenRows, in_part: Iterable[Pair]) -> Iterator[Question]:
    """Ask about a notification that may be a part of a sum, or a sum that may include one."""
    pairs = list(in_part)
    if pairs:
        topic = Topic.SUM_OF_PARTS if pairs[0].parts else Topic.PART_OF_SUM
        count = sum(len(pair.parts or (pair,)) for pair in pairs) - 1
        yield _are_same(rows, topic, pairs[0], more=count, days=_REACH_DAYS + 1)


def _are_same(rows: OpenRows, topic: Topic, pair: Pair, *, more: int, days: int) -> Question:
    """Ask about a pair. more: the number of further pairs. days: how far apart they all are."""
    whole, other = pair.entry.whole, pair.candidate
    assert other is not None
    origin = clause(Says.ENTERED)
    if other.source:
        origin = clause(Says.FROM_FORMAT, format=other.source)
    if other.is_past or other.is_void:
        origin = clause(Says.OUT_OF_DATE if other.is_past else Says.VOIDED)
    fact = clause(
        topic,
        entry=file_row(whole),
        more=clause(Says.MORE_PAIRS, count=more) if more else "",
        days=days,
        record=stored_row(rows, other),
        origin=origin,
        least=_REACH_DAYS,
    )
    return which_one(MATCH_DAYS, fact, whole.line, same=days, other=_REACH_DAYS)
