"""Pairs entries with records that the bank corrected under the same id."""

from collections.abc import Iterator

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows, described, stored_described, which_one
from finance_api.ledger.matching.reused_ids import has_same_text, is_partly_same, of_same_id
from finance_api.ledger.matching.rules.same_id import correction
from finance_api.ledger.matching.stated import REUSED, STABLE


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
            whole = rows.read(entry)
            yield which_one(
                "--ids",
                f"{described(whole)} has the id of {stored_described(candidate)}",
                whole.line,
                how=(
                    ": if it corrects that record, say --ids stable; if it is another transaction, "
                    "say --ids reused"
                ),
                same=STABLE,
                other=REUSED,
                again=True,
            )
            yield Pair(entry, Outcome.NEW)
        if corrects is not False:
            seen.add(entry)
        if corrects:
            yield correction(rows, entry, candidate)


def _corrects(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> bool | None:
    """Return whether the entry corrects the record of its id; None if only the user knows."""
    account = entry.account
    if account.ids is not None and account.known_stable:
        return True
    if not is_partly_same(rows, entry, candidate):
        return False
    if account.reused:
        # Unless the user says so, a record is known to be gone only if the file covers its
        # whole day.
        if candidate.inner or not candidate.covered:
            return candidate.inner
        return False if account.ids_chosen else None
    if candidate.covered:
        return True
    # Unless the user says that ids are stable, the bank may start to count from 1 again, even if
    # ids were stable so far. A recurring payment has the same text every time, so a text is no
    # proof: the record of the other day would be overwritten.
    is_known = account.stable and (account.ids_chosen or not has_same_text(rows, entry, candidate))
    return True if is_known else None
