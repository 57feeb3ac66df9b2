"""Reads exchange rates: the European Central Bank's history, CSV with one rate per row, or those in
a book of GnuCash.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Context, Decimal
from io import BytesIO, TextIOWrapper
from typing import IO, BinaryIO
from zipfile import ZipFile

from finance_api.importers.books.gnucash.book import Rate, moment, number
from finance_api.importers.books.gnucash.reader import gnucash_book, looks_like_gnucash
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CODES, DayRates
from finance_api.values.number import NumberError, parse_decimal
from finance_api.values.text import counted
from finance_api.values.time import TimeError, from_date, parse_date

#: Maximum size of a file, packed and unpacked. The European Central Bank's has about 2 MiB.
MAX_BYTES = 64 * 2**20
MAX_RATE_CHARACTERS = 40
#: The columns of a file with one rate per row, in any order.
HEADINGS = ("date", "base", "currency", "rate")

_EUR = "EUR"
_ZIP = b"PK\x03\x04"
#: GnuCash has fractions, such as 100/111.
_DIGITS = Context(prec=20)


def read_rates(stream: BinaryIO) -> list[DayRates]:
    """Return all rates of a file, which may be a ZIP file, sorted by day and base.

    Raises ImportRefused.
    """
    if looks_like_gnucash(stream):
        return _book_rates(stream)
    text = TextIOWrapper(BytesIO(_content(stream)), "utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    found: defaultdict[tuple[int, str], dict[str, Decimal]] = defaultdict(dict)
    try:
        rows = ([cell.strip() for cell in row] for row in reader if row)
        for date, base, currency, text_of_rate in _cells(next(rows, []), rows):
            day, rate = _day(date), _rate(text_of_rate, is_own=base == currency)
            if base != currency and found[day, base].setdefault(currency, rate) != rate:
                raise ImportRefused(f"{date} has two rates of {base} in {currency}")
    except UnicodeDecodeError:
        raise ImportRefused("is not UTF-8 text") from None
    except csv.Error as error:
        raise ImportRefused(f"is not CSV: {error}", reader.line_num) from None
    except ImportRefused as error:
        error.line = reader.line_num
        raise
    if not found:
        raise ImportRefused("contains no exchange rates")
    return [DayRates(day, base, rates) for (day, base), rates in sorted(found.items())]


def _content(stream: BinaryIO) -> bytes:
    """Return the content of the file, or of the only CSV file in a ZIP file."""
    content = _limited(stream)
    if not content.startswith(_ZIP):
        return content
    try:
        with ZipFile(BytesIO(content)) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
            if len(names) != 1:
                raise ImportRefused(f"the ZIP file contains {len(names)} CSV files, not one")
            with archive.open(names[0]) as packed:
                return _limited(packed)
    except ImportRefused:
        raise
    # For a damaged file, the library can raise any exception.
    except Exception as error:
        raise ImportRefused(f"the ZIP file cannot be unpacked: {error}") from None


def _limited(stream: IO[bytes]) -> bytes:
    content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ImportRefused(f"is larger than {MAX_BYTES >> 20} MiB")
    return content


def _cells(heading: list[str], rows: Iterator[list[str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the date, base, currency and rate of every rate in the file, as written."""
    names = [name.lower() for name in heading]
    if sorted(names) == sorted(HEADINGS):
        places = [names.index(name) for name in HEADINGS]
        for row in _whole(rows, len(heading)):
            date, base, currency, rate = (row[place] for place in places)
            _check_currencies(base, currency)
            yield date, base, currency, rate
        return
    # The European Central Bank ends every row with a comma.
    currencies = heading[1:-1] if names[-1:] == [""] else heading[1:]
    if names[:1] != ["date"] or not currencies:
        raise ImportRefused(
            "is neither a file like eurofxref-hist.csv nor a CSV file with the columns "
            f"{', '.join(HEADINGS)}, nor a book of GnuCash"
        )
    _check_currencies(*currencies)
    if len(set(currencies)) < len(currencies):
        raise ImportRefused("two columns have the same currency")
    for date, *rates in _whole(rows, len(heading)):
        if any(rates[len(currencies) :]):
            raise ImportRefused("the last cell has no currency in the heading")
        # Any cells beyond the currencies are empty.
        for currency, rate in zip(currencies, rates, strict=False):
            if rate not in ("", "N/A"):
                yield date, _EUR, currency, rate


def _whole(rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    for row in rows:
        if len(row) != width:
            raise ImportRefused(f"has {counted(len(row), 'cell')}, but the heading has {width}")
        yield row


def _check_currencies(*codes: str) -> None:
    for code in codes:
        if code not in CODES:
            raise ImportRefused(f"{code!r} is not an ISO 4217 code such as EUR")


def _day(text: str) -> int:
    try:
        return parse_date(text)
    except TimeError as error:
        raise ImportRefused(f"{text!r} {error}") from None


def _rate(text: str, *, is_own: bool) -> Decimal:
    """Parse a rate. is_own: whether base and currency are the same. Raises ImportRefused."""
    if len(text) > MAX_RATE_CHARACTERS:
        raise ImportRefused(f"a rate has more than {MAX_RATE_CHARACTERS} characters")
    try:
        rate = parse_decimal(text)
    except NumberError as error:
        raise ImportRefused(f"{text!r} {error}") from None
    if rate <= 0 or (is_own and rate != 1):
        raise ImportRefused(f"{text!r} cannot be an exchange rate")
    return rate


def _book_rates(stream: BinaryIO) -> list[DayRates]:
    """Return the rates, sorted by day and base. Of several on a day, the newest counts.

    Raises ImportRefused.
    """
    found: defaultdict[tuple[int, str], dict[str, Decimal]] = defaultdict(dict)
    with gnucash_book(stream) as book:
        for rate in sorted(book.rates, key=lambda rate: rate.time):
            value = number(rate.value)
            if value <= 0:
                raise ImportRefused(
                    f"1 {rate.base} is {quoted(rate.value)} {rate.currency} on {rate.time[:10]}, "
                    "which cannot be an exchange rate: correct it in GnuCash's price database"
                )
            day = from_date(_day_of_price(rate))
            numerator, denominator = map(Decimal, value.as_integer_ratio())
            found[day, rate.base][rate.currency] = _DIGITS.divide(numerator, denominator)
    if not found:
        raise ImportRefused("the book contains no exchange rates, which are prices of currencies")
    return [DayRates(day, base, rates) for (day, base), rates in sorted(found.items())]


def _day_of_price(rate: Rate) -> date:
    """Return the day of a price. Raises ImportRefused.

    A full hour of a price that the user typed is the user's midnight in UTC, as older books have
    it. A quote has the time of the quote, often noon.
    """
    told, is_quote = moment(rate.time), rate.source.startswith("Finance::Quote")
    is_midnight = not (is_quote or told.minute % 30 or told.second)
    return (told + timedelta(hours=12) if is_midnight else told).date()
