"""The ways into the ledger. One file is one transaction, and at most one new revision."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

import transaction

from finance_api.importers.interface import (
    ImportRefused,
    KnownAccount,
    Statement,
    StatementImporter,
)
from finance_api.importers.native import NativeRow, native_file
from finance_api.ledger.import_session import ImportSession, UserRows
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.report import ImportReport
from finance_api.ledger.statement_accounts import known_account
from finance_api.ledger.statement_import import StatementImport
from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import StorageBackend, reading


def import_file(
    backend: StorageBackend,
    email: str,
    stream: BinaryIO,
    importer: StatementImporter | None,
    *,
    now: int,
    account_name: str | None = None,
    currency: str | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Imports one file for one user, all of it or nothing.

    The file is read before other writers are made to wait. Only where an account that it names was
    changed meanwhile are its statements read again.
    stream: seekable. importer: reads a statement format; None: the native format.
    account_name, currency: see `StatementImport`. dry_run: everything but keeping it.
    Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    report = ImportReport()
    if importer is None:
        with native_file(stream) as file, _import_session(backend, email, now, dry_run) as session:
            NativeImport(session, report).run(file.documents, file.records)
        return report
    statements = _Statements(importer, stream)
    with reading(backend) as storage:
        owned = UserRows(storage, storage.users.get(email))
        # Now: reading a file may take long, and nothing is kept open meanwhile.
        owned.row_set(ACCOUNTS)
    statements.read(owned)
    with _import_session(backend, email, now, dry_run) as session:
        if not statements.are_as_read_for(session):
            statements.read(session)
        StatementImport(
            session, report, importer.source, account_name=account_name, currency=currency
        ).run(statements.found)
    return report


class _Statements:
    """The statements of a file, and what was known of the user's accounts when it was read."""

    def __init__(self, importer: StatementImporter, stream: BinaryIO) -> None:
        self._importer = importer
        self._stream = stream
        self._known: dict[str, KnownAccount | None] = {}
        self.found: Sequence[Statement] = ()

    def read(self, owned: UserRows) -> None:
        """Raises ImportRefused."""

        def known(key: str) -> KnownAccount | None:
            self._known[key] = known_account(owned, self._importer.source, key)
            return self._known[key]

        self._known.clear()
        self._stream.seek(0)
        self.found = self._importer.read(self._stream, known)

    def are_as_read_for(self, owned: UserRows) -> bool:
        """Whether reading the file again would find the same."""
        source = self._importer.source
        return all(known_account(owned, source, k) == was for k, was in self._known.items())


def import_rows(
    backend: StorageBackend,
    email: str,
    documents: Iterable[NativeRow],
    records: Callable[[], Iterable[NativeRow]],
    *,
    now: int,
) -> ImportReport:
    """Imports rows that a program makes, as if they came from one native file."""
    report = ImportReport()
    with _import_session(backend, email, now) as session:
        NativeImport(session, report).run(documents, records)
    return report


@contextmanager
def _import_session(
    backend: StorageBackend, email: str, now: int, dry_run: bool = False
) -> Iterator[ImportSession]:
    """The user's session in a transaction of their own."""
    tm = transaction.TransactionManager(explicit=True)
    tm.begin()
    try:
        storage = backend.write(tm)
        yield ImportSession(storage, storage.users.get(email), now)
    except Conflict as error:
        tm.abort()
        raise ImportRefused(str(error)) from None
    except BaseException:
        tm.abort()
        raise
    if dry_run:
        tm.abort()
    else:
        tm.commit()
