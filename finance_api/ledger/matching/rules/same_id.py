"""Pairs rows that have the same id and the same content, earlier values, or corrected values."""

from collections import defaultdict
from collections.abc import Iterator

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.interface import Question
from finance_api.ledger.matching.candidates import Wanted
from finance_api.ledger.matching.model import (
    SAME_TEXTS,
    Candidate,
    Earlier,
    FileEntry,
    Outcome,
    Pair,
)
from finance_api.ledger.matching.open_rows import OpenRows, file_row, stored_row, which_one
from finance_api.ledger.matching.reused_ids import has_same_text, is_partly_same, of_same_id
from finance_api.ledger.matching.stated import REUSED, STABLE

#: Numbers with fewer digits may count the rows of a file.
_COUNTED = 4


def pair_same_ids(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry with the record of the same id and content.

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
        for earlier in candidate.further.earlier:
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
        is_later = not is_alias and rows.order(entry, candidate) > 0
        yield Pair(entry, Outcome.CORRECTION if is_later else Outcome.SAME, candidate)


def pair_corrected(rows: OpenRows) -> Iterator[Pair | Question]:
    """Pair an entry with a near record of the same id and the same amount or text.

    stored  2026-01-03  -3.00  Coffee  id 7
    file    2026-01-04  -3.50  Coffee  id 7
    gives   corrected: day and amount change
    """
    accounts = {account: number for number, account in enumerate(rows.accounts)}
    pairs = [(e, c) for e, candidates in of_same_id(rows) for c in candidates]
    pairs.sort(
        key=lambda pair: (
            accounts[pair[0].account],
            (pair[0].amount, pair[0].text) != (pair[1].amount, pair[1].text),
            abs(pair[0].day - pair[1].day),
        )
    )
    seen: set[FileEntry] = set()
    for entry, candidate in pairs:
        if entry in seen or candidate.is_taken:
            continue
        corrects = _corrects(rows, entry, candidate)
        if corrects is None:
            whole = entry.whole
            yield which_one(
                "ids",
                clause(Topic.SAME_ID, entry=file_row(whole), record=stored_row(rows, candidate)),
                whole.line,
                same=STABLE,
                other=REUSED,
            )
            yield Pair(entry, Outcome.NEW)
        if corrects is not False:
            seen.add(entry)
        if corrects:
            yield rows.correction(entry, candidate)


def _corrects(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> bool | None:
    """Return whether the entry corrects the record of its id; None if only the user knows."""
    account = entry.account
    if account.ids is not None and account.known_stable:
        return True
    if not is_partly_same(rows, entry, candidate):
        return False
    if account.reused:
        # The bank certainly dropped the record only if the file covers its whole day. If it
        # covers a part of that day, ask, unless the user has said that ids are reused.
        if candidate.inner or not candidate.covered:
            return candidate.inner
        return False if account.ids_chosen else None
    if candidate.covered:
        return True
    # If only this file shows that ids are stable, or the id is a short number, the bank may start
    # to count from 1 again. An equal text proves nothing, because recurring payments share theirs:
    # the record of another payment could be overwritten.
    is_short = len(entry.bank_id or "") < _COUNTED and (entry.bank_id or "").isdecimal()
    is_known = account.known_stable and (account.ids_chosen or not is_short)
    return (
        True if is_known or (account.stable and not has_same_text(rows, entry, candidate)) else None
    )
