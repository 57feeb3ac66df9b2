"""Settles pairs of records that look like duplicates."""

from collections.abc import Iterable

from finance_api.ledger.brought import read_brought
from finance_api.ledger.edits.proposals import read_waiting
from finance_api.ledger.edits.record_changes import RecordChanges
from finance_api.ledger.edits.records import void_duplicates
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.matching.duplicates import CONFIRMED, Duplicate, read_duplicates
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.storage.interface import Proposed
from finance_api.values import Row

_Pairs = Iterable[tuple[str, str]]


def list_duplicates(owned: UserRows, *, limit: int, offset: int = 0) -> list[Duplicate]:
    """List the pairs that the user has not settled yet, newest first."""
    user_id, ledger = owned.user.id, owned.storage.ledger
    pairs = ledger.list_proposals(user_id, Proposed.DUPLICATE, limit=limit, offset=offset)
    return list(read_duplicates(owned.storage, user_id, pairs))


def void_earlier(session: LedgerSession, pairs: _Pairs) -> EditReport:
    """Void the record of each pair that was stored earlier. Raises ChangeRefused."""
    rows = read_waiting(session, Proposed.DUPLICATE, pairs)
    return void_duplicates(session, [earlier["id"] for earlier, _ in rows])


def void_later(session: LedgerSession, pairs: _Pairs) -> EditReport:
    """Void the record of each pair that was stored later. Raises ChangeRefused."""
    rows = read_waiting(session, Proposed.DUPLICATE, pairs)
    return void_duplicates(session, [later["id"] for _, later in rows])


def is_by_hand(row: Row) -> bool:
    """Whether a record was added by hand, and no file has brought it since."""
    return read_brought(row) is None


def keep_both(session: LedgerSession, pairs: _Pairs) -> EditReport:
    """Remember that both records of each pair are right. Raises ChangeRefused."""
    changes = RecordChanges(session)
    for pair in read_waiting(session, Proposed.DUPLICATE, pairs):
        for row in pair:
            by_hand = tuple(sorted({*row["setByHand"], CONFIRMED}))
            changes.put(row, {**row, "setByHand": by_hand})
    return changes.close()
