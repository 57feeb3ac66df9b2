"""Importing a file under the options that a person gives for it, in a command or on a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from finance_api.importers import CAMT, CSV, MT940, NATIVE, OFX, QIF, SPREADSHEET
from finance_api.importers.detection import detect_format
from finance_api.importers.interface import ImportRefused, StatementImporter
from finance_api.importers.marks import currency_code
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.importing import Step, import_file, nothing_more
from finance_api.ledger.report import ImportReport
from finance_api.ledger.statement_import import StatementOptions
from finance_api.storage.interface import COMMAND, StorageBackend

#: Those about what is stored already.
_MATCHING = ("new_account", "ids", "first_day", "match_days")
#: Those that a QIF file leaves open.
_QIF = ("account", "currency", "date_format", "decimal", "thousands", "encoding", "force_encoding")
#: Those for all statements.
_ALL = ("account", "currency", *_MATCHING, "no_match")


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """What the operator has set; see the settings of these names.

    profiles: a directory, "" for none.
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


class FileImport:
    """A file and what is given for it.

    stream: seekable, at its start. given: options by name, see `importers.options`.
    format_name: None: what the file looks like. Raises ImportRefused for what is no file of a
    format, and for options that are not for it.
    """

    def __init__(
        self,
        stream: BinaryIO,
        given: Mapping[str, Any],
        settings: ImportSettings,
        format_name: str | None = None,
    ) -> None:
        self._stream = stream
        self._settings = settings
        self.given = {name: _tuples(value) for name, value in given.items() if _is_given(value)}
        if "currency" in self.given:
            self.given["currency"] = currency_code(self.given["currency"])
        self.format_name = format_name or detect_format(stream)
        self._importer = self._new_importer()

    @property
    def headings(self) -> tuple[str, ...]:
        """Those of a table that has been read, so far as it was."""
        found: tuple[str, ...] = getattr(self._importer, "headings", ())
        return found

    def run(
        self,
        backend: StorageBackend,
        email: str,
        *,
        now: int,
        name: str,
        origin: str = COMMAND,
        dry_run: bool = False,
        begin: Step = nothing_more,
        end: Step = nothing_more,
    ) -> ImportReport:
        """See `import_file`."""
        return import_file(
            backend,
            email,
            self._stream,
            self._importer,
            now=now,
            options=self._statement_options(),
            name=name,
            given=self.given,
            origin=origin,
            keep_days=self._settings.keep_days,
            dry_run=dry_run,
            begin=begin,
            end=end,
        )

    def _statement_options(self) -> StatementOptions:
        # A CSV importer has given the account its name already.
        names_it = self.format_name in (CSV, SPREADSHEET)
        return StatementOptions(
            account_name=None if names_it else self.given.get("account"),
            currency=self.given.get("currency"),
            match=not self.given.get("no_match"),
            link_by_number=self._settings.link_by_number,
            **{name: self.given[name] for name in _MATCHING if name in self.given},
        )

    def _new_importer(self) -> StatementImporter | None:
        """The stream is at its start, before and after. None: the native format."""
        format_name, given, stream = self.format_name, self.given, self._stream
        misplaced = [
            o.flag for o in FILE_OPTIONS if o.name in given and format_name not in o.formats
        ]
        if misplaced:
            raise ImportRefused(
                f"{', '.join(misplaced)}: not for a file in the format {format_name}"
            )
        if format_name == OFX:
            from finance_api.importers.ofx.importer import OfxImporter

            return OfxImporter(given.get("currency"), given.get("positive"))
        if format_name == CAMT:
            from finance_api.importers.camt.importer import CamtImporter

            return CamtImporter.of(stream)
        if format_name == MT940:
            from finance_api.importers.mt940.importer import Mt940Importer

            return Mt940Importer.of(stream)
        if format_name == QIF:
            from finance_api.importers.qif import QifImporter, QifOptions

            return QifImporter(QifOptions(**{name: given[name] for name in _QIF if name in given}))
        if format_name == NATIVE:
            return None
        from finance_api.importers.csv import CsvImporter, CsvOptions, load_profiles

        own = {name: value for name, value in given.items() if name not in _NOT_CSV}
        options = CsvOptions(**own, header=not given.get("no_header"))
        csv = CsvImporter(options, load_profiles(self._settings.profiles))
        if format_name == CSV:
            return csv
        from finance_api.importers.spreadsheet.importer import SpreadsheetImporter

        return SpreadsheetImporter(csv, given.get("sheet"))


def _is_given(value: Any) -> bool:
    is_empty = isinstance(value, Mapping | list | tuple) and not value
    return not (value is None or value is False or is_empty)


def _tuples(value: Any) -> Any:
    """What came as JSON is as a command has it."""
    if isinstance(value, Mapping):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value


#: Those that `CsvOptions` has not.
_NOT_CSV = {*_ALL, "sheet", "no_header"} - {"account", "currency"}
