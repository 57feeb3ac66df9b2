"""Changes a user's data in a separate transaction, completely or not at all.

A dry run works on a rehearsal: it reports what the change itself would report, and makes no other
change wait. A change that decides first works on a rehearsal as well, and stores at its end what it
wrote there. So the transaction that writes computes nothing, and other changes wait only for its
writes.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import transaction

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.ledger.edits.proposals import propose
from finance_api.ledger.rehearsal import Rehearsal, rehearse
from finance_api.ledger.session import IMPORT, KEEP_DAYS, LedgerSession
from finance_api.runtime.time_limit import check_time, no_time_limit
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    Storage,
    StorageBackend,
    WritableStorage,
    reading,
)


@contextmanager
def changing(
    backend: StorageBackend,
    email: str,
    now: int,
    *,
    action: str | None,
    origin: str = COMMAND,
    keep_days: int = KEEP_DAYS,
    dry_run: bool = False,
    decides_first: bool = False,
    lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
    check: Callable[[Storage], None] = lambda storage: None,
) -> Iterator[LedgerSession]:
    """Yield a session for a user, in a separate transaction that is committed at the end.

    Other changes to the user's data wait until then. dry_run: nothing is stored, and nobody waits.
    decides_first: nobody waits until the end of the block, or until the change calls
    `LedgerSession.begin_storing`. Either raises DataMoved if the data has changed meanwhile, and
    TookTooLong if no time is left. Storing has no time limit.
    lock_timeout_seconds, origin: see `StorageBackend.write`. check: called in each unit of work.
    Raises ChangeRefused, storage.errors.NotFound, StorageNotReady, StorageUnavailable.
    """
    tm = transaction.TransactionManager(explicit=True)
    tm.begin()
    with ExitStack() as rehearsal:
        storage: WritableStorage | None = None

        def open_writing() -> WritableStorage:
            if isinstance(storage, Rehearsal):
                storage.prepare(backend)
            rehearsal.close()
            return backend.write(tm, lock_timeout_seconds=lock_timeout_seconds, origin=origin)

        try:
            if dry_run or decides_first:
                reader = rehearsal.enter_context(reading(backend, newest=True))
                storage = rehearse(reader, origin)
            else:
                storage = open_writing()
            session = LedgerSession(
                storage,
                storage.users.get(email),
                now,
                action=action,
                keep_days=keep_days,
                on_days=propose,
                open_writing=None if dry_run or not decides_first else open_writing,
                is_dry_run=dry_run,
            )
            check(storage)
            yield session
            if isinstance(storage, Rehearsal) and storage.writes and not dry_run:
                check_time()
                with no_time_limit():
                    session.begin_storing()
                    check(session.storage)
        except Conflict as error:
            tm.abort()
            raise (ImportRefused if action == IMPORT else ChangeRefused)(str(error)) from None
        except ChangeRefused as error:
            tm.abort()
            if action != IMPORT or isinstance(error, ImportRefused):
                raise
            raise ImportRefused(error.reason, error.line) from None
        except BaseException as error:
            tm.abort()
            if isinstance(error, Exception) and (dry_run or decides_first):
                # If an upgrade of the tables changed what this reads, say that instead.
                backend.check()
            raise
    # In a dry run, there is nothing to commit.
    tm.commit()
