"""The user's options for a CSV file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.text import TextError, clean_or_none

#: Delimiters that cannot be typed, by name.
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_NO_DELIMITER = '"\r\n\x00'


@dataclass(frozen=True)
class CsvOptions:
    """The options of ``finance-api import --format csv``; None where the file itself decides.

    columns: ``--map``: field -> heading of its column or the column's number from 1 as text (a
        heading that is that number comes first); "" leaves out a field that would map by itself.
    delimiter: one character, or "tab".
    decimal: "." or ",".
    thousands: what groups the digits: ".", ",", "'" or a space (of any width).
    date_format: as for strptime (``%d/%m/%Y``) or readable (``DD/MM/YYYY``, ``D.M.YY``).
    debit, credit: columns of money going out and coming in, instead of an amount column.
    invert: the amount column is positive for money going out.
    skip_rows: how many physical lines come before the headings (or the rows, without headings).
    account: name of the account that every row belongs to; a column that maps to the account by
        itself may then have only one value.
    currency: ISO 4217 code of every row; a column that maps to the currency by itself has to
        agree with it or be empty.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: str | None = None
    encoding: str | None = None
    debit: str | None = None
    credit: str | None = None
    invert: bool = False
    skip_rows: int = 0
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
    if options.account is None:
        return None
    try:
        name = clean_or_none(options.account.strip())
    except TextError as error:
        raise ImportRefused(f"--account {error}") from None
    if name is None:
        raise ImportRefused("--account is empty")
    return name


def currency_of(options: CsvOptions) -> str | None:
    """The currency code in capitals, None if not given; ImportRefused."""
    if options.currency is None:
        return None
    code = options.currency.strip().upper()
    if code not in CURRENCIES:
        raise ImportRefused(
            f"--currency {quoted(options.currency)} is not an ISO 4217 code such as EUR"
        )
    return code
