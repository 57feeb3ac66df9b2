"""Pairs rows of the same id with nearly the same content, or with a record's earlier values."""

from collections import defaultdict
from collections.abc import Iterator

from finance_api.ledger.matching.model import (
    SAME_TEXTS,
    Candidate,
    Earlier,
    FileEntry,
    Outcome,
    Pair,
    Wanted,
)
from finance_api.ledger.matching.open_rows import OpenRows


def pair_same_ids(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry with the record of its id and content.

    stored  2026-01-03  -3.00  Coffee  id 7
    file    2026-01-03  -3.00  Coffee  id 7
    gives   same
    """
    yield from _pairs(rows)
    wanted = (
        Wanted(entry.account, entry.statement, entry.bank_id)
        for entry in rows.undecided
        if entry.bank_id is not None
    )
    if rows.reader.read_ids(wanted):
        yield from _pairs(rows)


def _pairs(rows: OpenRows) -> Iterator[Pair]:
    if not rows.candidates:
        return
    yield from rows.equal_pairs(Outcome.SAME, "bank_id", entries=_has_id, stored=_has_own_id)
    yield from pair_earlier(rows, by_id=True)
    yield from rows.pairs(
        Outcome.CORRECTION,
        *("bank_id", "day", "amount"),
        entries=_has_id,
        stored=lambda c: _has_own_id(c) and c.texts != SAME_TEXTS,
    )


def _has_id(entry: FileEntry) -> bool:
    return entry.bank_id is not None


def _has_own_id(candidate: Candidate) -> bool:
    return candidate.mine and candidate.bank_id is not None


def pair_earlier(rows: OpenRows, *, by_id: bool) -> Iterator[Pair]:
    """Pair an entry with the record that had the same values before the bank corrected it.

    stored  2026-01-03  -3.50  Coffee  id 7   (before: -3.00)
    file    2026-01-03  -3.00  Coffee  id 7
    gives   same: the statement is older than the one that corrected it
    """
    known: defaultdict[tuple[object, ...], list[tuple[Candidate, Earlier]]] = defaultdict(list)
    for candidate in rows.candidates:
        for earlier in candidate.earlier:
            content, _, bank_id, _ = earlier
            if by_id or bank_id is None:
                known[candidate.account, content, bank_id].append((candidate, earlier))
    if not known:
        return
    found = [
        (entry, candidate, is_alias)
        for entry in rows.undecided
        if not by_id or entry.bank_id is not None
        for candidate, (_, time, _, is_alias) in known.get(
            (entry.account, entry.content, entry.bank_id if by_id else None), ()
        )
        if (time == entry.time or 0 in (time, entry.time)) and (is_alias or not candidate.is_taken)
    ]
    taken: set[Candidate] = set()
    for entry, candidate, is_alias in found:
        if entry.outcome is not None or candidate in taken:
            continue
        taken.add(candidate)
        is_later = not is_alias and order(rows, entry, candidate) > 0
        yield Pair(entry, Outcome.CORRECTION if is_later else Outcome.SAME, candidate)


def order(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> int:
    """Compare when the statements of entry and record were made: 1 if the entry's is later.

    -1: the record's is later. 0: equal or unknown.
    """
    as_of, known = rows.as_of(entry), candidate.as_of
    if as_of is None or known is None:
        return 0
    return int(as_of > known) - int(as_of < known)


def correction(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> Pair:
    """Pair an entry with the record that it corrects, or whose older values it states."""
    is_older = order(rows, entry, candidate) < 0
    return Pair(entry, Outcome.OLDER if is_older else Outcome.CORRECTION, candidate)
