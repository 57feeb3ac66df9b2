"""The exchange rates in a book of GnuCash: its prices of currencies."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Context, Decimal
from typing import BinaryIO

from finance_api.importers.books.gnucash.book import Rate, moment, number
from finance_api.importers.books.gnucash.reader import gnucash_book
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import DayRates
from finance_api.values.time import from_date

#: GnuCash has fractions, such as 100/111.
_DIGITS = Context(prec=20)


def read_book_rates(stream: BinaryIO) -> list[DayRates]:
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
            day = from_date(_day(rate))
            numerator, denominator = map(Decimal, value.as_integer_ratio())
            found[day, rate.base][rate.currency] = _DIGITS.divide(numerator, denominator)
    if not found:
        raise ImportRefused("the book contains no exchange rates, which are prices of currencies")
    return [DayRates(day, base, rates) for (day, base), rates in sorted(found.items())]


def _day(rate: Rate) -> date:
    """Return the day of a price. Raises ImportRefused.

    A full hour of a price that the user typed is the user's midnight in UTC, as older books have
    it. A quote has the time of the quote, often noon.
    """
    told, is_quote = moment(rate.time), rate.source.startswith("Finance::Quote")
    is_midnight = not (is_quote or told.minute % 30 or told.second)
    return (told + timedelta(hours=12) if is_midnight else told).date()
