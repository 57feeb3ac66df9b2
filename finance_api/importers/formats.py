"""The formats of files, and how to detect the format of a file.

A format is a module or folder of this package and an entry in FORMATS.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from pkgutil import resolve_name
from typing import Any, BinaryIO

from finance_api.importers.books.reading import book_file
from finance_api.importers.books.sources import program_of, source_refused
from finance_api.importers.decoding import opening_text, utf_16_of
from finance_api.importers.interface import HEAD_BYTES, ImportRefused, StatementImporter
from finance_api.importers.native import NativeFile, native_file


class AccountKey(Enum):
    """Where an account's key comes from. BANK: the bank's number for the account, the same in all
    formats. FILE: a name that a program wrote into the file. USER: the name that the user chose.
    """

    BANK = auto()
    FILE = auto()
    USER = auto()


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format. Its functions are given as names, so that only the modules in use are loaded.

    begin: a pattern for the beginning of a file's text, see `opening_text`; "": any text.
    container: a function that takes a binary file with that beginning, and returns whether the file
    is of this format.
    is_certain: whether no other kind of file begins in this way.
    importer: a function that takes the file, the options by name, and the operator's directory of
    profiles, and returns an importer; "": the file has whole objects.
    book: for a book of another program, its `BookReader`; "": the objects are in the native format.
    options: names of options in `importers.options`.
    """

    name: str
    begin: str = ""
    container: str = ""
    importer: str = ""
    book: str = ""
    options: tuple[str, ...] = ()
    account_key: AccountKey = AccountKey.BANK
    is_certain: bool = True

    def recognises(self, text: str, stream: BinaryIO) -> bool:
        """Return whether a file is of this format. The stream is at its start, and stays there."""
        if re.match(self.begin, text) is None:
            return False
        return not self.container or bool(_named(self.container)(stream))

    def new_importer(
        self, stream: BinaryIO, given: Mapping[str, Any], profiles_directory: str = ""
    ) -> StatementImporter | None:
        """Return the importer for a file; None if it has whole objects. Raises ImportRefused."""
        if not self.importer:
            return None
        importer: StatementImporter = _named(self.importer)(stream, given, profiles_directory)
        return importer

    def native_opener(
        self, given: Mapping[str, Any]
    ) -> Callable[[BinaryIO], AbstractContextManager[NativeFile]]:
        """Return what reads a file of whole objects."""
        if not self.book:
            return native_file
        return partial(book_file, _named(self.book)(given))


def _named(name: str) -> Any:
    return resolve_name(f"finance_api.importers.{name}")


_STATEMENT = (
    "account",
    "currency",
    "new_account",
    "ids",
    "first_day",
    "moved_days",
    "match_days",
    "no_match",
)
_BOOK = ("new_account", "into", "match_days", "follow", "confirm_smaller")
_TEXT = ("encoding", "force_encoding")
_NUMBERS = ("date_format", "decimal", "thousands")
_TABLE = (
    *_STATEMENT,
    *_NUMBERS,
    *("profile", "no_profile", "columns", "timezone", "debit", "credit", "mixed_signs", "sign"),
    *("positive", "invert", "units", "only", "leave_out", "ignore", "balance", "fee"),
    *("fill_down", "card_balance"),
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
#: Comments may come first.
_QIF = r"(?i:(?:#[^\n]*+\s++)*+!(?:Type:|Account\b|Option:|Clear:))"
#: A ZIP file (xlsx, ods), or an OLE file (xls).
_SPREADSHEET = "|".join(map(opening_text, (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a")))
#: A ZIP file, or an SQLite database.
_ACTUAL = "|".join(map(opening_text, (b"PK\x03\x04", b"SQLite format 3")))
#: A gzip file, XML, or an SQLite database.
_GNUCASH = "|".join(map(opening_text, (b"\x1f\x8b", b"<\\?xml", b"<gnc-v2", b"SQLite format 3")))
#: What wraps a plan, or the plan itself.
_YNAB = (
    r'\{\s*+(?:"data"\s*+:\s*+\{\s*+)?+"(?:budget|plan|server_knowledge)"\s*+:'
    r'|\{[^{}]{0,2000}"last_modified_on"\s*+:'
)
#: The JSON of transactions, or the types of accounts or the prices before it.
_HLEDGER = r"\[\s*+\{|[^\n;]*+; type:|P [0-9]{4}-"
#: What bean-query prints: accounts, transactions, or an option of the book before them.
_BEANCOUNT = r"option,name_|account,closed\r?\n|id,date,flag,payee,narration,account,number,"
#: A field, or up to nine lines that some banks write before the first ``:20:``.
MT940_BEGIN = r"\{[1-5]:|:(?:[0-9]{2}[A-Z]?|NS):|(?:[^\n]{0,80}\n){1,9}:20:"

#: The formats, in the order in which `detect_format` tries them.
FORMATS = (
    Format(
        name="ofx",
        begin=_OFX,
        importer="ofx.importer:OfxImporter.of",
        options=(*_STATEMENT, "positive", "sign", "card_balance"),
    ),
    Format(name="camt", begin=_CAMT, importer="camt.importer:CamtImporter.of", options=_STATEMENT),
    Format(
        name="qif",
        begin=_QIF,
        importer="qif:QifImporter.of",
        options=(*_STATEMENT, *_NUMBERS, *_TEXT, "positive"),
        account_key=AccountKey.FILE,
    ),
    Format(
        name="actual",
        begin=_ACTUAL,
        container="books.actual.database:looks_like_actual",
        book="books.actual.reader:ActualReader",
        options=("currency", "units", *_BOOK),
    ),
    Format(
        name="gnucash",
        begin=_GNUCASH,
        container="books.gnucash.reader:looks_like_gnucash",
        book="books.gnucash.reader:GnucashReader",
        options=_BOOK,
    ),
    Format(
        name="ynab", begin=_YNAB, book="books.ynab.reader:YnabReader", options=("currency", *_BOOK)
    ),
    Format(
        name="hledger",
        begin=_HLEDGER,
        container="books.hledger.printed:looks_like_hledger",
        book="books.hledger.reader:HledgerReader",
        options=("currency", "book", *_BOOK),
    ),
    Format(
        name="beancount",
        begin=_BEANCOUNT,
        book="books.beancount.reader:BeancountReader",
        options=("book", *_BOOK),
    ),
    Format(
        name="spreadsheet",
        begin=_SPREADSHEET,
        container="spreadsheet.container:looks_like_spreadsheet",
        importer="spreadsheet.importer:SpreadsheetImporter.of",
        options=(*_TABLE, "sheet"),
        account_key=AccountKey.USER,
    ),
    Format(
        name="mt940",
        begin=MT940_BEGIN,
        importer="mt940.importer:Mt940Importer.of",
        options=(*_STATEMENT, "encoding"),
        is_certain=False,
    ),
    Format(name="native", begin=r"\{", options=("follow", "confirm_smaller"), is_certain=False),
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
#: The formats of books of other programs.
BOOKS = frozenset(each.name for each in FORMATS if each.book)


def format_named(name: str) -> Format:
    return _BY_NAME[name]


def account_key_of(source: str) -> AccountKey:
    """Return where the account keys of a source come from.

    A source that is not the name of a format, such as camt.053, has the bank's keys.
    """
    known = _BY_NAME.get(source)
    return AccountKey.BANK if known is None else known.account_key


#: The beginnings of common files that cannot be imported -> a description. The first match counts.
_NOT_READ = {
    rb"PK\x03\x04.*(?:\[Content_Types\]\.xml|opendocument\.)": (
        "a document that is not a spreadsheet: download the statement in another format"
    ),
    rb"PK\x03\x04|PK\x05\x06": "a ZIP file: unpack it",
    rb"%PDF": "a PDF file: download the statement in another format",
    rb"\x1f\x8b": "a gzip file: unpack it",
    rb"BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|Rar!": "a compressed file: unpack it",
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*": (
        "an image: download the statement in another format"
    ),
    rb"\{\\rtf": "a text document: download the statement in another format",
    rb"(?:Received|Return-Path|Delivered-To|MIME-Version): ": ("an e-mail: save the attached file"),
    rb"SQLite format 3\x00": "an SQLite database",
    rb"mod\ttrans_guid\t": "a log of GnuCash: give the book, which lies beside it",
    rb"(?i:<!DOCTYPE html|<html|<head|<table|<script)": (
        "an HTML page, perhaps the bank's sign-in page: download the statement again; if it is a "
        "table, open it in a spreadsheet program and save it as xlsx"
    ),
    rb"<\?xml\b.*(?:Excel\.Sheet|office:spreadsheet|opendocument\.spreadsheet)": (
        "a spreadsheet in one XML file: open it in a spreadsheet program and save it as xlsx"
    ),
    rb"<\?xml\b|<Document\b": (
        "an XML file of another kind: download the statement as camt, OFX or CSV"
    ),
    rb"\[\s*[\[{\"]|\{\s*[\r\n]": (
        "a JSON file: native data has one JSON object per line; statements come in other formats"
    ),
}
_SIGNATURES = [(re.compile(pattern, re.DOTALL), what) for pattern, what in _NOT_READ.items()]


def detect_format(stream: BinaryIO) -> Format:
    """Return the format of a file. The stream is at its start, and is rewound.

    Raises ImportRefused for a file that is certainly of no known format.
    """
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    text = opening_text(head)
    if not text:
        raise ImportRefused("the file is empty; there is nothing to import")
    for each in (each for each in FORMATS if each.is_certain):
        if each.recognises(text, stream):
            return each
    if (program := program_of(text)) is not None:
        raise source_refused(program)
    # Match bytes, because most of these files are not text.
    data = text.encode() if utf_16_of(head) else head.removeprefix(BOM_UTF8).lstrip()
    for signature, what in _SIGNATURES:
        if signature.match(data):
            raise ImportRefused(f"it is {what}; supported formats: {', '.join(FORMAT_NAMES)}")
    if _is_binary(head):
        raise ImportRefused(
            f"it is a binary file, not a statement; supported formats: {', '.join(FORMAT_NAMES)}"
        )
    return next(each for each in FORMATS if not each.is_certain and each.recognises(text, stream))


#: Control characters; text has at most a few stray ones.
_CONTROLS = bytes({*range(32)} - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))


def _is_binary(head: bytes) -> bool:
    """Return whether a file's first bytes are not text. In UTF-16, every other byte can be zero."""
    if utf_16_of(head):
        return False
    zeros, others = sorted((half.count(0) for half in (head[::2], head[1::2])), reverse=True)
    if zeros * 8 > len(head) and others * 50 <= len(head):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > 4 and controls * 50 > len(head)
