"""The storage's contract. `finance_api.storage.testing` tests every implementation against it.

A `StorageBackend` lives as long as the process, and makes units of work. A `Storage` reads, and
sees one unchanging state of a user's data from its first read on. A `WritableStorage` also writes:
when its transaction manager commits, either all of its writes are stored or none are.

A unit of work has a part for each role: users with their credentials and saved questions, usage,
the data itself, what the ledger keeps beside it, exchange rates, files that wait to be imported,
and the audit log.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transaction import TransactionManager

from finance_api.resources.field import Resource
from finance_api.runtime.settings import made_by_name
from finance_api.runtime.time_limit import no_time_limit
from finance_api.storage.errors import NotFound, StorageNotReady, unknown_in_replica
from finance_api.storage.interface.activity import (
    COMMAND,
    AuditAction,
    AuditEntry,
    AuditReader,
    AuditWriter,
    BeforeImage,
    HistoryEntry,
    LedgerReader,
    LedgerWriter,
    Proposed,
    ProposedPair,
    TokenDay,
    Upload,
    UploadReader,
    UploadState,
    UploadWriter,
    UsageReader,
    UsageWriter,
)
from finance_api.storage.interface.data import (
    STREAMED_ROWS,
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
    START,
    UNCHECKED,
    Fault,
    Found,
    after_repair,
)
from finance_api.storage.interface.rates import NO_RATES, RateReader, RatesState, RateWriter
from finance_api.storage.interface.users import (
    Jwt,
    Question,
    QuestionLink,
    Session,
    Token,
    User,
    UserReader,
    UserWriter,
)
from finance_api.values import Row

#: Default time to wait for another unit of work that writes.
LOCK_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, kw_only=True)
class BackendState:
    """The state of a backend in this process.

    connections: the number of used and of free connections, by purpose.
    is_away: whether the circuit breaker considers the database unavailable.
    """

    connections: Mapping[str, tuple[int, int]]
    is_away: bool = False


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Numbers that show how much is stored.

    revisions: the sum of all users' revisions.
    projection_version: the version of the projection; None if the storage has no projection.
    """

    users: int
    revisions: int
    projection_version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Storage:
    """A unit of work that reads. Every method of its parts may raise StorageUnavailable.

    close: ends the unit of work; harmless if it has ended already.
    """

    users: UserReader
    usage: UsageReader
    data: DataReader
    ledger: LedgerReader
    rates: RateReader
    uploads: UploadReader
    audit: AuditReader
    close: Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class WritableStorage(Storage):
    """A unit of work that writes. It ends with its transaction.

    origin: where the changes come from, as in `AuditEntry`.
    """

    users: UserWriter
    usage: UsageWriter
    data: DataWriter
    ledger: LedgerWriter
    rates: RateWriter
    uploads: UploadWriter
    audit: AuditWriter
    origin: str = COMMAND
    close: Callable[[], None] = lambda: None

    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        """Add an entry to the audit log."""
        self.audit.add(AuditEntry(at, action, self.origin, user_id, detail))

    def set_address(self, user_id: int, question_id: str, address: str, at: int) -> None:
        """Change the address of a saved question, if it still exists."""
        changes = {"address": address, "updated_at": at}
        with suppress(NotFound):
            self.users.update_owned(Question, question_id, user_id=user_id, **changes)


class StorageBackend(ABC):
    """The maker of units of work; safe to use from several threads.

    persistent: whether the data outlives the process.
    on_work: a function to call with "read" or "write" and the seconds that a unit of work spent in
    the database. For a unit that writes, it is called after the commit.
    """

    persistent: bool = True
    on_work: Callable[[str, float], None] = staticmethod(lambda work, seconds: None)

    @abstractmethod
    def read(self, *, newest: bool = False) -> Storage:
        """Begin a unit of work that reads; `Storage.close` must end it.

        newest: whether to avoid a replica, which may lag behind.
        When a `time_limit` ends, the current read and all later ones raise TookTooLong.
        """

    @abstractmethod
    def write(
        self,
        tm: TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        """Begin a unit of work that writes in the manager's transaction and ends with that.

        lock_timeout_seconds: how long to wait for another writer before raising
        StorageUnavailable.
        origin: see `WritableStorage`.
        """

    def prepare_rows(self, user_id: int, resource: Resource, rows: Iterable[Row]) -> Any:
        """Return rows as `DataWriter.put_prepared` takes them, before a unit of work that writes.

        Needs no database, so that the unit of work, for which others wait, computes nothing.
        """
        return list(rows)

    @abstractmethod
    def check(self) -> None:
        """Raise StorageNotReady or StorageUnavailable if reads would fail now."""

    @abstractmethod
    def totals(self) -> Totals:
        """Return how much is stored. Raises the same errors as `check`."""

    @property
    def state(self) -> BackendState:
        return BackendState(connections={})

    @abstractmethod
    def upgrade(self) -> None:
        """Upgrade the stored data to this program's version; harmless if already done."""

    def distribute(self, *, dry_run: bool = False) -> Iterator[str]:
        """Distribute users' data over the machines of a cluster; yield a line for each step.

        Distributes everything or nothing; harmless if already done.
        dry_run: whether to say only what would be done.
        Raises StorageNotReady, StorageUnavailable.
        """
        raise StorageNotReady("this storage cannot be distributed over several machines")

    def find_faults(self, *, repair: bool = False) -> Iterator[Fault]:
        """Yield faults in how data is stored. Uses little memory, however much data there is.

        `finance_api.ledger.checking` checks the content of a user's data.
        repair: whether to rebuild derived data, in separate transactions. Raises StorageError.
        """
        return iter(())

    def back_up(self, path: Path) -> None:
        """Write all data, as of one moment, to a file that only its owner may read.

        Replaces an existing file if all goes well. Raises StorageError, OSError.
        """
        raise StorageNotReady("this storage has no backups")

    def restore(self, path: Path, now: int, *, revoke_tokens: bool = False) -> None:
        """Replace all data with a backup's; change nothing if that fails.

        Tokens, links and users that were revoked or disabled since the backup stay so. All sessions
        and JWTs end. Readers may have to wait. revoke_tokens: whether to revoke all tokens and
        links. Raises StorageError, OSError.
        """
        raise StorageNotReady("this storage has no backups")

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""


@contextmanager
def reading(backend: StorageBackend, *, newest: bool = False) -> Iterator[Storage]:
    """Read in a unit of work that ends with the block. newest: see `StorageBackend.read`."""
    storage = backend.read(newest=newest)
    try:
        yield storage
    finally:
        storage.close()


def data_state_of(storage: Storage, user_id: int) -> DataState:
    """Return the state of a signed-in user's data. Raises StorageUnavailable."""
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
    """Run the block in a unit of work that writes; store the writes unless the block fails."""
    tm = TransactionManager(explicit=True)
    with no_time_limit(), tm:
        yield backend.write(tm, lock_timeout_seconds=lock_timeout_seconds, origin=origin)


_IMPLEMENTATIONS = {
    "sql": "finance_api.storage.sql.from_settings",
    "memory": "finance_api.storage.memory.from_settings",
}


def open_backend(settings: Mapping[str, Any]) -> StorageBackend:
    """Open the backend that the setting ``finance_api.storage`` names.

    No module imports an implementation directly. Raises SettingError, StorageNotReady.
    """
    backend: StorageBackend = made_by_name(
        "finance_api.storage", settings, _IMPLEMENTATIONS, StorageBackend
    )
    return backend
