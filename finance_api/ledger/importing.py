"""Imports files and rows. One file is one transaction and makes at most one new revision."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import Any, BinaryIO

from finance_api.importers import NATIVE
from finance_api.importers.formats import AccountKey, detect_format, format_named
from finance_api.importers.interface import ImportRefused, Remembered, StatementImporter
from finance_api.importers.marks import currency_code
from finance_api.importers.native import NativeRow, native_file
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.changing import changing
from finance_api.ledger.matching.model import FileEntries
from finance_api.ledger.matching.stated import remembered_options
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import IMPORT, KEEP_DAYS, DataMoved, LedgerSession, UserRows
from finance_api.ledger.statement_accounts import is_new
from finance_api.ledger.statement_import import StatementImport, StatementOptions
from finance_api.storage.interface import COMMAND, HistoryEntry, StorageBackend, reading
from finance_api.values.time import to_date

#: Options about how rows of the file are matched with stored ones.
_MATCHING = ("new_account", "ids", "first_day", "match_days")


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """The operator's settings for imports.

    profiles: the directory of profiles, "" for none.
    """

    keep_days: int
    link_by_number: bool
    profiles: str

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "ImportSettings":
        return cls(
            keep_days=settings["finance_api.imports.keep_days"],
            link_by_number=settings["finance_api.transfers.link_by_number"],
            profiles=settings["finance_api.imports.profiles_directory"],
        )


#: How often to try an import if the data changes before it can be stored.
_TRIES = 3
#: A function that `import_file` calls within an import.
Step = Callable[[LedgerSession, ImportReport], None]


def nothing_more(session: LedgerSession, report: ImportReport) -> None:
    """Do nothing: the default `Step`."""


@dataclass(frozen=True)
class ImportOrder:
    """A file, the user to import it for, and the options.

    email: the user's. stream: seekable, at its start. importer: reads a statement format; None:
    the native format. options: for statements. format_name: the file's format, if `make_order`
    determined it. name, answers: the file's name and the options that the user gave, for the
    history. origin: see `WritableStorage`. dry_run: store nothing.
    """

    email: str
    stream: BinaryIO
    importer: StatementImporter | None = None
    _: KW_ONLY
    now: int
    options: StatementOptions = field(default_factory=StatementOptions)
    format_name: str | None = None
    name: str | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    origin: str = COMMAND
    keep_days: int = KEEP_DAYS
    dry_run: bool = False


def make_order(
    stream: BinaryIO,
    answers: Mapping[str, Any],
    settings: ImportSettings,
    format_name: str | None = None,
    **order: Any,
) -> ImportOrder:
    """Return the order for a file and a user's answers.

    stream: seekable, at its start. answers: options by name, see `importers.options`.
    format_name: None: detect it. order: the user and the rest of `ImportOrder`.
    Raises ImportRefused for a file of no known format, and for options of another format.
    """
    given = {name: _tuples(value) for name, value in answers.items() if _is_given(value)}
    if "currency" in given:
        given["currency"] = currency_code(given["currency"])
    found = format_named(format_name) if format_name else detect_format(stream)
    others = given.keys() - {*found.options}
    misplaced = [option.flag for option in FILE_OPTIONS if option.name in others]
    if misplaced:
        raise ImportRefused(
            f"{', '.join(misplaced)}: not an option for a file in the format {found.name}"
        )
    # Such an importer (CSV) already gives the account the user's name.
    names_it = found.account_key is AccountKey.USER
    options = StatementOptions(
        account_name=None if names_it else given.get("account"),
        currency=given.get("currency"),
        match=not given.get("no_match"),
        link_by_number=settings.link_by_number,
        **{name: given[name] for name in _MATCHING if name in given},
    )
    return ImportOrder(
        stream=stream,
        importer=found.new_importer(stream, given, settings.profiles),
        format_name=found.name,
        options=options,
        answers=given,
        keep_days=settings.keep_days,
        **order,
    )


def _is_given(value: Any) -> bool:
    is_empty = isinstance(value, Mapping | list | tuple) and not value
    return not (value is None or value is False or is_empty)


def _tuples(value: Any) -> Any:
    """Convert the lists of a JSON value to tuples, as a command line gives them."""
    if isinstance(value, Mapping):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value


def import_file(
    backend: StorageBackend,
    order: ImportOrder,
    *,
    begin: Step = nothing_more,
    end: Step = nothing_more,
) -> ImportReport:
    """Import one file for one user, all of it or nothing.

    Other changes can be stored while the file is read and compared with the user's data. If one
    was, the import starts over before it stores anything.
    begin: called before the import, with the stored data. end: called before the commit; if it
    raises, nothing is stored. Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    stream, importer = order.stream, order.importer
    details = {
        "format": NATIVE if importer is None else importer.source,
        "file": {"name": order.name, **_measures(stream)},
        "options": dict(order.answers),
    }
    for tries_left in reversed(range(_TRIES)):
        report = ImportReport(details=dict(details))
        change = changing(
            backend,
            order.email,
            order.now,
            action=IMPORT,
            origin=order.origin,
            keep_days=order.keep_days,
            dry_run=order.dry_run,
            # On the last try, other changes wait for this one, so that it can succeed.
            decides_first=tries_left > 0,
        )
        try:
            with ExitStack() as stack:
                if importer is None:
                    file = stack.enter_context(native_file(stream))
                else:
                    remembered = _remembered(backend, order, importer.source)
                    entries = FileEntries(importer.source, importer.read(stream, remembered))
                session = stack.enter_context(change)
                begin(session, report)
                if importer is None:
                    native = NativeImport(session, report, report.details)
                    native.run(file.documents, file.records)
                else:
                    StatementImport(session, report, entries, order.options, report.details).run()
                end(session, report)
            return report
        except DataMoved:
            stream.seek(0)
    raise AssertionError("the last try does not raise DataMoved")


def _measures(stream: BinaryIO) -> dict[str, Any]:
    """Return the size and the SHA-256 of a file, and rewind it."""
    digest = hashlib.file_digest(stream, "sha256")  # type: ignore[arg-type]
    size = stream.tell()
    stream.seek(0)
    return {"size": size, "sha256": digest.hexdigest()}


def _remembered(backend: StorageBackend, order: ImportOrder, source: str) -> Remembered:
    @contextmanager
    def owned() -> Iterator[UserRows]:
        with reading(backend, newest=True) as storage:
            yield UserRows(storage, storage.users.get(order.email))

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

    return Remembered(options, new_accounts, last_year=to_date(order.now).year + 1)


def import_rows(
    backend: StorageBackend,
    email: str,
    documents: Iterable[NativeRow],
    records: Callable[[], Iterable[NativeRow]],
    *,
    now: int,
) -> ImportReport:
    """Import rows that a program creates, as if they came from one native file."""
    report = ImportReport()
    rows = list(documents)
    with changing(backend, email, now, action=IMPORT) as session:
        NativeImport(session, report, {"format": NATIVE}).run(lambda: rows, records)
    return report
