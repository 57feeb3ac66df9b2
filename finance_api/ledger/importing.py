"""The ways into the ledger. One file is one transaction, and at most one new revision."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, BinaryIO

from finance_api.importers import NATIVE
from finance_api.importers.interface import Remembered, StatementImporter
from finance_api.importers.native import NativeRow, native_file
from finance_api.ledger.matching.file_entries import FileEntries
from finance_api.ledger.matching.learned import remembered_options
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import (
    IMPORT,
    KEEP_DAYS,
    DataMoved,
    LedgerSession,
    UserRows,
    changing,
)
from finance_api.ledger.statement_accounts import is_new
from finance_api.ledger.statement_import import StatementImport, StatementOptions
from finance_api.storage.interface import COMMAND, HistoryEntry, StorageBackend, reading
from finance_api.values.time import to_date

#: How often an import is decided, where the data changes before it can be stored.
_TRIES = 3
#: Is called within an import.
Step = Callable[[LedgerSession, ImportReport], None]


def nothing_more(session: LedgerSession, report: ImportReport) -> None:
    """What is called within an import where there is nothing to do."""


def import_file(
    backend: StorageBackend,
    email: str,
    stream: BinaryIO,
    importer: StatementImporter | None,
    *,
    now: int,
    options: StatementOptions | None = None,
    name: str | None = None,
    given: Mapping[str, Any] | None = None,
    origin: str = COMMAND,
    keep_days: int = KEEP_DAYS,
    dry_run: bool = False,
    begin: Step = nothing_more,
    end: Step = nothing_more,
) -> ImportReport:
    """Imports one file for one user, all of it or nothing.

    The file is read and compared with the user's data while others can write; only then it is
    stored. If the data changed meanwhile, it starts over.
    stream: seekable. importer: reads a statement format; None: the native format.
    options: of statements. dry_run: everything but storing. begin: called with what is stored.
    end: called before the commit; with what it raises nothing is stored.
    name, given: the file's name and what the user gave as options, for the history.
    Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    details = {
        "format": NATIVE if importer is None else importer.source,
        "file": {"name": name, **_measures(stream)},
        "options": dict(given or {}),
    }
    how: dict[str, Any] = {"origin": origin, "keep_days": keep_days, "dry_run": dry_run}
    chosen = options or StatementOptions()
    for tries_left in reversed(range(_TRIES)):
        report = ImportReport(details=dict(details))
        # In the end other changes wait for this one, so that it ends at all.
        how["decides_first"] = tries_left > 0
        change = changing(backend, email, now, action=IMPORT, **how)
        try:
            with ExitStack() as stack:
                if importer is None:
                    file = stack.enter_context(native_file(stream))
                else:
                    remembered = _remembered(backend, email, importer.source, now)
                    entries = FileEntries(importer.source, importer.read(stream, remembered))
                session = stack.enter_context(change)
                begin(session, report)
                if importer is None:
                    native = NativeImport(session, report, report.details)
                    native.run(file.documents, file.records)
                else:
                    statements = session, report, entries, chosen, report.details
                    StatementImport(*statements).run()
                end(session, report)
            return report
        except DataMoved:
            stream.seek(0)
    raise AssertionError("the last try does not raise DataMoved")


def _measures(stream: BinaryIO) -> dict[str, Any]:
    """The size and the SHA-256 of a file; it is at its beginning again."""
    digest = hashlib.file_digest(stream, "sha256")  # type: ignore[arg-type]
    size = stream.tell()
    stream.seek(0)
    return {"size": size, "sha256": digest.hexdigest()}


def _remembered(backend: StorageBackend, email: str, source: str, now: int) -> Remembered:
    @contextmanager
    def owned() -> Iterator[UserRows]:
        with reading(backend, newest=True) as storage:
            yield UserRows(storage, storage.users.get(email))

    @cache
    def names_and_history() -> tuple[dict[str, str], list[HistoryEntry]]:
        with owned() as rows:
            return {row_id: row["name"] for row_id, row in rows.accounts.rows.items()}, rows.history

    def options(heading: str, account: str | None) -> Mapping[str, Any] | None:
        names, history = names_and_history()
        return remembered_options(history, names, heading, account)

    def new_accounts(accounts: Collection[tuple[str, str | None]]) -> list[str]:
        with owned() as rows:
            return [name for name, number in accounts if is_new(rows, source, name, number)]

    return Remembered(options, new_accounts, last_year=to_date(now).year + 1)


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
    rows = list(documents)
    with changing(backend, email, now, action=IMPORT) as session:
        NativeImport(session, report, {"format": NATIVE}).run(lambda: rows, records)
    return report
