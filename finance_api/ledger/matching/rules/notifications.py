"""Pairs the entries of notifications with the entries that state their sums."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from finance_api.importers.interface import joined_key
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import CandidateTest, OpenRows, grouped, is_plain
from finance_api.ledger.matching.stated import REST

#: Entries of notifications, the entry or record that may be their sum, and what they lack of it.
_Sum = tuple[list[Any], Any, int]
_FindSums = Callable[[Iterable[Any], Iterable[Any]], Iterator[_Sum]]


def pair_notifications(rows: OpenRows, stored: CandidateTest, reach: int) -> Iterator[Pair]:
    """Pair an entry of another source with all entries of a notification and day.

    If no single notification has the sum, all notifications of the day together may have it. An
    entry with the id that notified entries name as their booking is the sum of just these.

    stored  2026-01-03  -10.00  Ann          (camt.054, one notification)
            2026-01-03  -20.00  Ben
    file    2026-01-03  -30.00               (camt.053, without details)
    gives   matched

    stored: a test of records. reach: the maximum number of days between the sum and its parts.
    A part of a notification has no sum, and neither has a notification whose entries the other
    source states singly.
    """
    for days in range(reach + 1):
        yield from _pairs(rows, stored, partial(_sums, days=days))


def pair_whole_days(rows: OpenRows, stored: CandidateTest) -> Iterator[Pair]:
    """Pair what is left of a day: all open notified entries with all open entries without details.

    stored  2026-01-03  -10.00  Ann          (camt.054, four notifications)
            2026-01-03  -20.00  Ben
            2026-01-03  -14.00  Cleo
            2026-01-03  -16.00  Dan
    file    2026-01-03  -30.00               (camt.053, without details)
            2026-01-03  -30.00
    gives   matched: together both are the same money
    """
    yield from _pairs(rows, stored, partial(_sums_of_days, exact=True))


def pair_in_part(rows: OpenRows) -> Iterator[Pair]:
    """Pair entries of another source with notified entries that may be a part of their day's sum.

    Other notifications may state the rest, in files of their own. Until then, the rest of a new sum
    is a record.

    stored  2026-01-03  -10.00  Ann          (camt.054)
    file    2026-01-03  -30.00               (camt.053, without details)
    gives   new: -20.00, which later notifications may match
    """
    sums = partial(_sums_of_days, exact=False)
    yield from _parts_of_stored(rows, lambda c: not c.mine, sums)
    # A sum in the file does not include what the bank deleted.
    yield from _stored_parts(rows, lambda c: not (c.mine or c.is_past), sums)


def _pairs(rows: OpenRows, stored: CandidateTest, sums: _FindSums) -> Iterator[Pair]:
    yield from _parts_of_stored(rows, stored, sums)
    yield from _stored_parts(rows, stored, sums)


def _parts_of_stored(rows: OpenRows, stored: CandidateTest, sums: _FindSums) -> Iterator[Pair]:
    others = [c for c in rows.candidates if stored(c) and not c.is_void]
    for parts, whole, _ in sums([e for e in rows.entries if is_plain(e)], others):
        for part in parts:
            yield Pair(part, Outcome.MATCHED, whole)


def _stored_parts(rows: OpenRows, stored: CandidateTest, sums: _FindSums) -> Iterator[Pair]:
    others = [c for c in rows.candidates if stored(c) and not c.is_void]
    entries = [e for e in rows.entries if is_plain(e)]
    keepers: defaultdict[tuple[object, int], list[Candidate]] = defaultdict(list)
    for candidate in others:
        for amount in candidate.further.sums:
            keepers[candidate.account, amount].append(candidate)
    for found, whole, rest in sums(others, [e for e in entries if e.message is None]):
        # The first part keeps what the entry states, as a rest does for its own entry. Formats
        # that state the same sum have it in one place, so that a correction counts once.
        keep = [part for part in found if whole.amount in part.further.sums]
        if not keep:
            keep = keepers[whole.account, whole.amount]
        parts = list(dict.fromkeys((*keep[-1:], *sorted(found, key=_is_notified))))
        outcome = Outcome.NEW if rest else Outcome.MATCHED_PARTS
        yield Pair(whole, outcome, parts[0], tuple(parts), rest)


def _sums_of_days(parts: Iterable[Any], wholes: Iterable[Any], *, exact: bool) -> Iterator[_Sum]:
    """Yield the open notified entries of each day with the entries that may include them.

    exact: whether the entries of a day without details must have their sum together.
    """
    for group, free in _open_days(parts, wholes):
        more = abs(_total(free)) - abs(_total(group))
        if more == 0 or (more > 0 and not exact):
            yield from _shared(group, free)


def _open_days(
    parts: Iterable[Any], wholes: Iterable[Any]
) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the open notified entries of each day and direction with their possible sums."""
    notified = [p for p in parts if p.message is not None and p.amount and is_open(p)]
    sums = (w for w in wholes if notified and is_open(w) and not w.names_other)
    free = grouped(sums, _day_and_direction)
    for key, group in grouped(notified, _day_and_direction).items():
        yield group, list(filter(is_open, free.get(key, ())))


def _shared(parts: list[Any], wholes: list[Any]) -> Iterator[_Sum]:
    """Share parts among wholes: the smallest one that is large enough, else the largest ones.

    Each part belongs to a whole with room for it. The last whole has the rest of all.
    """
    left, kept = abs(_total(parts)), []
    enough = [whole for whole in wholes if abs(whole.amount) >= left]
    if enough:
        wholes = [min(enough, key=lambda whole: abs(whole.amount))]
    for whole in sorted(wholes, key=lambda whole: -abs(whole.amount)):
        if left > 0:
            kept.append(whole)
            left -= abs(whole.amount)
    room = [abs(whole.amount) for whole in kept]
    shares: list[list[Any]] = [[] for _ in kept]
    for part in sorted(parts, key=lambda part: -abs(part.amount)):
        place = room.index(max(room))
        room[place] -= abs(part.amount)
        shares[place].append(part)
    rests = [0] * (len(kept) - 1) + [_total(kept) - _total(parts)]
    for share, whole, rest in zip(shares, kept, rests, strict=True):
        yield share or parts, whole, rest


def _sums(parts: Iterable[Any], wholes: Iterable[Any], days: int) -> Iterator[_Sum]:
    notified = [part for part in parts if part.message is not None]
    free = [row for row in wholes if notified and is_open(row)]
    named = {(row.account, joined_key(row.bank_id)): row for row in free if row.bank_id}
    for group in grouped(notified, _reference).values():
        whole = named.get(_reference(group[0]))
        if whole is not None and _are_open(group) and whole.amount == _total(group):
            yield group, whole, 0
    free = list(filter(is_open, free))
    singles = Counter(map(_place, free))
    sums = grouped((row for row in free if not row.names_other), _place)
    for key, of_key in ((_notification, notified), (_day, filter(is_open, notified))):
        for group in filter(_are_open, grouped(of_key, key).values()):
            account, day = group[0].account, group[0].day
            amounts, near = Counter(row.amount for row in group), range(day - days, day + days + 1)
            found = next((s for n in near if (s := sums.get((account, _total(group), n)))), [])
            if found and any(
                sum(singles[account, amount, n] for n in near) < count
                for amount, count in amounts.items()
            ):
                singles[_place(found[-1])] -= 1
                yield group, found.pop(), 0


def _is_notified(candidate: Candidate) -> bool:
    return candidate.message is not None and candidate.message[1] != REST


def _reference(row: FileEntry | Candidate) -> tuple[object, str]:
    """Return the bank's id of the booking that the row belongs to. Several rows can share it."""
    return row.account, (row.batch or joined_key(row.bank_id or "")).partition("/")[0]


def _notification(row: FileEntry | Candidate) -> tuple[object, ...]:
    return row.account, row.message, row.day


def _day(row: FileEntry | Candidate) -> tuple[object, int]:
    return row.account, row.day


def _day_and_direction(row: FileEntry | Candidate) -> tuple[object, int, bool]:
    return row.account, row.day, row.amount < 0


def _are_open(group: list[Any]) -> bool:
    return len(group) > 1 and all(map(is_open, group))


def _total(group: list[Any]) -> int:
    return sum(row.amount for row in group)


def _place(row: FileEntry | Candidate) -> tuple[object, int, int]:
    return row.account, row.amount, row.day


def is_open(row: FileEntry | Candidate) -> bool:
    return row.outcome is None if isinstance(row, FileEntry) else row.is_free
