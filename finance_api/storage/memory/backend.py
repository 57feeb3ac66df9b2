"""The process, and units of work made of one part per role."""

import threading
from typing import Any

import transaction
from transaction.interfaces import IDataManager
from zope.interface import implementer

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    Storage,
    StorageBackend,
    Totals,
    WritableStorage,
)
from finance_api.storage.memory.activity import MemoryAudit, MemoryUsage
from finance_api.storage.memory.data import MemoryData, MemoryTransfers
from finance_api.storage.memory.database import Database, Unit
from finance_api.storage.memory.history import MemoryHistory
from finance_api.storage.memory.rates import MemoryRates
from finance_api.storage.memory.uploads import MemoryUploads
from finance_api.storage.memory.users import (
    MemoryJwts,
    MemorySessions,
    MemoryTokens,
    MemoryUsers,
)

#: The parts of a unit of work, by role. A reader's can write, too, but only into its own view.
_PARTS: dict[str, Any] = {
    "users": MemoryUsers,
    "tokens": MemoryTokens,
    "jwts": MemoryJwts,
    "sessions": MemorySessions,
    "usage": MemoryUsage,
    "data": MemoryData,
    "history": MemoryHistory,
    "rates": MemoryRates,
    "transfers": MemoryTransfers,
    "uploads": MemoryUploads,
    "audit": MemoryAudit,
}


def _parts(unit: Unit) -> dict[str, Any]:
    return {role: make(unit) for role, make in _PARTS.items()}


class MemoryBackend(StorageBackend):
    """Readers keep the state they began with; writers wait for each other."""

    persistent = False

    def __init__(self) -> None:
        self.database = Database()
        self.write_lock = threading.RLock()

    def read(self, *, newest: bool = False) -> Storage:
        # Nothing here waits for anything.
        return Storage(**_parts(Unit(self.database)), close=lambda: None)

    def write(
        self,
        tm: transaction.TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        if not self.write_lock.acquire(timeout=lock_timeout_seconds):
            raise StorageUnavailable(
                "another import or change is running: try again when it has ended"
            )
        unit = Unit(self.database)
        tm.get().join(_Commit(self, unit, tm))
        return WritableStorage(**_parts(unit), origin=origin)

    def check(self) -> None:
        """Memory is always there."""

    def totals(self) -> Totals:
        users = self.database.users.values()
        return Totals(users=len(users), revisions=sum(user.data.revision for user in users))

    def upgrade(self) -> None:
        """There is nothing older than this process."""

    def close(self) -> None:
        """There are no connections."""


@implementer(IDataManager)
class _Commit:
    """Puts a writer's database in place when its transaction commits."""

    def __init__(
        self, backend: MemoryBackend, unit: Unit, tm: transaction.TransactionManager
    ) -> None:
        self.backend = backend
        self.unit = unit
        self.transaction_manager = tm

    def abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def tpc_begin(self, transaction: Any) -> None: ...

    def commit(self, transaction: Any) -> None: ...

    def tpc_vote(self, transaction: Any) -> None: ...

    def tpc_finish(self, transaction: Any) -> None:
        self.backend.database = self.unit.database
        self.backend.write_lock.release()

    def tpc_abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def sortKey(self) -> str:  # noqa: N802 (the interface's name)
        return "finance_api.memory"
