"""Writes numbers and days in sentences: plainly, or on pages as in a region."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

if TYPE_CHECKING:
    # Commands start faster without the data of all regions.
    from finance_api.values.regions import Region

_FIND_REGION: ContextVar["Callable[[], Region] | None"] = ContextVar("find_region", default=None)


@contextmanager
def numbers_as_in(find_region: "Callable[[], Region] | None") -> Iterator[None]:
    """Write numbers as in the region that the function returns; plainly with None."""
    token = _FIND_REGION.set(find_region)
    try:
        yield
    finally:
        _FIND_REGION.reset(token)


def count_text(number: int) -> str:
    """``1,204``; ``1.204`` on pages of some regions."""
    find_region = _FIND_REGION.get()
    return f"{number:,}" if find_region is None else find_region().count(number)


def day_text(seconds: int) -> str:
    """``2026-11-26``; on pages as in a region: ``26 Nov 2026``."""
    find_region = _FIND_REGION.get()
    return date_text(seconds) if find_region is None else find_region().day(seconds)


def amount_text(units: int, least_decimals: int = 2) -> str:
    """Ten-thousandths as ``-1204.5``; on pages with the marks of a region: ``−1,204.50``."""
    find_region = _FIND_REGION.get()
    if find_region is None:
        return decimal_text(units)
    return find_region().amount(units, least_decimals)
