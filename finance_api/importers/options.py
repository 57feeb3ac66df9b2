"""The options about a file: those of ``finance-api import``, and the fields of the form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class OptionKind(Enum):
    """FLAG: given or not. COLUMN: text that names a column. LIST: may be given several times.

    MAP: the same, ``FIELD=COLUMN``.
    """

    TEXT = auto()
    FLAG = auto()
    CHOICE = auto()
    NUMBER = auto()
    COLUMN = auto()
    LIST = auto()
    MAP = auto()


@dataclass(frozen=True, kw_only=True)
class FileOption:
    """An option about a file.

    name: its key among what is given. label: of its field in a form. help: a sentence.
    most: of a NUMBER, None: any. Which formats take it, `importers.formats` says.
    """

    name: str
    label: str
    help: str
    kind: OptionKind = OptionKind.TEXT
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    most: int | None = None

    @property
    def flag(self) -> str:
        """What it is called in a command line."""
        return "--map" if self.kind is OptionKind.MAP else "--" + self.name.replace("_", "-")


FILE_OPTIONS = (
    FileOption(
        name="account",
        label="Account",
        help="The account that the file is of, by name; created if it is new.",
    ),
    FileOption(
        name="currency",
        label="Currency",
        help="The currency, where the file does not say it: EUR, €, Euro.",
    ),
    FileOption(
        name="new_account",
        label="New account",
        help="The account is none of those there are.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="ids",
        label="The bank's ids",
        help="Whether the bank uses an id for other transactions later; remembered.",
        kind=OptionKind.CHOICE,
        choices=("stable", "reused"),
    ),
    FileOption(
        name="first_day",
        label="First day",
        help="What rows are that equal stored ones, of a day of which the file has a part.",
        kind=OptionKind.CHOICE,
        choices=("same", "new"),
    ),
    FileOption(
        name="match_days",
        label="Days apart",
        help="How far apart the same transaction may be in two formats or two downloads.",
        kind=OptionKind.NUMBER,
        most=31,
    ),
    FileOption(
        name="no_match",
        label="No matching",
        help="Match nothing with records of other formats.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="sheet",
        label="Sheet",
        help="Spreadsheets: the sheet with the statement.",
        metavar="NAME",
    ),
    FileOption(
        name="profile",
        label="Profile",
        help="CSV: the profile of the file's layout.",
        metavar="NAME",
    ),
    FileOption(
        name="no_profile",
        label="No profile",
        help="CSV: no profile, though the headings fit one.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="columns",
        label="Columns",
        help="CSV: the column of a field, by heading or number; may be given several times.",
        kind=OptionKind.MAP,
        metavar="FIELD=COLUMN",
    ),
    FileOption(
        name="delimiter",
        label="Delimiter",
        help="CSV: what separates cells; a character, or tab.",
    ),
    FileOption(
        name="decimal",
        label="Decimal sign",
        help="CSV, QIF: the decimal sign.",
        kind=OptionKind.CHOICE,
        choices=(".", ","),
    ),
    FileOption(
        name="thousands",
        label="Thousands separator",
        help="CSV, QIF: what groups the digits.",
    ),
    FileOption(
        name="date_format",
        label="Date format",
        help="CSV, QIF: such as %d/%m/%Y or DD/MM/YYYY.",
    ),
    FileOption(
        name="timezone",
        label="Time zone",
        help="CSV: whose days and times are meant, for UTC.",
        metavar="ZONE",
    ),
    FileOption(
        name="encoding",
        label="Encoding",
        help="CSV, QIF: such as cp1252; default UTF-8.",
    ),
    FileOption(
        name="force_encoding",
        label="Force the encoding",
        help="CSV, QIF: --encoding, though it is UTF-8.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="debit",
        label="Debit column",
        help="CSV: the column of money going out.",
        kind=OptionKind.COLUMN,
        metavar="COL",
    ),
    FileOption(
        name="credit",
        label="Credit column",
        help="CSV: the column of money coming in.",
        kind=OptionKind.COLUMN,
        metavar="COL",
    ),
    FileOption(
        name="mixed_signs",
        label="Signs in debit and credit",
        help="CSV: what the sign means in a debit or credit column that has both.",
        kind=OptionKind.CHOICE,
        choices=("plus", "minus", "ignore"),
    ),
    FileOption(
        name="sign",
        label="Direction column",
        help="CSV: the column that says which way money goes, and its words for out.",
        metavar="COL[=OUT,…]",
    ),
    FileOption(
        name="positive",
        label="Positive amounts",
        help="CSV, OFX: what a positive amount means.",
        kind=OptionKind.CHOICE,
        choices=("in", "out"),
    ),
    FileOption(
        name="invert",
        label="Invert",
        help="CSV: the same as --positive out.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="units",
        label="Units of amounts",
        help="CSV: whether amounts are in hundredths of the currency, such as cents.",
        kind=OptionKind.CHOICE,
        choices=("major", "minor"),
    ),
    FileOption(
        name="only",
        label="Only rows with",
        help="CSV: which rows are money; may be given several times.",
        kind=OptionKind.LIST,
        metavar="COL=VALUE",
    ),
    FileOption(
        name="leave_out",
        label="Leave out rows with",
        help="CSV: which rows are no money; may be given several times.",
        kind=OptionKind.LIST,
        metavar="COL=VALUE",
    ),
    FileOption(
        name="ignore",
        label="Columns to leave out",
        help="CSV: a column that is not imported; may be given several times.",
        kind=OptionKind.LIST,
        metavar="COL",
    ),
    FileOption(
        name="balance",
        label="Balance column",
        help="CSV: the column of the balance after each row.",
        kind=OptionKind.COLUMN,
        metavar="COL",
    ),
    FileOption(
        name="fee",
        label="Fee column",
        help="CSV: the column of fees, and whether its numbers are signed or unsigned.",
        kind=OptionKind.LIST,
        metavar="COL=KIND",
    ),
    FileOption(
        name="fee_category",
        label="Category of fees",
        help="CSV: of the records of fees.",
        metavar="NAME",
    ),
    FileOption(
        name="no_text",
        label="No text",
        help="CSV: records without payee and note are meant.",
        kind=OptionKind.FLAG,
    ),
    FileOption(
        name="label_separator",
        label="Label separators",
        help="CSV: what separates labels; default ;",
        metavar="CHARS",
    ),
    FileOption(
        name="skip_rows",
        label="Lines before the headings",
        help="CSV: lines before the headings.",
        kind=OptionKind.NUMBER,
    ),
    FileOption(
        name="skip_last",
        label="Rows at the end to leave out",
        help="CSV: rows at the end to leave out.",
        kind=OptionKind.NUMBER,
    ),
    FileOption(
        name="no_header",
        label="No headings",
        help="CSV: the first row is data, not headings.",
        kind=OptionKind.FLAG,
    ),
)
_BY_NAME = {option.name: option for option in FILE_OPTIONS}
_BY_FLAG = {option.flag: option for option in FILE_OPTIONS}


def option_named(name: str) -> FileOption:
    return _BY_NAME[name]


def add_to_map(columns: Mapping[str, tuple[str, ...]], text: str) -> dict[str, tuple[str, ...]]:
    """A map with one more ``FIELD=COLUMN``. Raises ValueError."""
    field, equals, column = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not FIELD=COLUMN")
    key = field.strip()
    return {**columns, key: (*columns.get(key, ()), column)}


def answered(
    given: Mapping[str, Any], words: Iterable[str], instead_of: Iterable[str] = ()
) -> dict[str, Any]:
    """What is given, with the words of a command line, and without what does not go with these.

    instead_of: flags, or flags with the value that goes (of --map: with the field).
    """
    found = dict(given)
    for gone in instead_of:
        flag, _, value = gone.partition(" ")
        option = _BY_FLAG[flag]
        if option.kind is OptionKind.MAP and value:
            found[option.name] = {k: v for k, v in found.get(option.name, {}).items() if k != value}
        elif option.kind is OptionKind.LIST and value:
            found[option.name] = [each for each in found.get(option.name, ()) if each != value]
        else:
            found.pop(option.name, None)
    rest = iter(words)
    for flag in rest:
        option = _BY_FLAG[flag]
        if option.kind is OptionKind.FLAG:
            found[option.name] = True
        elif option.kind is OptionKind.MAP:
            found[option.name] = add_to_map(found.get(option.name, {}), next(rest))
        elif option.kind is OptionKind.LIST:
            found[option.name] = [*found.get(option.name, ()), next(rest)]
        else:
            value = next(rest)
            found[option.name] = int(value) if option.kind is OptionKind.NUMBER else value
    return found
