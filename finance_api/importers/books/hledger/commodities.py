"""Commodities of text books as currencies of ISO 4217."""

from collections.abc import Iterable

from finance_api.importers.books.reading import BookReader
from finance_api.importers.interface import ImportRefused, listed
from finance_api.resources.currencies import CODES, Mark, current_code, mark_of


def currencies_of(commodities: Iterable[str], reader: BookReader) -> dict[str, str]:
    """Return the currencies of the commodities that are money.

    The user gives the currency of a commodity that leaves it open, such as $ or "".
    Raises ImportRefused.
    """
    found: dict[str, str] = {}
    is_open: dict[str, Mark] = {}
    for commodity in commodities:
        if commodity in CODES:
            found[commodity] = current_code(commodity)
            continue
        mark = Mark("", None, ()) if not commodity else _symbol(commodity)
        if mark is not None and mark.currency is not None:
            found[commodity] = mark.currency
        elif mark is not None:
            is_open[commodity] = mark
    if not is_open:
        return found
    given = reader.currency(None)
    unfit = [commodity for commodity, mark in is_open.items() if not mark.fits(given)]
    if unfit or len(is_open) > 1:
        raise ImportRefused(
            f"the commodities {listed(is_open)} do not say which currency they are, and cannot all "
            f"be {given}: write their codes instead, such as USD, in the book"
        )
    return found | dict.fromkeys(is_open, given)


def _symbol(commodity: str) -> Mark | None:
    """Return the currency of a symbol; None for a word in small letters, such as h or all."""
    if commodity.isascii() and commodity.isalpha() and commodity.islower() and commodity != "kr":
        return None
    return mark_of(commodity)
