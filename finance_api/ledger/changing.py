"""Changes a user's data in a separate transaction, completely or not at all."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import transaction

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.ledger.edits.transfer_pairs import propose_transfers
from finance_api.ledger.rehearsal import rehearse
from finance_api.ledger.session import IMPORT, KEEP_DAYS, LedgerSession
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
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
) -> Iterator[LedgerSession]:
    """Yield a session for a user, in a separate transaction that is committed at the end.

    Other changes of the user's data wait until then. dry_run: nothing is stored, and nobody waits.
    decides_first: nobody waits until the change calls `LedgerSession.begin_storing`.
    lock_timeout_seconds, origin: see `StorageBackend.write`.
    Raises ChangeRefused, storage.errors.NotFound, StorageUnavailable.
    """
    tm = transaction.TransactionManager(explicit=True)
    tm.begin()
    with ExitStack() as rehearsal:

        def open_writing() -> WritableStorage:
            rehearsal.close()
            return backend.write(tm, lock_timeout_seconds=lock_timeout_seconds, origin=origin)

        try:
            if dry_run or decides_first:
                reader = rehearsal.enter_context(reading(backend, newest=True))
                storage = rehearse(reader)
            else:
                storage = open_writing()
            yield LedgerSession(
                storage,
                storage.users.get(email),
                now,
                action=action,
                keep_days=keep_days,
                on_days=propose_transfers,
                open_writing=None if dry_run or not decides_first else open_writing,
                is_dry_run=dry_run,
            )
        except Conflict as error:
            tm.abort()
            raise (ImportRefused if action == IMPORT else ChangeRefused)(str(error)) from None
        except ChangeRefused as error:
            tm.abort()
            if action != IMPORT or isinstance(error, ImportRefused):
                raise
            raise ImportRefused(error.reason, error.line) from None
        except BaseException:
            tm.abort()
            raise
    # In a dry run, there is nothing to commit.
    tm.commit()
