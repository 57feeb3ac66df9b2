"""The formats of files. A format is a folder of this package and an entry in FORMATS."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pkgutil import resolve_name
from typing import Any, BinaryIO

from finance_api.importers.interface import StatementImporter


class AccountKey(Enum):
    """Who names the account of a statement: BANK, by a number that its formats share; FILE, by a
    name of the program that wrote it; USER, by the name of the account.
    """

    BANK = auto()
    FILE = auto()
    USER = auto()


@dataclass(frozen=True, kw_only=True)
class Format:
    """Names of functions are given within this package, so that only the format that is read is
    loaded.

    signature: takes the first bytes of a file, or the file if is_container; says whether it is of
    this format. "": whatever is of no other format. is_certain: whether nothing else can begin so.
    importer: takes the file, the options by name, and the operator's directory of profiles.
    "": the ledger reads the file itself. options: names of those in `importers.options`.
    """

    name: str
    signature: str
    importer: str = ""
    options: tuple[str, ...] = ()
    account_key: AccountKey = AccountKey.BANK
    is_certain: bool = True
    is_container: bool = False

    def recognises(self, head: bytes, stream: BinaryIO) -> bool:
        """stream: at its start, before and after."""
        return not self.signature or bool(
            _named(self.signature)(stream if self.is_container else head)
        )

    def new_importer(
        self, stream: BinaryIO, given: Mapping[str, Any], profiles_directory: str = ""
    ) -> StatementImporter | None:
        """None if the ledger reads it. Raises ImportRefused if the file cannot be of the format."""
        if not self.importer:
            return None
        importer: StatementImporter = _named(self.importer)(stream, given, profiles_directory)
        return importer


def _named(name: str) -> Any:
    return resolve_name(f"finance_api.importers.{name}")


_STATEMENT = ("account", "currency", "new_account", "ids", "first_day", "match_days", "no_match")
_TEXT = ("encoding", "force_encoding")
_NUMBERS = ("date_format", "decimal", "thousands")
_TABLE = (
    *_STATEMENT,
    *_NUMBERS,
    *("profile", "no_profile", "columns", "timezone", "debit", "credit", "mixed_signs", "sign"),
    *("positive", "invert", "units", "only", "leave_out", "ignore", "balance", "fee"),
    *("fee_category", "no_text", "label_separator", "skip_rows", "skip_last", "no_header"),
)

#: In the order in which a file is tried.
FORMATS = (
    Format(
        name="ofx",
        signature="ofx.signature:looks_like_ofx",
        importer="ofx.importer:OfxImporter.of",
        options=(*_STATEMENT, "positive"),
    ),
    Format(
        name="camt",
        signature="camt.signature:message_of",
        importer="camt.importer:CamtImporter.of",
        options=_STATEMENT,
    ),
    Format(
        name="qif",
        signature="qif.signature:looks_like_qif",
        importer="qif.importer:QifImporter.of",
        options=(*_STATEMENT, *_NUMBERS, *_TEXT),
        account_key=AccountKey.FILE,
    ),
    Format(
        name="spreadsheet",
        signature="spreadsheet.container:looks_like_spreadsheet",
        importer="spreadsheet.importer:SpreadsheetImporter.of",
        options=(*_TABLE, "sheet"),
        account_key=AccountKey.USER,
        is_container=True,
    ),
    Format(
        name="mt940",
        signature="mt940.signature:message_of",
        importer="mt940.importer:Mt940Importer.of",
        options=_STATEMENT,
        is_certain=False,
    ),
    Format(name="native", signature="native.signature:looks_like_native", is_certain=False),
    Format(
        name="csv",
        signature="",
        importer="csv.importer:CsvImporter.of",
        options=(*_TABLE, *_TEXT, "delimiter"),
        account_key=AccountKey.USER,
        is_certain=False,
    ),
)
_BY_NAME = {each.name: each for each in FORMATS}
FORMAT_NAMES = tuple(_BY_NAME)


def format_named(name: str) -> Format:
    return _BY_NAME[name]


def account_key_of(source: str) -> AccountKey:
    """source: of statements; one format may have several, such as camt.053 and camt.054."""
    known = _BY_NAME.get(source)
    return AccountKey.BANK if known is None else known.account_key
