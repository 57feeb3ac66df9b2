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
from finance_api.storage.memory.audit import MemoryAuditReader, MemoryAuditWriter
from finance_api.storage.memory.credentials import (
    MemoryJwtReader,
    MemoryJwtWriter,
    MemoryTokenReader,
    MemoryTokenWriter,
)
from finance_api.storage.memory.data import MemoryDataReader, MemoryDataWriter
from finance_api.storage.memory.database import Database, Unit
from finance_api.storage.memory.history import MemoryHistoryReader, MemoryHistoryWriter
from finance_api.storage.memory.rates import MemoryRateReader, MemoryRateWriter
from finance_api.storage.memory.sessions import MemorySessionReader, MemorySessionWriter
from finance_api.storage.memory.transfers import MemoryTransferReader, MemoryTransferWriter
from finance_api.storage.memory.uploads import MemoryUploadReader, MemoryUploadWriter
from finance_api.storage.memory.usage import MemoryUsageReader, MemoryUsageWriter
from finance_api.storage.memory.users import MemoryUserReader, MemoryUserWriter


class MemoryBackend(StorageBackend):
    """Readers keep the state they began with; writers wait for each other."""

    persistent = False

    def __init__(self) -> None:
        self.database = Database()
        self.write_lock = threading.RLock()

    def read(self, *, newest: bool = False) -> Storage:
        # Nothing here waits for anything.
        unit = Unit(self.database)
        return Storage(
            users=MemoryUserReader(unit),
            tokens=MemoryTokenReader(unit),
            jwts=MemoryJwtReader(unit),
            sessions=MemorySessionReader(unit),
            usage=MemoryUsageReader(unit),
            data=MemoryDataReader(unit),
            history=MemoryHistoryReader(unit),
            rates=MemoryRateReader(unit),
            transfers=MemoryTransferReader(unit),
            uploads=MemoryUploadReader(unit),
            audit=MemoryAuditReader(unit),
            close=lambda: None,
        )

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
        return WritableStorage(
            users=MemoryUserWriter(unit),
            tokens=MemoryTokenWriter(unit),
            jwts=MemoryJwtWriter(unit),
            sessions=MemorySessionWriter(unit),
            usage=MemoryUsageWriter(unit),
            data=MemoryDataWriter(unit),
            history=MemoryHistoryWriter(unit),
            rates=MemoryRateWriter(unit),
            transfers=MemoryTransferWriter(unit),
            uploads=MemoryUploadWriter(unit),
            audit=MemoryAuditWriter(unit),
            origin=origin,
        )

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
