"""Pairs rows after the bank changed the clock of its times, such as from UTC to local time."""

from collections.abc import Iterator

from finance_api.importers.clauses import Says, clause
from finance_api.ledger.matching.model import Candidate, FileEntry, Pair
from finance_api.ledger.matching.open_rows import OpenRows, file_row, grouped, stored_row
from finance_api.ledger.matching.rules.same_content import goes_by_content, has_no_id
from finance_api.values.time import DAY_SECONDS

_SHIFTS = [hours * 3600 for hours in range(-14, 15) if hours]
#: Fewer rows may be other transactions. Try only shifts that fit one of about _TRIED rows.
_LEAST, _TRIED = 3, 20
_Pairs = list[tuple[FileEntry, Candidate]]


def pair_shifted(rows: OpenRows) -> Iterator[Pair]:
    """Pair entries with records if all their times differ by the same whole hours.

    stored  2026-01-03 10:00  -3.00  Coffee      (and two rows or more besides)
    file    2026-01-03 11:00  -3.00  Coffee
    gives   corrected: the time changes
    """
    known = grouped(rows.free(has_no_id), lambda candidate: candidate.account)
    found = grouped(filter(goes_by_content, rows.undecided), lambda entry: entry.account)
    for account, candidates in known.items():
        entries = found.get(account, [])
        if not entries or not any(c.time for c in candidates) or _moved(entries, candidates, 0):
            continue
        if entries[0].offset is not None and candidates[0].instant is not None:
            # The moments are known whatever the clock.
            continue
        file = {_key(entry) for entry in entries}
        some = candidates[:: 1 + len(candidates) // _TRIED]
        likely = [shift for shift in _SHIFTS if any(_key(c, shift) in file for c in some)]
        moved = (_moved(entries, candidates, shift) for shift in likely)
        proven = {
            candidate.time - time
            for candidate in candidates
            for content, time, *_ in candidate.further.earlier
            if content == candidate.content and candidate.time - time in _SHIFTS
        }
        pairs, few = max(moved, key=len, default=[]), []
        if len(pairs) < _LEAST and not rows.moved_days:
            pairs, few = [], pairs
        # Earlier files moved only a part of the records: the rest may move as far.
        for shift in (each * way for each in proven for way in (1, -1)):
            pairs = max(pairs, _left_over(entries, candidates, shift), key=len)
        for entry, candidate in pairs:
            yield rows.correction(entry, candidate)
        if few and not pairs:
            entry, candidate = few[0]
            whole, record = file_row(entry.whole), stored_row(rows, candidate)
            rows.remarks.append(clause(Says.HOUR_APART, entry=whole, record=record))


def _time(row: FileEntry | Candidate, shift: int = 0) -> int:
    return row.day * DAY_SECONDS + row.time + shift


def _key(row: FileEntry | Candidate, shift: int = 0) -> tuple[int, int, int]:
    return _time(row, shift), row.amount, row.text


def _moved(entries: list[FileEntry], candidates: list[Candidate], shift: int) -> _Pairs:
    """Pair all rows of the time that file and stored rows have in common; [] if any is left over.

    shift: the seconds from a record's time to its entry's.
    """
    covers = entries[0].account.earlier.covers
    file = sorted(entries, key=lambda entry: _key(entry, -shift))
    stored = sorted(candidates, key=_key)
    first = max(_time(file[0], -shift), _time(stored[0]))
    last = min(_time(file[-1], -shift), _time(stored[-1]))
    known = [candidate for candidate in stored if first <= _time(candidate) <= last]
    found = [
        entry
        for entry in file
        if first <= (time := _time(entry, -shift)) <= last
        if any(cover.holds(time // DAY_SECONDS) for cover in covers)
    ]
    if len(found) != len(known):
        return []
    pairs = list(zip(found, known, strict=True))
    return pairs if all(_key(entry, -shift) == _key(c) for entry, c in pairs) else []


def _left_over(entries: list[FileEntry], candidates: list[Candidate], shift: int) -> _Pairs:
    """Pair rows that the other side lacks at their own time, but has moved by ``shift``."""
    unmoved = {_key(entry) for entry in entries} & {_key(c) for c in candidates}
    waiting = grouped(candidates, lambda candidate: _key(candidate, shift))
    left = (entry for entry in entries if _key(entry) not in unmoved)
    found = ((entry, waiting.get(_key(entry), [])) for entry in left)
    return [(entry, each.pop()) for entry, each in found if each and _key(each[-1]) not in unmoved]
