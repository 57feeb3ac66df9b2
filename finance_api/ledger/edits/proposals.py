"""Pairs of records that look like transfers or duplicates, stored until the user decides."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.transfer_pairs import find_pairs
from finance_api.ledger.matching.duplicates import find_duplicates
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition, dated
from finance_api.resources import RECORDS
from finance_api.storage.interface import Proposed, ProposedPair
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

#: The pairs of a day depend only on records within this time, except for longer chains of records
#: with equal amounts, which are ignored.
_NEAR = 7 * DAY_SECONDS
#: Records are compared in periods of this length, so that a period fits in memory.
_PART = 31 * DAY_SECONDS

_FINDERS: Mapping[
    Proposed, Callable[[LedgerSession, Sequence[Condition]], Sequence[ProposedPair]]
] = {
    Proposed.TRANSFER: find_pairs,
    Proposed.DUPLICATE: lambda session, about: find_duplicates(
        session.storage, session.user.id, about
    ),
}


def propose(session: LedgerSession, days: Iterable[int]) -> None:
    """Find the pairs around the days again, and replace the stored proposals there.

    days: counted from 1970-01-01. Records further than `_NEAR` from a period are ignored.
    """
    dates = {day * DAY_SECONDS for day in days}
    parts = {near // _PART for date in dates for near in (date - _NEAR, date, date + _NEAR)}
    for part in sorted(parts):
        at, until = part * _PART, (part + 1) * _PART
        for kind, find in _FINDERS.items():
            pairs = find(session, [dated(at - _NEAR, until + _NEAR)])
            inside = [pair for pair in pairs if at <= pair.day < until]
            session.storage.ledger.replace_proposals(session.user.id, kind, at, until, inside)


def search_all(session: LedgerSession, kind: Proposed) -> Sequence[ProposedPair]:
    """Find the pairs among all records, and replace all stored proposals."""
    pairs = _FINDERS[kind](session, ())
    session.storage.ledger.replace_proposals(
        session.user.id, kind, MIN_SECONDS, MAX_SECONDS + 1, pairs
    )
    return pairs


def waiting_ids(session: LedgerSession, kind: Proposed) -> set[tuple[str, str]]:
    """Return the ids of each pair that the user has not decided about."""
    number = session.storage.ledger.count_proposals(session.user.id, kind)
    stored = session.storage.ledger.list_proposals(session.user.id, kind, limit=number)
    return {pair.ids for pair in stored}


def read_waiting(
    session: LedgerSession, kind: Proposed, pairs: Iterable[tuple[str, str]]
) -> Iterator[tuple[Row, Row]]:
    """Yield the rows of proposed pairs. Raises ChangeRefused if a pair is no longer proposed."""
    waiting = waiting_ids(session, kind)
    for pair in pairs:
        if pair not in waiting:
            raise ChangeRefused("a pair that you chose is no longer waiting for your decision")
        rows = session.get_rows(RECORDS, pair)
        yield rows[pair[0]], rows[pair[1]]
