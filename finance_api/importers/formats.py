"""The formats of files. A format is a folder of this package and an entry in FORMATS."""

import re
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
    """Functions are named within this package, so that only the format that is read is loaded.

    begin: how the text of a file begins, as `opening_text` returns it; "": any text.
    container: takes a file of bytes, and says whether it is of this format.
    is_certain: whether files of no other kind begin in this way.
    importer: takes the file, the options by name, and the operator's directory of profiles.
    "": the ledger reads the file itself. options: names of those in `importers.options`.
    """

    name: str
    begin: str = ""
    container: str = ""
    importer: str = ""
    options: tuple[str, ...] = ()
    account_key: AccountKey = AccountKey.BANK
    is_certain: bool = True

    def recognises(self, text: str, stream: BinaryIO) -> bool:
        """Whether a file is of this format. stream: at its start, before and after."""
        if self.container:
            return bool(_named(self.container)(stream))
        return re.match(self.begin, text) is not None

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

#: OFX 1.x begins with ``OFXHEADER:100`` (some programs leave it out and begin with ``DATA:``),
#: OFX 2.x with ``<?OFX``, most often after ``<?xml?>``; some files have no header at all.
_OFX = (
    r"(?ai:(?:<\?xml[^<>]*+>\s*+)?+"
    r"(?:OFXHEADER[ \t]*+:|DATA[ \t]*+:[ \t]*+OFXSGML|<\?OFX\b|<(?:\w++:)?+OFX[\s>]))"
)
_CAMT = (
    r"(?s:(?=<\?xml\b|<!--|<(?:[\w.-]++:)?+[A-Z]).*?(?:\bcamt\.05[234]\.001\.[0-9]{2}\b"
    r"|<(?:[\w.-]++:)?+BkToCstmr(?:AcctRpt|Stmt|DbtCdtNtfctn)(?:V[0-9]+)?[\s>/]))"
)
#: Comments may stand above.
_QIF = r"(?i:(?:#[^\n]*+\s++)*+!(?:Type:|Account\b|Option:|Clear:))"
#: A field, or up to nine lines that some banks write before the first ``:20:``.
MT940_BEGIN = r"\{[1-5]:|:(?:[0-9]{2}[A-Z]?|NS):|(?:[^\n]{0,80}\n){1,9}:20:"

#: In the order in which a file is tried.
FORMATS = (
    Format(
        name="ofx",
        begin=_OFX,
        importer="ofx.importer:OfxImporter.of",
        options=(*_STATEMENT, "positive"),
    ),
    Format(name="camt", begin=_CAMT, importer="camt.importer:CamtImporter.of", options=_STATEMENT),
    Format(
        name="qif",
        begin=_QIF,
        importer="qif.importer:QifImporter.of",
        options=(*_STATEMENT, *_NUMBERS, *_TEXT),
        account_key=AccountKey.FILE,
    ),
    Format(
        name="spreadsheet",
        container="spreadsheet.container:looks_like_spreadsheet",
        importer="spreadsheet.importer:SpreadsheetImporter.of",
        options=(*_TABLE, "sheet"),
        account_key=AccountKey.USER,
    ),
    Format(
        name="mt940",
        begin=MT940_BEGIN,
        importer="mt940.importer:Mt940Importer.of",
        options=_STATEMENT,
        is_certain=False,
    ),
    Format(name="native", begin=r"\{", is_certain=False),
    Format(
        name="csv",
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
