"""Pairs the entries of a notification with the one entry that states their sum."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import CandidateTest, OpenRows, grouped, is_plain

#: All entries of a notification and day, and the entry or record that may be their sum.
_Sum = tuple[list[Any], Any]


def pair_notifications(rows: OpenRows, stored: CandidateTest, reach: int) -> Iterator[Pair]:
    """Pair all entries of one notification and day with an entry of another source.

    stored  2026-01-03  -10.00  Ann          (camt.054, one notification)
            2026-01-03  -20.00  Ben
    file    2026-01-03  -30.00               (camt.053, without details)
    gives   matched

    stored: a test of records. reach: the maximum number of days between the sum and its parts.
    A part of a notification has no sum, and neither has a notification whose entries the other
    source states singly.
    """
    others = [c for c in rows.candidates if stored(c) and not c.is_void]
    entries = [e for e in rows.entries if is_plain(e)]
    for days in range(reach + 1):
        for parts, whole in _sums(entries, others, days):
            for part in parts:
                yield Pair(part, Outcome.MATCHED, whole)
        for parts, whole in _sums(others, entries, days):
            yield Pair(whole, Outcome.MATCHED_PARTS, parts[0], tuple(parts))


def _sums(parts: Iterable[Any], wholes: Iterable[Any], days: int) -> Iterator[_Sum]:
    notified = (part for part in parts if part.message is not None)
    groups = grouped(notified, lambda row: (row.account, row.message, row.day))
    free = [row for row in wholes if groups and is_open(row)]
    singles = Counter(map(_place, free))
    sums = grouped((row for row in free if not row.names_other), _place)
    for group in groups.values():
        if len(group) == 1 or not all(map(is_open, group)):
            continue
        account, day = group[0].account, group[0].day
        amounts = Counter(row.amount for row in group)
        total, near = sum(amounts.elements()), range(day - days, day + days + 1)
        found = next((each for n in near if (each := sums.get((account, total, n)))), [])
        if found and any(
            sum(singles[account, amount, n] for n in near) < count
            for amount, count in amounts.items()
        ):
            singles[_place(found[-1])] -= 1
            yield group, found.pop()


def _place(row: FileEntry | Candidate) -> tuple[object, int, int]:
    return row.account, row.amount, row.day


def is_open(row: FileEntry | Candidate) -> bool:
    return row.outcome is None if isinstance(row, FileEntry) else not row.is_taken
