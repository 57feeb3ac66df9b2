"""Parses the values of elements: texts, ids, amounts, dates, currencies, as banks write them.

Amounts: OFX requires ``[+-]digits[.digits]`` with a point or a comma (OFX 1.6, 3.2.9.1). Some banks
write thousands separators, although they are not allowed. Ambiguous amounts are refused.

Dates: ``YYYYMMDD[HHMMSS[.XXX][[offset:name]]]`` (OFX 1.6, 3.2.8.2). Only the written date counts.
Its time and zone are ignored: converting them would move some bookings to the day before or after
the one on the statement.
"""

import re

from finance_api.importers.marks import CODES
from finance_api.importers.ofx.tree import Element
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import clean, clean_or_none
from finance_api.values.time import TimeError, parse_date

#: Maximum length of an identifier in OFX (FITID, A-255); identifiers are stored in an index.
MAX_IDENTIFIER_LENGTH = 255

_MAX_AMOUNT_LENGTH = 64
_SHAPE = re.compile(r"([+-]?)([0-9]*(?:[.,][0-9]*)*)")
_GROUPS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")
_USUAL = re.compile(r"[+-]?[0-9]{1,14}[.,][0-9]{2}")
_GROUPED = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")

_DATE = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})")
_CLOCK = re.compile(
    r"T?([01][0-9]|2[0-3]):?([0-5][0-9]):?([0-5][0-9])(?:\.[0-9]*)?"
    r"(?:\s*\[([+-]?[0-9]{1,2}(?:\.[0-9]{1,2})?)(?::[^]]*)?\])?"
)
#: Some banks write zeros in place of a missing date.
_NO_DATE = re.compile("0++(?![0-9])")


def note_of(leaf: Element | None) -> str | None:
    """Return the leaf's text, stripped; None if there is none."""
    text = clean_or_none(leaf.text) if leaf else None
    return text.strip() if text else None


def name_of(leaf: Element | None) -> str | None:
    """As `note_of`, on one line."""
    text = note_of(leaf)
    if text is None or "\n" not in text:
        return text
    return " ".join(filter(None, map(str.strip, text.split("\n"))))


def identifier_of(leaf: Element | None) -> str | None:
    """Return the leaf's text. Raises ImportRefused if it is too long for an identifier."""
    if not leaf:
        return None
    if len(leaf.text) > MAX_IDENTIFIER_LENGTH:
        raise leaf.refused(f"is longer than {MAX_IDENTIFIER_LENGTH} characters")
    return clean(leaf.text).strip() or None


def currency_of(leaf: Element) -> str:
    """Return the leaf's ISO 4217 code in upper case. Raises ImportRefused."""
    code = leaf.text.upper()
    if code not in CODES:
        raise leaf.refused("is not an ISO 4217 currency code")
    return code


def amount_of(leaf: Element) -> int:
    """Return the leaf's amount in ten-thousandths, with its written sign. Raises ImportRefused."""
    try:
        return parse_amount(leaf.text)
    except NumberError as error:
        raise leaf.refused(str(error)) from None


def parse_amount(text: str) -> int:
    """Return the amount in ten-thousandths. Raises NumberError.

    ``12.50``, ``-12,50``, ``1,234.56``, ``1.234,56`` and ``1,234,567`` are clear. ``1,234`` is
    refused: the comma may be a thousands separator or a decimal one. A single point is always the
    decimal point, as in the standard, however many digits follow it.
    """
    if _USUAL.fullmatch(text):
        # Computes the same as below, in a third of the time.
        return int(text[:-3] + text[-2:]) * 100
    shape = _SHAPE.fullmatch(text)
    if len(text) > _MAX_AMOUNT_LENGTH or not shape or not any(c in "0123456789" for c in shape[2]):
        raise NumberError("is not an amount such as -12.50")
    sign, digits = shape.groups()
    if _GROUPED.fullmatch(digits):
        raise NumberError("is ambiguous: its comma can be a decimal or a thousands separator")
    separators = [char for char in digits if char in ".,"]
    whole, point, part = digits, "", ""
    if separators and separators.count(separators[-1]) == 1:
        whole, point, part = digits.rpartition(separators[-1])
    if any(char in ".," for char in whole):
        if not _GROUPS.fullmatch(whole) or len(set(re.findall("[.,]", whole)) - {point}) != 1:
            raise NumberError("is not an amount such as -12.50")
        whole = whole.replace(",", "").replace(".", "")
    return to_units(parse_decimal(f"{sign}{whole or '0'}.{part or '0'}"))


def date_of(leaf: Element) -> int:
    """Return the leaf's date as the seconds of its midnight. Raises ImportRefused."""
    date = _DATE.match(leaf.text)
    if not date:
        raise leaf.refused("is not a date in the form YYYYMMDD")
    try:
        return parse_date(f"{date[1]}-{date[3]}-{date[4]}")
    except TimeError as error:
        raise leaf.refused(str(error)) from None


def date_or_none_of(leaf: Element | None) -> int | None:
    """As `date_of`; None for a missing date."""
    return None if leaf is None or _NO_DATE.match(leaf.text) else date_of(leaf)


def moment_of(leaf: Element | None) -> int | None:
    """Return the leaf's date with its time and zone, in seconds; used only to compare two."""
    day = date_or_none_of(leaf)
    if leaf is None or day is None:
        return None
    date = _DATE.match(leaf.text)
    clock = _CLOCK.match(leaf.text, date.end()) if date else None
    if clock is None:
        return day
    seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])
    return day + seconds - round(float(clock[4] or 0) * 3600)
