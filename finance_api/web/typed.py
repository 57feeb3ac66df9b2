"""Converts numbers, days and colours as people type them to texts as commands take them."""

from typing import Any

from finance_api.resources.common import COLOR
from finance_api.resources.currencies import decimals_of, smallest_units
from finance_api.resources.field import Field, Kind
from finance_api.values.regions import Region
from finance_api.values.time import date_text
from finance_api.values.written import WrittenRefused, parse_amount, parse_day
from finance_api.web.colors import PALETTE, parse_color

_NUMBERS_IN_WORDS = ("no", "one", "two", "three")


def plain_text(field: Field, text: str, stored: Any, region: Region) -> str:
    """Return a number, day or colour as commands take it, and any other text unchanged.

    Raises WrittenRefused.
    """
    if field.name == COLOR.name and text.strip() and text != stored:
        color = parse_color(text)
        if color is None:
            raise WrittenRefused(f"is not a colour such as {', '.join(PALETTE)} or #3a7d44")
        return color
    if field.kind is Kind.NUMBER and text.strip():
        return f"{parse_amount(text, region):f}"
    if field.kind is Kind.DATE and text.strip():
        return date_text(parse_day(text, region))
    return text


def day_text(text: str, region: Region) -> str:
    """Return a day as the date fields of browsers need it; return other texts unchanged."""
    try:
        return date_text(parse_day(text, region))
    except WrittenRefused:
        return text


def too_exact(units: int, currency: str, region: Region) -> str | None:
    """Return why an amount is too exact for its currency, with the nearest amounts that fit.

    Returns None if the amount fits.
    """
    decimals, smallest = decimals_of(currency), smallest_units(currency)
    below = units // smallest * smallest
    if below == units:
        return None
    near = " or ".join(region.written(each, decimals) for each in (below, below + smallest))
    has = f"{currency} has {_NUMBERS_IN_WORDS[decimals]} decimals"
    return f"{region.written(units)} is too exact, as {has}: write {near}"
