"""Entries that name the entry that they correct or take back."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from finance_api.ledger.matching.candidates import Wanted
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.model import Candidate, Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows, grouped
from finance_api.ledger.matching.wording import described

_MOST_REMARKS = 20
#: An account, and a bank id.
_Key = tuple[KnownAccount, str | None]


def set_corrections_aside(rows: OpenRows) -> Iterator[Pair]:
    """Take an entry that corrects itself as it stands."""
    of_themselves = [
        e for e in rows.entries if e.rare.corrects is not None and e.rare.corrects == e.bank_id
    ]
    named = [e for e in of_themselves if e.outcome is None][:_MOST_REMARKS]
    rows.remarks += [
        f"{described(rows.read(e))} corrects itself: taken as it stands" for e in named
    ]
    for entry in of_themselves:
        entry.rare.corrects = None
    yield from ()


def act_on_corrections(rows: OpenRows) -> Iterator[Pair]:
    """Decide an entry that names the id of another one.

    stored  2026-01-03  -3.00  Coffee  id 7
    file    2026-01-03  -3.50  Coffee  id 8, corrects 7
    gives   corrected: the amount changes
    """
    correcting = [e for e in rows.entries if e.rare.corrects is not None]
    if not correcting:
        return
    by_id = grouped((e for e in rows.entries if e.bank_id), lambda e: (e.account, e.bank_id))
    known: defaultdict[_Key, list[Candidate]] = defaultdict(list)
    before: dict[_Key, Candidate] = {}
    number = 0
    for entry in correcting:
        bank_id = entry.rare.corrects
        if bank_id is None or entry.outcome not in (None, Outcome.NEW):
            continue
        rows.reader.read_ids([Wanted(entry.account, entry.statement, bank_id)])
        for candidate in islice(rows.candidates, number, None):
            if candidate.mine:
                known[candidate.account, candidate.bank_id].append(candidate)
            for _, _, its_id, _ in candidate.earlier:
                before.setdefault((candidate.account, its_id), candidate)
        number = len(rows.candidates)
        key = entry.account, bank_id
        stored = _nearest(known[key], entry.day) or before.get(key)
        other = next((e for e in by_id.get(key, ()) if e is not entry), None)
        if stored is not None:
            outcome = Outcome.VOIDS if entry.rare.deletes else Outcome.CORRECTION
            yield Pair(entry, outcome, stored)
        elif other is not None:
            entry.awaits = other
            yield Pair(entry, Outcome.WAITING)
        else:
            rows.remarks.append(
                f"{described(rows.read(entry))} corrects {bank_id!r}, which is not stored: taken "
                "as it stands"
            )


def _nearest(candidates: list[Candidate], day: int) -> Candidate | None:
    return min(candidates, key=lambda candidate: abs(candidate.day - day), default=None)
