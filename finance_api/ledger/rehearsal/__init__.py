"""A unit of work that shows what a change would do, and stores nothing of it.

It reads from the storage, and keeps what the change writes to itself: the change finds there what
it has written before. So a dry run reports what the change itself would report, and other users
can write meanwhile.
"""

from typing import Any, cast

from finance_api.ledger.rehearsal.data import RehearsedData
from finance_api.ledger.rehearsal.history import RehearsedHistory
from finance_api.ledger.rehearsal.transfers import RehearsedTransfers
from finance_api.storage.interface import AuditAction, Storage, WritableStorage

__all__ = ["rehearse"]


class _Rehearsal(WritableStorage):
    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        """Adds nothing to the audit log: nothing is done."""


def rehearse(storage: Storage) -> WritableStorage:
    """Return a unit of work over the storage; only data, history and transfers can be written."""
    reader = cast(Any, storage)
    return _Rehearsal(
        users=reader.users,
        tokens=reader.tokens,
        jwts=reader.jwts,
        sessions=reader.sessions,
        usage=reader.usage,
        data=RehearsedData(storage.data),
        history=RehearsedHistory(storage.history),
        rates=reader.rates,
        transfers=RehearsedTransfers(storage.transfers),
        uploads=reader.uploads,
        audit=reader.audit,
    )
