"""The user's options for a CSV file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from finance_api.importers.interface import ImportRefused
from finance_api.importers.marks import stated_code
from finance_api.importers.questions import excluding
from finance_api.importers.texts import quoted
from finance_api.values.text import TextError, clean_or_none

#: Delimiters that cannot be typed, by name.
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_NO_DELIMITER = '"\r\n\x00'

FEE_CATEGORY = "Bank fees"
LABEL_SEPARATOR = ";"


@dataclass(frozen=True)
class CsvOptions:
    """The options of ``finance-api import --format csv``; None where the file itself decides.

    profile: name of the one that the file is read with, in place of what its headings select;
    no_profile: it is read with none.
    columns: ``--map``: field -> heading of its column or the column's number from 1 as text (a
        heading that is that number comes first), or several of them; "" leaves out a field that
        would map by itself.
    delimiter: one character, or "tab".
    decimal: "." or ",".
    thousands: what groups the digits: ".", ",", "'" or a space (of any width).
    date_format: as for strptime (``%d/%m/%Y``) or readable (``DD/MM/YYYY``, ``D.M.YY``).
    timezone: IANA name of the zone whose days and times are meant, where the file has UTC instants.
    force_encoding: ``encoding`` holds although the file is valid UTF-8.
    debit, credit: columns of money going out and coming in, instead of an amount column.
    mixed_signs: what the sign says in a debit or credit column that has both: "plus" (a positive
        number follows its column, a negative one goes the other way), "minus" (the reverse) or
        "ignore".
    sign: ``COLUMN[=OUT,…]``: the column that says which way the money goes; OUT: the words for
        money going out (all others: coming in) where they are not the usual ones.
    positive: "in" or "out": what a positive number of the amount column means.
    invert: another name of "out".
    units: "minor": amounts are in hundredths of the currency, such as cents; "major": they are not,
        whatever their heading says.
    only: ``COLUMN=VALUE``: which rows are money; others are left out.
    leave_out: ``COLUMN=VALUE``: which rows are no money; ``COLUMN=``: none for what it says.
    ignore: columns that say nothing that is to be imported.
    balance: the column of the balance after each row.
    fee: ``COLUMN=signed`` or ``COLUMN=unsigned``; several are added up.
    fee_category: of the records that fees become.
    no_text: records without payee and note are meant.
    label_separator: characters, each of which separates labels.
    skip_rows: how many physical lines come before the headings (or the rows, without headings).
    skip_last: how many rows at the end are no data.
    account: name of the account that every row belongs to; a column that maps to the account by
        itself may then have only one value.
    currency: of every row, a code, a symbol or a name; a column that maps to the currency by
        itself has to agree with it or be empty.
    """

    profile: str | None = None
    no_profile: bool = False
    columns: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: str | None = None
    timezone: str | None = None
    encoding: str | None = None
    force_encoding: bool = False
    debit: str | None = None
    credit: str | None = None
    mixed_signs: str | None = None
    sign: str | None = None
    positive: str | None = None
    invert: bool = False
    units: str | None = None
    only: Sequence[str] = ()
    leave_out: Sequence[str] = ()
    ignore: Sequence[str] = ()
    balance: str | None = None
    fee: Sequence[str] = ()
    fee_category: str | None = None
    no_text: bool = False
    label_separator: str | None = None
    skip_rows: int = 0
    skip_last: int = 0
    header: bool = True
    account: str | None = None
    currency: str | None = None


def delimiter_of(options: CsvOptions) -> str | None:
    """The delimiter as one character, None if the file decides; ImportRefused."""
    if options.delimiter is None:
        return None
    delimiter = _NAMED_DELIMITERS.get(options.delimiter.lower(), options.delimiter)
    if len(delimiter) != 1 or delimiter in _NO_DELIMITER:
        raise ImportRefused(
            f"--delimiter {quoted(options.delimiter)} is not one character such as , ; | or tab"
        )
    return delimiter


def account_of(options: CsvOptions) -> str | None:
    """The account's name as it is stored, None if not given; ImportRefused."""
    return _name(options.account, "--account")


def fee_category_of(options: CsvOptions) -> str:
    """The category of fees, by name; ImportRefused."""
    return _name(options.fee_category, "--fee-category") or FEE_CATEGORY


def _name(text: str | None, option: str) -> str | None:
    if text is None:
        return None
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise ImportRefused(f"{option} {error}") from None
    if name is None:
        raise ImportRefused(f"{option} is empty")
    return name


def currency_of(options: CsvOptions) -> str | None:
    """The currency's code, None if not given; ImportRefused."""
    return None if options.currency is None else stated_code(options.currency, "--currency")


#: The names of the option that says what a positive number means.
POSITIVE = ("--positive", "--invert")


def positive_of(options: CsvOptions) -> str | None:
    """What a positive number means: "in", "out", or None if not given; ImportRefused."""
    if options.invert and options.positive == "in":
        raise excluding(("--invert",), ("--positive",))
    if options.positive not in (None, "in", "out"):
        raise ImportRefused(f"--positive {quoted(options.positive)} is neither in nor out")
    return "out" if options.invert else options.positive
