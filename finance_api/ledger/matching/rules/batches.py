"""Pairs a batch with its parts: one statement has the sum, another one has the parts."""

from collections.abc import Callable, Hashable, Iterable, Iterator
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
    """Pair parts in the file with a stored whole, and entries with their stored parts.

    wholes, stored_parts: tests for stored wholes and parts. whole: the outcome for parts whose
    whole is stored; parts: the outcome for an entry whose parts are stored. reach: the maximum
    number of days between a whole and its parts; None if all rows are from one source: an equal day
    and sum then do not make a pair.
    """
    yield from _pair_parts_of_the_file(rows, wholes, whole, reach)
    yield from _pair_stored_parts(rows, stored_parts, parts, reach)


def _is_certain(batch: str | None, bank_id: str | None, inner: bool) -> bool:
    """Return whether batch and whole share an id, or the file covers the record's whole day."""
    return inner or (bank_id is not None and (batch or "").startswith(f"{joined_key(bank_id)}/"))


def _batches(rows: Iterable[_Row], key: Callable[[_Row], Hashable]) -> list[tuple[int, list[_Row]]]:
    """Return the batches whose parts are all on one day, sorted by day, each with its sum."""
    by_day = sorted(grouped(rows, key).values(), key=lambda batch: batch[0].day)
    sums = ((sum(part.amount for part in batch), batch) for batch in by_day)
    return [
        (total, batch)
        for total, batch in sums
        if len({part.day for part in batch}) == 1 and abs(total) <= MAX_UNITS
    ]


def _nearest(found: list[_Row], day: int, reach: int | None) -> list[_Row]:
    near = (row for row in found if abs(row.day - day) <= (reach or 0))
    return sorted(near, key=lambda row: abs(row.day - day))


def _pair_parts_of_the_file(
    rows: OpenRows, stored: CandidateTest, outcome: Outcome, reach: int | None
) -> Iterator[Pair]:
    """Pair all parts of a batch in the file with a record of their sum."""
    in_batches = (
        e for e in rows.entries if e.batch is not None and e.outcome is not Outcome.DUPLICATE
    )
    batches = _batches(in_batches, lambda e: (e.account, e.batch))
    records = grouped(rows.free(stored) if batches else (), lambda c: (c.account, c.amount))
    for total, parts in batches:
        first = parts[0]
        if any(part.outcome is not None for part in parts):
            continue
        for candidate in _nearest(records.get((first.account, total), []), first.day, reach):
            is_certain = _is_certain(first.batch, candidate.bank_id, candidate.inner)
            if (reach is not None or is_certain) and candidate.is_free:
                for part in parts:
                    yield Pair(part, outcome, candidate)
                break


def _pair_stored_parts(
    rows: OpenRows, stored: CandidateTest, outcome: Outcome, reach: int | None
) -> Iterator[Pair]:
    """Pair an entry with all stored parts of a batch that sum to its amount."""
    in_batches = (c for c in rows.candidates if c.batch is not None and stored(c))
    batches = _batches(in_batches, lambda c: (c.account, c.source, c.batch))
    plain = filter(is_plain, rows.undecided if batches else ())
    entries = grouped(plain, lambda e: (e.account, e.amount))
    for total, parts in batches:
        first, inner = parts[0], all(part.inner for part in parts)
        if not all(part.is_free for part in parts):
            continue
        if reach is not None and all(part.is_void for part in parts):
            # Void records of another source do not prevent a new record.
            continue
        amounts = tuple(sorted(part.amount for part in parts))
        for entry in _nearest(entries.get((first.account, total), []), first.day, reach):
            # Older versions stored the parts of a split as a batch.
            is_split = entry.split == amounts
            is_certain = is_split or _is_certain(first.batch, entry.bank_id, inner)
            if (reach is not None or is_certain) and entry.outcome is None:
                yield Pair(entry, outcome, first, tuple(parts))
                break
