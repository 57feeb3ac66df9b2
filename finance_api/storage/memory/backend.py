"""The backend, and its units of work, which have one part for each role."""

import threading
from typing import Any

from transaction import TransactionManager

from finance_api.storage.errors import StorageLocked
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    Storage,
    StorageBackend,
    Totals,
    WritableStorage,
)
from finance_api.storage.memory.data import MemoryData
from finance_api.storage.memory.database import Database, Unit
from finance_api.storage.memory.roles import (
    MemoryAudit,
    MemoryLedger,
    MemoryRates,
    MemoryUploads,
    MemoryUsage,
)
from finance_api.storage.memory.users import MemoryUsers

#: The parts of a unit of work, by role. Readers could also write, but only to their own view.
_PARTS: dict[str, Any] = {
    "users": MemoryUsers,
    "usage": MemoryUsage,
    "data": MemoryData,
    "ledger": MemoryLedger,
    "rates": MemoryRates,
    "uploads": MemoryUploads,
    "audit": MemoryAudit,
}


def _parts(unit: Unit) -> dict[str, Any]:
    return {role: make(unit) for role, make in _PARTS.items()}


class MemoryBackend(StorageBackend):
    """Readers see the database as it was when they began; writers wait for each other."""

    persistent = False

    def __init__(self) -> None:
        self.database = Database()
        self.write_lock = threading.RLock()

    def read(self, *, newest: bool = False) -> Storage:
        # No time limit is needed: no read waits for anything.
        return Storage(**_parts(Unit(self.database)), close=lambda: None)

    def write(
        self,
        tm: TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        if not self.write_lock.acquire(timeout=lock_timeout_seconds):
            raise StorageLocked
        unit = Unit(self.database)
        tm.get().addAfterCommitHook(self._end, (unit,))
        tm.get().addAfterAbortHook(self._end, (False, unit))
        return WritableStorage(**_parts(unit), origin=origin)

    def _end(self, is_committed: bool, unit: Unit) -> None:
        """Store the writer's database if its transaction committed.

        Called twice if a commit fails.
        """
        if unit.has_ended:
            return
        unit.has_ended = True
        if is_committed:
            self.database = unit.database
        self.write_lock.release()

    def check(self) -> None:
        """Do nothing: memory is always available."""

    def totals(self) -> Totals:
        users = self.database.users.values()
        return Totals(users=len(users), revisions=sum(user.data.revision for user in users))

    def upgrade(self) -> None:
        """Do nothing: no data is older than this process."""

    def close(self) -> None:
        """Do nothing: there are no connections."""
