"""The same id, and the same or nearly the same content."""

from collections.abc import Iterator

from finance_api.ledger.matching.candidates import Wanted
from finance_api.ledger.matching.model import SAME_TEXTS, Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows
from finance_api.ledger.matching.rules.earlier_version import pair_earlier


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
