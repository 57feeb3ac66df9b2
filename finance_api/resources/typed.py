"""Converts numbers, days and colours as people type them to texts as commands take them."""

import re
from typing import Any

from finance_api.resources.common import COLOR
from finance_api.resources.currencies import decimals_of, mark_of, smallest_units
from finance_api.resources.field import Field, Kind
from finance_api.values.colors import PALETTE, parse_color
from finance_api.values.number import NumberError, to_units
from finance_api.values.regions import MINUS, Region
from finance_api.values.time import date_text
from finance_api.values.written import WrittenRefused, parse_amount, parse_day

_NUMBERS_IN_WORDS = ("no", "one", "two", "three")
_SIGN_AND_AMOUNT = 2
_EXAMPLE_UNITS = 4_50_00
#: A day, not a calculation.
_DAY = re.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_PLUS_OR_MINUS = re.compile(f"([+{MINUS}-])")
#: A currency, with the point of an abbreviation such as Fr.: a point directly behind a letter.
_CURRENCY = r"[^\d.,'\u2019\s]*+(?:(?<=[^\W\d_])\.)?+"
_WITH_CURRENCY = re.compile(
    rf"(?P<before>{_CURRENCY})(?P<amount>[\d.,'\u2019\s]++)(?P<behind>{_CURRENCY})"
)


def plain_text(field: Field, text: str, stored: Any, region: Region, currency: str | None) -> str:
    """Return a number, day or colour as commands take it, and any other text unchanged.

    currency: the currency of amounts, if it is known. Raises WrittenRefused.
    """
    if field.name == COLOR.name and text.strip() and text != stored:
        color = parse_color(text)
        if color is None:
            raise WrittenRefused(f"is not a colour such as {', '.join(PALETTE)} or #3a7d44")
        return color
    if field.kind is Kind.NUMBER and text.strip():
        plain = calculated(text, currency, region) if field.is_money else text
        return f"{parse_amount(plain, region):f}"
    if field.kind is Kind.DATE and text.strip():
        return date_text(parse_day(text, region))
    return text


def calculated(text: str, currency: str | None, region: Region) -> str:
    """Return the amount of ``5 EUR``, ``€5`` or ``3+4`` as ``parse_amount`` takes it.

    currency: the only one that the text may name. Returns any other text unchanged.
    Raises WrittenRefused.
    """
    first, *others = _PLUS_OR_MINUS.split(text.strip())
    if not others:
        return _without_currency(first, currency)
    if len(others) == _SIGN_AND_AMOUNT and (not first or mark_of(first.strip())):
        sign, amount = others
        return sign + _without_currency(first + amount, currency)
    if not first:
        raise WrittenRefused(
            f"{text.strip()} is a sum that begins with a sign: begin with a number, as in 4-3"
        )
    if _DAY.fullmatch(text.strip()):
        raise WrittenRefused(f"{text.strip()} looks like a day: enter an amount")
    if not all(part.strip() for part in others):
        example = region.written(_EXAMPLE_UNITS)
        raise WrittenRefused(f'"{text.strip()}" is not an amount or a sum such as 3+{example}')
    units = 0
    for sign, part in zip(("+", *others[::2]), (first, *others[1::2]), strict=True):
        try:
            term = to_units(parse_amount(_without_currency(part, currency), region))
        except NumberError as error:
            raise WrittenRefused(str(error)) from None
        units += term if sign == "+" else -term
    if units <= 0:
        raise WrittenRefused(f"{text.strip()} adds up to 0 or less: enter the amount itself")
    return region.written(units)


def currency_in(text: str) -> str | None:
    """Return the currency that ``5 EUR`` or ``€5`` names; None for none, or one of several."""
    found = _WITH_CURRENCY.fullmatch(text.strip())
    mark = mark_of(found["before"] or found["behind"]) if found else None
    return mark.possible[0] if mark is not None and len(mark.possible) == 1 else None


def _without_currency(text: str, currency: str | None) -> str:
    found = _WITH_CURRENCY.fullmatch(text.strip())
    named = found and (found["before"] or found["behind"])
    mark = mark_of(named) if named else None
    if not found or mark is None or (found["before"] and found["behind"]):
        return text
    if currency is None:
        raise WrittenRefused(
            f"{text.strip()} names a currency: choose it, or enter only the number"
        )
    if not mark.fits(currency):
        raise WrittenRefused(
            f"is in {mark.currency or named}, not in {currency}: enter it in {currency}"
        )
    return found["amount"]


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
