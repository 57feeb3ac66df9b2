"""The storage's contract. `finance_api.storage.testing` holds every implementation to it.

A `StorageBackend` lives as long as the process. It makes units of work: a `Storage` reads, and
sees one unchanging state of a user's data from its first read of it; a `WritableStorage` also
writes, and all of its writes or none are stored when its transaction manager commits. A unit of
work has a part for each role: users, tokens, JWTs, sessions, usage, the data itself, its history,
exchange rates, proposals of transfers, files that wait to be imported, the audit log.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from transaction import TransactionManager

from finance_api.runtime.time_limit import no_time_limit
from finance_api.storage.errors import NotFound, StorageNotReady, unknown_in_replica
from finance_api.storage.interface.audit import (
    COMMAND,
    AuditAction,
    AuditEntry,
    AuditReader,
    AuditWriter,
)
from finance_api.storage.interface.credentials import (
    Jwt,
    JwtReader,
    JwtWriter,
    Token,
    TokenReader,
    TokenWriter,
)
from finance_api.storage.interface.data import (
    DELETE_LINE,
    PUT_LINE,
    STREAMED_ROWS,
    Change,
    ChangeKey,
    Changes,
    DataReader,
    DataState,
    DataWriter,
    JsonPage,
    Page,
    RecordSum,
    TooManySums,
)
from finance_api.storage.interface.faults import (
    NO_VALUE,
    REPAIR,
    RESTORE,
    Fault,
    Found,
    after_repair,
)
from finance_api.storage.interface.history import (
    BeforeImage,
    HistoryEntry,
    HistoryReader,
    HistoryWriter,
)
from finance_api.storage.interface.rates import NO_RATES, RateReader, RatesState, RateWriter
from finance_api.storage.interface.sessions import Session, SessionReader, SessionWriter
from finance_api.storage.interface.transfers import TransferProposal, TransferReader, TransferWriter
from finance_api.storage.interface.uploads import Upload, UploadReader, UploadState, UploadWriter
from finance_api.storage.interface.usage import UsageReader, UsageWriter
from finance_api.storage.interface.users import User, UserReader, UserWriter

__all__ = ["User", "UserReader", "UserWriter"]
__all__ += ["COMMAND", "AuditAction", "AuditEntry", "AuditReader", "AuditWriter"]
__all__ += ["Jwt", "JwtReader", "JwtWriter", "Token", "TokenReader", "TokenWriter"]
__all__ += ["Session", "SessionReader", "SessionWriter", "UsageReader", "UsageWriter"]
__all__ += ["DataReader", "DataState", "DataWriter", "JsonPage", "Page", "RecordSum"]
__all__ += ["TooManySums"]
__all__ += ["BeforeImage", "HistoryEntry", "HistoryReader", "HistoryWriter"]
__all__ += ["DELETE_LINE", "PUT_LINE", "Change", "ChangeKey", "Changes"]
__all__ += ["NO_VALUE", "REPAIR", "RESTORE", "Fault", "Found", "after_repair"]
__all__ += ["Upload", "UploadReader", "UploadState", "UploadWriter"]
__all__ += ["NO_RATES", "RateReader", "RateWriter", "RatesState"]
__all__ += ["TransferProposal", "TransferReader", "TransferWriter"]
__all__ += ["LOCK_TIMEOUT_SECONDS", "STREAMED_ROWS", "Storage", "StorageBackend", "WritableStorage"]
__all__ += ["BackendState", "Totals"]
__all__ += ["data_state_of", "reading", "unit_of_work"]

#: How long a unit of work that writes waits for another one, unless it says otherwise.
LOCK_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, kw_only=True)
class BackendState:
    """How a backend is now in this process.

    connections: those in use, and how many more there can be, by what they are for.
    is_away: whether the database is taken to be away.
    """

    connections: Mapping[str, tuple[int, int]]
    is_away: bool = False


@dataclass(frozen=True, kw_only=True)
class Totals:
    """What is stored. revisions: of all users' data together. projection_version: if it has one."""

    users: int
    revisions: int
    projection_version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Storage:
    """A unit of work that reads. Every method of its parts may raise StorageUnavailable.

    close: ends it; harmless if it has ended.
    """

    users: UserReader
    tokens: TokenReader
    jwts: JwtReader
    sessions: SessionReader
    usage: UsageReader
    data: DataReader
    history: HistoryReader
    rates: RateReader
    transfers: TransferReader
    uploads: UploadReader
    audit: AuditReader
    close: Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class WritableStorage(Storage):
    """A unit of work that writes. It ends with its transaction.

    origin: from where it is asked for, as `AuditEntry` has it.
    """

    users: UserWriter
    tokens: TokenWriter
    jwts: JwtWriter
    sessions: SessionWriter
    usage: UsageWriter
    data: DataWriter
    history: HistoryWriter
    rates: RateWriter
    transfers: TransferWriter
    uploads: UploadWriter
    audit: AuditWriter
    origin: str = COMMAND
    close: Callable[[], None] = lambda: None

    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        """Adds to the audit log what is done here."""
        self.audit.add(AuditEntry(at, action, self.origin, user_id, detail))


class StorageBackend(ABC):
    """Makes the units of work; safe to use from several threads.

    persistent: whether what is written is still there for the next process.
    on_work: is called with the seconds of a unit of work in the database, and whether it is "read"
    or "write", which is told when it has committed.
    """

    persistent: bool = True
    on_work: Callable[[str, float], None] = staticmethod(lambda work, seconds: None)

    @abstractmethod
    def read(self, *, newest: bool = False) -> Storage:
        """A unit of work that reads; its `Storage.close` must be called.

        newest: read nothing from a replica, which may lag behind.
        At the end of a `time_limit` a read that is under way is ended. It raises TookTooLong, as
        every other one does from then on.
        """

    @abstractmethod
    def write(
        self,
        tm: TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        """A unit of work that writes in the manager's current transaction, and ends with it.

        lock_timeout_seconds: how long it waits for another writer before StorageUnavailable.
        origin: see `WritableStorage`.
        """

    @abstractmethod
    def check(self) -> None:
        """Raises StorageNotReady or StorageUnavailable if reads would fail now."""

    @abstractmethod
    def totals(self) -> Totals:
        """Raises StorageNotReady or StorageUnavailable, as `check`."""

    @property
    def state(self) -> BackendState:
        return BackendState(connections={})

    @abstractmethod
    def upgrade(self) -> None:
        """Brings what is stored to the version that this program reads; harmless if it is there."""

    def find_faults(self, *, repair: bool = False) -> Iterator[Fault]:
        """What is wrong in how data is stored, read in parts: memory does not grow with it.

        What a user's data says is another matter: `finance_api.ledger.checking`.
        repair: makes anew what is derived, in transactions of its own. Raises StorageError.
        """
        return iter(())

    def back_up(self, path: Path) -> None:
        """Writes all that is stored at one moment to a file that only its owner may read.

        A file of that name is replaced, if all goes well. Raises StorageError, OSError.
        """
        raise StorageNotReady("this storage has no backups")

    def restore(self, path: Path, now: int, *, revoke_tokens: bool = False) -> None:
        """Replaces all that is stored by what a backup has, or changes nothing.

        What was revoked or disabled since stays so; all sessions and JWTs end. Harmless to readers,
        who may have to wait. revoke_tokens: those of the backup, too. Raises StorageError, OSError.
        """
        raise StorageNotReady("this storage has no backups")

    @abstractmethod
    def close(self) -> None:
        """Closes connections."""


@contextmanager
def reading(backend: StorageBackend, *, newest: bool = False) -> Iterator[Storage]:
    """A unit of work that reads, and ends with the block. newest: see `StorageBackend.read`."""
    storage = backend.read(newest=newest)
    try:
        yield storage
    finally:
        storage.close()


def data_state_of(storage: Storage, user_id: int) -> DataState:
    """`get_state` of a user whom the database has let in. Raises StorageUnavailable."""
    try:
        return storage.data.get_state(user_id)
    except NotFound as error:
        raise unknown_in_replica() from error


@contextmanager
def unit_of_work(
    backend: StorageBackend,
    *,
    lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
    origin: str = COMMAND,
) -> Iterator[WritableStorage]:
    """A unit of work that writes; its writes are stored if the block ends without an error."""
    tm = TransactionManager(explicit=True)
    with no_time_limit(), tm:
        yield backend.write(tm, lock_timeout_seconds=lock_timeout_seconds, origin=origin)
