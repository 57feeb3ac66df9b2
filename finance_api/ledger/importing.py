"""The ways into the ledger. One file is one transaction, and at most one new revision."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from finance_api.importers.interface import StatementImporter
from finance_api.importers.native import NativeRow, native_file
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import KEEPING, Keeping, changing
from finance_api.ledger.statement_import import StatementImport
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
    about: Mapping[str, Any] | None = None,
    by: str = "command",
    keeping: Keeping = KEEPING,
    dry_run: bool = False,
) -> ImportReport:
    """Imports one file for one user, all of it or nothing.

    The file is read before other writers are made to wait. Only where an account that it names was
    changed meanwhile are its statements read again.
    stream: seekable. importer: reads a statement format; None: the native format.
    account_name, currency: see `StatementImport`. about: what the history says of the file, such
    as its name. dry_run: everything but keeping it.
    Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    report = ImportReport()
    given = dict(about or {})
    change = changing(backend, email, now, action="import", by=by, keeping=keeping, dry_run=dry_run)
    if importer is None:
        with native_file(stream) as file, change as session:
            NativeImport(session, report, given).run(file.documents, file.records)
        return report
    with change as session:
        StatementImport(
            session,
            report,
            importer.source,
            account_name=account_name,
            currency=currency,
            about=given,
        ).run(importer.read(stream))
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
    with changing(backend, email, now, action="import") as session:
        NativeImport(session, report, {}).run(documents, records)
    return report
