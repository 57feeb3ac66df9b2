"""The bank corrected a record, and kept its id."""

from collections.abc import Iterator

from finance_api.importers.interface import Question
from finance_api.ledger.matching.accounts import REUSED, STABLE
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows, described, stored_described, which_one
from finance_api.ledger.matching.reused_ids import has_same_text, is_partly_same, of_same_id
from finance_api.ledger.matching.rules.same_id import correction


def pair_corrected(rows: OpenRows) -> Iterator[Pair | Question]:
    """Pair an entry with the record of its id that is near it, and partly the same.

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
                f"{described(whole)} may correct {stored_described(candidate)}, "
                "which had its id, or be another transaction: say which with --ids stable (it "
                "corrects it) or --ids reused (it is another one)",
                whole.line,
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
    """Whether the entry corrects the record of its id; None: only the user can say."""
    account = entry.account
    if account.ids is not None and account.known_stable:
        return True
    if not is_partly_same(rows, entry, candidate):
        return False
    if account.reused:
        # Without what the user says, only a day that the file has whole shows that the
        # record is gone.
        if candidate.inner or not candidate.covered:
            return candidate.inner
        return False if account.said else None
    if candidate.covered:
        return True
    # Nobody said that ids are stable: rows that came again with theirs do not show that the
    # bank never counts from 1 again. What comes again and again has the same text, and the
    # record of the other day would be lost.
    is_known = account.stable and (account.said or not has_same_text(rows, entry, candidate))
    return True if is_known else None
