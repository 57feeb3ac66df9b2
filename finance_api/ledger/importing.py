"""The ways into the ledger. One file is one transaction, and at most one new revision."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import transaction

from finance_api.importers.interface import ImportRefused, StatementImporter
from finance_api.importers.native import NativeReader, NativeRow
from finance_api.ledger.import_session import ImportSession
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.report import ImportReport
from finance_api.ledger.statement_accounts import known_account
from finance_api.ledger.statement_import import StatementImport
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import StorageBackend


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

    stream: seekable. importer: reads a statement format; None: the native format.
    account_name, currency: see `StatementImport`. dry_run: everything but keeping it.
    Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    report = ImportReport()
    with _import_session(backend, email, now, keep=not dry_run) as session:
        if importer is None:
            reader = NativeReader(stream)
            NativeImport(session, report).run(reader.documents(), reader.records)
        else:
            statements = importer.read(stream, partial(known_account, session, importer.source))
            StatementImport(
                session, report, importer.source, account_name=account_name, currency=currency
            ).run(statements)
    return report


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
    with _import_session(backend, email, now, keep=True) as session:
        NativeImport(session, report).run(documents, records)
    return report


@contextmanager
def _import_session(
    backend: StorageBackend, email: str, now: int, *, keep: bool
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
    if keep:
        tm.commit()
    else:
        tm.abort()
