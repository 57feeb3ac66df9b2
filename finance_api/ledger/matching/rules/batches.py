"""A batch and its parts: one statement tells an entry as a whole, another one in its parts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

from finance_api.importers.interface import joined_key
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import CandidateTest, OpenRows, grouped, is_own, is_plain
from finance_api.values.number import MAX_UNITS

_Row = TypeVar("_Row", FileEntry, Candidate)


def pair_own_batches(rows: OpenRows) -> Iterator[Pair]:
    """Pair the details and the sum of one batch, in either order.

    stored  2026-01-03  -30.00  Payroll      id 7
    file    2026-01-03  -10.00  Ann          batch 7
            2026-01-03  -20.00  Ben          batch 7
    gives   same, same
    """
    return batch_pairs(rows, is_own, is_own, Outcome.SAME, Outcome.SAME, reach=None)


def batch_pairs(
    rows: OpenRows,
    wholes: CandidateTest,
    stored_parts: CandidateTest,
    whole: Outcome,
    parts: Outcome,
    *,
    reach: int | None,
) -> Iterator[Pair]:
    """Decide parts of the file that are a stored whole, and entries whose parts are stored.

    wholes, stored_parts: which records. whole: what becomes of parts whose whole is stored; parts:
    of an entry whose parts are. reach: how many days apart the sum may be; None: of one source,
    where the sum and the day alone do not show it.
    """
    yield from _pair_parts_of_the_file(rows, wholes, whole, reach)
    yield from _pair_stored_parts(rows, stored_parts, parts, reach)


def _is_certain(batch: str, bank_id: str | None, inner: bool) -> bool:
    """Whether they have one id; or the file has the day whole, and not what is stored."""
    return inner or (bank_id is not None and batch.startswith(f"{joined_key(bank_id)}/"))


def _sum_of_a_day(batch: Sequence[FileEntry] | Sequence[Candidate]) -> int | None:
    total = sum(part.amount for part in batch)
    is_one_day = len({part.day for part in batch}) == 1
    return total if is_one_day and abs(total) <= MAX_UNITS else None


def _day(batch: tuple[object, Sequence[FileEntry] | Sequence[Candidate]]) -> int:
    return batch[1][0].day


def _nearest(found: list[_Row], day: int, reach: int | None) -> list[_Row]:
    near = (row for row in found if abs(row.day - day) <= (reach or 0))
    return sorted(near, key=lambda row: abs(row.day - day))


def _pair_parts_of_the_file(
    rows: OpenRows, stored: CandidateTest, outcome: Outcome, reach: int | None
) -> Iterator[Pair]:
    """Parts of one entry, whose sum a record of their day is, are this record as a whole."""
    batches: defaultdict[tuple[object, str], list[FileEntry]] = defaultdict(list)
    for entry in rows.entries:
        if entry.rare.batch is not None and entry.outcome is not Outcome.DUPLICATE:
            batches[entry.account, entry.rare.batch].append(entry)
    if not batches:
        return
    records = grouped(rows.free(stored), lambda c: (c.account, c.amount))
    for (account, batch), parts in sorted(batches.items(), key=_day):
        total = _sum_of_a_day(parts)
        if total is None or any(part.outcome is not None for part in parts):
            continue
        for candidate in _nearest(records.get((account, total), []), parts[0].day, reach):
            is_certain = reach is not None or _is_certain(batch, candidate.bank_id, candidate.inner)
            if is_certain and not candidate.is_taken:
                for part in parts:
                    yield Pair(part, outcome, candidate)
                break


def _pair_stored_parts(
    rows: OpenRows, stored: CandidateTest, outcome: Outcome, reach: int | None
) -> Iterator[Pair]:
    """An entry that is the sum of the stored parts of one is these records as a whole."""
    batches: defaultdict[tuple[object, str | None, str], list[Candidate]] = defaultdict(list)
    for candidate in filter(stored, rows.candidates):
        if candidate.batch is not None:
            batches[candidate.account, candidate.source, candidate.batch].append(candidate)
    if not batches:
        return
    entries = grouped(filter(is_plain, rows.undecided), lambda e: (e.account, e.amount))
    for (account, _, batch), parts in sorted(batches.items(), key=_day):
        total = _sum_of_a_day(parts)
        if total is None or any(part.is_taken for part in parts):
            continue
        if reach is not None and all(part.is_void for part in parts):
            # As one void record of another source, they keep no entry out.
            continue
        inner = all(part.inner for part in parts)
        for entry in _nearest(entries.get((account, total), []), parts[0].day, reach):
            is_certain = reach is not None or _is_certain(batch, entry.bank_id, inner)
            if is_certain and entry.outcome is None:
                yield Pair(entry, outcome, parts[0], tuple(parts))
                break
