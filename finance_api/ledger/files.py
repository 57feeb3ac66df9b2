"""Importing a file under the options that a person gives for it, in a command or on a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from finance_api.importers.detection import detect_format
from finance_api.importers.formats import AccountKey, format_named
from finance_api.importers.interface import ImportRefused
from finance_api.importers.marks import currency_code
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.importing import Step, import_file, nothing_more
from finance_api.ledger.report import ImportReport
from finance_api.ledger.statement_import import StatementOptions
from finance_api.storage.interface import COMMAND, StorageBackend

#: Those about what is stored already.
_MATCHING = ("new_account", "ids", "first_day", "match_days")


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
        self.format = format_named(format_name) if format_name else detect_format(stream)
        others = self.given.keys() - {*self.format.options}
        misplaced = [option.flag for option in FILE_OPTIONS if option.name in others]
        if misplaced:
            raise ImportRefused(
                f"{', '.join(misplaced)}: not for a file in the format {self.format.name}"
            )
        self._importer = self.format.new_importer(stream, self.given, settings.profiles)

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
        names_it = self.format.account_key is AccountKey.USER
        return StatementOptions(
            account_name=None if names_it else self.given.get("account"),
            currency=self.given.get("currency"),
            match=not self.given.get("no_match"),
            link_by_number=self._settings.link_by_number,
            **{name: self.given[name] for name in _MATCHING if name in self.given},
        )


def _is_given(value: Any) -> bool:
    is_empty = isinstance(value, Mapping | list | tuple) and not value
    return not (value is None or value is False or is_empty)


def _tuples(value: Any) -> Any:
    """What came as JSON is as a command has it."""
    if isinstance(value, Mapping):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value
