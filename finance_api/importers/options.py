"""The options for importing a file, with ``finance-api import`` or the upload form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypedDict


class OptionKind(Enum):
    """The kind of an option's value. FLAG: no value; the option is either given or not.

    COLUMN: text that names a column. LIST: text; may be given several times. MAP:
    ``FIELD=COLUMN``; may be given several times.
    """

    TEXT = auto()
    FLAG = auto()
    CHOICE = auto()
    NUMBER = auto()
    COLUMN = auto()
    LIST = auto()
    MAP = auto()


@dataclass(frozen=True)
class FileOption:
    """An option for importing a file; `importers.formats` says which formats take it.

    name: the option's key in mappings of given options. label: the label of its field in a form.
    help: one sentence. most: the maximum of a NUMBER; None: no limit. aliases: further names on a
    command line.
    """

    name: str
    label: str
    help: str
    kind: OptionKind = OptionKind.TEXT
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    most: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The option's name on a command line."""
        return "--map" if self.kind is OptionKind.MAP else "--" + self.name.replace("_", "-")


TEXT, FLAG, CHOICE, NUMBER, COLUMN, LIST, MAP = OptionKind

FILE_OPTIONS = (
    FileOption("account", "Account", "The account's name; created if it is new."),
    FileOption(
        "currency", "Currency", "The currency, if the file does not state it: EUR, €, Euro."
    ),
    FileOption(
        "new_account",
        "New account",
        "Create a new account; of a book, all of its accounts are new.",
        FLAG,
        aliases=("--new-accounts",),
    ),
    FileOption(
        "into",
        "Accounts that are here",
        "Books: an account of the book and the one here that it is; may be given several times.",
        LIST,
        metavar="BOOKACCOUNT=ACCOUNT",
    ),
    FileOption("book", "Name of the book", "Books without an id: a name; default: the file's."),
    FileOption(
        "follow",
        "Follow the book",
        "Books, native: remove what the book has lost; manual edits stay.",
        FLAG,
    ),
    FileOption(
        "confirm_smaller",
        "The book is right",
        "With --follow: the book is right, although it has lost much or ends earlier.",
        FLAG,
    ),
    FileOption(
        "ids",
        "The bank's ids",
        "Whether the bank reuses ids for other transactions; remembered.",
        CHOICE,
        choices=("stable", "reused"),
    ),
    FileOption(
        "first_day",
        "First day",
        "How to treat rows identical to stored records on a day the file covers only partly.",
        CHOICE,
        choices=("same", "new"),
    ),
    FileOption(
        "moved_days",
        "Days moved",
        "How many days the bank may have moved a transaction since an earlier download.",
        NUMBER,
        most=31,
    ),
    FileOption(
        "match_days",
        "Days apart",
        "How many days a transaction's dates in two formats may differ.",
        NUMBER,
        most=31,
    ),
    FileOption("no_match", "No matching", "Do not match rows with records of other formats.", FLAG),
    FileOption(
        "sheet",
        "Sheets",
        "Spreadsheets: the sheet with the statement; may be given several times.",
        LIST,
        metavar="NAME",
    ),
    FileOption("profile", "Profile", "CSV: the profile of the file's layout.", metavar="NAME"),
    FileOption(
        "no_profile",
        "No profile",
        "CSV: read without a profile, even if the headings fit one.",
        FLAG,
    ),
    FileOption(
        "columns",
        "Columns",
        "CSV: a field's column, by heading or number; may be given several times.",
        MAP,
        metavar="FIELD=COLUMN",
    ),
    FileOption("delimiter", "Delimiter", "CSV: what separates cells; a character, or tab."),
    FileOption(
        "decimal", "Decimal sign", "CSV, QIF: the decimal sign.", CHOICE, choices=(".", ",")
    ),
    FileOption("thousands", "Thousands separator", "CSV, QIF: what groups the digits."),
    FileOption("date_format", "Date format", "CSV, QIF: such as %d/%m/%Y or DD/MM/YYYY."),
    FileOption(
        "timezone", "Time zone", "CSV: convert UTC timestamps to this time zone.", metavar="ZONE"
    ),
    FileOption("encoding", "Encoding", "CSV, QIF, MT940: such as cp1252; default UTF-8."),
    FileOption(
        "force_encoding",
        "Force the encoding",
        "CSV, QIF: use --encoding even if the file is valid UTF-8.",
        FLAG,
    ),
    FileOption(
        "debit", "Debit column", "CSV: the column of money going out.", COLUMN, metavar="COL"
    ),
    FileOption(
        "credit", "Credit column", "CSV: the column of money coming in.", COLUMN, metavar="COL"
    ),
    FileOption(
        "mixed_signs",
        "Signs in debit and credit",
        "CSV: what the sign means in a debit or credit column that has both signs.",
        CHOICE,
        choices=("plus", "minus", "ignore"),
    ),
    FileOption(
        "sign",
        "Direction column",
        "CSV, OFX: the column that says whether money comes in or goes out, and its words.",
        metavar="COL[=OUT,…]",
    ),
    FileOption(
        "positive",
        "Positive amounts",
        "CSV, OFX, QIF: what a positive amount means.",
        CHOICE,
        choices=("in", "out"),
    ),
    FileOption(
        "card_balance",
        "A card's balance",
        "CSV, OFX: whether a card's positive balance is owed or owned; remembered.",
        CHOICE,
        choices=("owed", "owned"),
    ),
    FileOption("invert", "Invert", "CSV: the same as --positive out.", FLAG),
    FileOption(
        "units",
        "Units of amounts",
        "CSV, Actual: whether amounts are in hundredths of the currency, such as cents.",
        CHOICE,
        choices=("major", "minor"),
    ),
    FileOption(
        "only",
        "Only rows with",
        "CSV: import only rows with this value; may be given several times.",
        LIST,
        metavar="COL=VALUE",
    ),
    FileOption(
        "leave_out",
        "Leave out rows with",
        "CSV: leave out rows with this value; may be given several times.",
        LIST,
        metavar="COL=VALUE",
    ),
    FileOption(
        "ignore",
        "Columns to leave out",
        "CSV: a column that is not imported; may be given several times.",
        LIST,
        metavar="COL",
    ),
    FileOption(
        "fill_down",
        "Columns to fill down",
        "CSV: a column whose blank cells repeat the row above; may be given several times.",
        LIST,
        metavar="COL",
    ),
    FileOption(
        "balance",
        "Balance column",
        "CSV: the column of the balance after each row.",
        COLUMN,
        metavar="COL",
    ),
    FileOption(
        "fee",
        "Fee column",
        "CSV: the column of fees, and whether its numbers are signed or unsigned.",
        LIST,
        metavar="COL=KIND",
    ),
    FileOption("fee_category", "Category of fees", "CSV: the category of fees.", metavar="NAME"),
    FileOption("no_text", "No text", "CSV: import records without payee and note.", FLAG),
    FileOption(
        "label_separator",
        "Label separators",
        "CSV: what separates labels; default ;",
        metavar="CHARS",
    ),
    FileOption("skip_rows", "Lines before the headings", "CSV: lines before the headings.", NUMBER),
    FileOption(
        "skip_last", "Rows at the end to leave out", "CSV: rows at the end to leave out.", NUMBER
    ),
    FileOption("no_header", "No headings", "CSV: the first row is data, not headings.", FLAG),
)
_BY_NAME = {option.name: option for option in FILE_OPTIONS}


class ImportOptions(TypedDict, total=False):
    """Options by name, with their values, such as a user's options or an answer to a question.

    In an answer, None drops an option, or a field of ``columns``.
    """

    account: str | None
    currency: str | None
    new_account: bool | None
    into: Sequence[str] | None
    book: str | None
    follow: bool | None
    confirm_smaller: bool | None
    ids: str | None
    first_day: str | None
    moved_days: int | None
    match_days: int | None
    no_match: bool | None
    sheet: Sequence[str] | None
    profile: str | None
    no_profile: bool | None
    columns: Mapping[str, Sequence[str] | None] | None
    delimiter: str | None
    decimal: str | None
    thousands: str | None
    date_format: str | None
    timezone: str | None
    encoding: str | None
    force_encoding: bool | None
    debit: str | None
    credit: str | None
    mixed_signs: str | None
    sign: str | None
    positive: str | None
    card_balance: str | None
    invert: bool | None
    units: str | None
    only: Sequence[str] | None
    leave_out: Sequence[str] | None
    ignore: Sequence[str] | None
    fill_down: Sequence[str] | None
    balance: str | None
    fee: Sequence[str] | None
    fee_category: str | None
    no_text: bool | None
    label_separator: str | None
    skip_rows: int | None
    skip_last: int | None
    no_header: bool | None


def option_named(name: str) -> FileOption:
    return _BY_NAME[name]


def without(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, and parts of them, that an answer's changes leave as they are."""
    found = dict(given)
    for name in given.keys() & changes.keys():
        kind, value = _BY_NAME[name].kind, changes[name]
        if value is not None and kind is OptionKind.MAP:
            found[name] = {f: each for f, each in given[name].items() if f not in value}
        elif value is not None and kind is OptionKind.LIST:
            found[name] = [each for each in given[name] if not _is_replaced(name, each, value)]
        else:
            del found[name]
    return found


def changed(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options with an answer's changes.

    An answer adds to a list, but replaces the columns of a field, and all other values.
    """
    found = without(given, changes)
    for name, value in changes.items():
        kind = _BY_NAME[name].kind
        if kind is OptionKind.MAP and value:
            value = {f: each for f, each in value.items() if each is not None}
            found[name] = {**found.get(name, {}), **value}
        elif kind is OptionKind.LIST and value:
            found[name] = [*found.get(name, ()), *value]
        elif value is not None:
            found[name] = value
    return found


def _is_replaced(name: str, before: str, values: Iterable[str]) -> bool:
    """Return whether one of the values says of the column of a fee what it is."""
    columns = {before, before.rpartition("=")[0]}
    return name == "fee" and any(value.rpartition("=")[0] in columns for value in values)


def add_to_map(columns: Mapping[str, tuple[str, ...]], text: str) -> dict[str, tuple[str, ...]]:
    """Return the map with one more ``FIELD=COLUMN``. Raises ValueError."""
    field, equals, column = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not FIELD=COLUMN")
    key = field.strip()
    return {**columns, key: (*columns.get(key, ()), column)}


def flags(options: Mapping[str, Any]) -> list[str]:
    """Return the names of options on a command line; of ``columns``, one for each field."""
    found: list[str] = []
    for name, value in options.items():
        flag = _BY_NAME[name].flag
        found += [f"{flag} {field}" for field in value] if name == "columns" and value else [flag]
    return found


def words(options: Mapping[str, Any]) -> list[str]:
    """Return options as the words of a command line; options that are dropped have none."""
    found: list[str] = []
    for name, value in options.items():
        flag = _BY_NAME[name].flag
        if name == "columns":
            columns = ((f, c) for f, cs in value.items() if cs for c in _several(cs))
            found += [word for field, column in columns for word in (flag, f"{field}={column}")]
        elif value is True:
            found.append(flag)
        elif value == "\t" and name == "delimiter":
            found += [flag, "tab"]
        elif value is not None:
            found += [word for each in _several(value) for word in (flag, each)]
    return found


def _several(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (str(value),)
