"""The order to import a file, from the options a person gives in a command or on a page."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, BinaryIO

from finance_api.importers.formats import AccountKey, Format, detect_format, format_named
from finance_api.importers.interface import ImportRefused
from finance_api.importers.marks import currency_code
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.importing import ImportOrder
from finance_api.ledger.statement_import import StatementOptions

#: Options about stored rows.
_MATCHING = ("new_account", "ids", "first_day", "match_days")


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """The operator's settings of these names.

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


@dataclass(frozen=True)
class FileOrder(ImportOrder):
    """An order for a file whose format is known."""

    _: KW_ONLY
    format: Format

    @property
    def headings(self) -> list[str]:
        """The headings of a table, as far as it has been read."""
        headings: tuple[str, ...] = getattr(self.importer, "headings", ())
        return list(dict.fromkeys(filter(None, headings)))


def make_order(
    stream: BinaryIO,
    answers: Mapping[str, Any],
    settings: ImportSettings,
    format_name: str | None = None,
    **order: Any,
) -> FileOrder:
    """Return the order for a file and a person's answers.

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
        raise ImportRefused(f"{', '.join(misplaced)}: not for a file in the format {found.name}")
    # A CSV importer has given the account its name already.
    names_it = found.account_key is AccountKey.USER
    options = StatementOptions(
        account_name=None if names_it else given.get("account"),
        currency=given.get("currency"),
        match=not given.get("no_match"),
        link_by_number=settings.link_by_number,
        **{name: given[name] for name in _MATCHING if name in given},
    )
    return FileOrder(
        stream=stream,
        importer=found.new_importer(stream, given, settings.profiles),
        format=found,
        options=options,
        answers=given,
        keep_days=settings.keep_days,
        **order,
    )


def _is_given(value: Any) -> bool:
    is_empty = isinstance(value, Mapping | list | tuple) and not value
    return not (value is None or value is False or is_empty)


def _tuples(value: Any) -> Any:
    """Return a value of JSON as a command would give it."""
    if isinstance(value, Mapping):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value
