"""Pairs rows of the same moment in different time zones."""

from collections.abc import Iterator

from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows


def pair_same_instants(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry with the record of its amount and moment, even on another day.

    stored  2026-01-03 23:30Z       -3.00  Coffee
    file    2026-01-04 00:30+01:00  -3.00  Coffee
    gives   corrected: day and time change
    """
    for names in (("amount", "instant", "text"), ("amount", "instant")):
        pairs = rows.pairs(
            Outcome.CORRECTION, *names, entries=_has_instant, stored=_has_own_instant
        )
        yield from (pair for pair in pairs if not _is_another(pair))


def _has_instant(entry: FileEntry) -> bool:
    return entry.rare.offset is not None


def _has_own_instant(candidate: Candidate) -> bool:
    return candidate.mine and candidate.instant is not None


def _is_another(pair: Pair) -> bool:
    """Return whether both have ids that differ, and the file does not cover the record's day."""
    ids, stored = {pair.entry.bank_id}, pair.candidate
    if stored is None or stored.covered:
        return False
    ids.add(stored.bank_id)
    return len(ids) > 1 and None not in ids
