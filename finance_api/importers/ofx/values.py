"""The values of elements: texts, ids, amounts, dates, currencies, as banks write them.

Amounts: OFX asks for ``[+-]digits[.digits]`` with a point or a comma (OFX 1.6, 3.2.9.1); thousands
separators are not allowed and are written nevertheless. An amount that can be read in two ways is
refused.

Dates: ``YYYYMMDD[HHMMSS[.XXX][[offset:name]]]`` (OFX 1.6, 3.2.8.2). The date is the one that the
bank wrote. Its time and zone are left aside: taken seriously, they would move a booking to the day
before or after the one on the statement.
"""

import re

from finance_api.importers.marks import CODES
from finance_api.importers.ofx.tree import Element
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import clean, clean_or_none
from finance_api.values.time import TimeError, parse_date

#: The longest identifier of the format (FITID, A-255); it goes into an index.
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
#: Some banks write a date of zeros where they have none.
_NO_DATE = re.compile("0++(?![0-9])")


def note_of(leaf: Element | None) -> str | None:
    """The leaf's text without white space around it; None for nothing."""
    text = clean_or_none(leaf.text) if leaf else None
    return text.strip() if text else None


def name_of(leaf: Element | None) -> str | None:
    """As `note_of`, on one line."""
    text = note_of(leaf)
    if text is None or "\n" not in text:
        return text
    return " ".join(filter(None, map(str.strip, text.split("\n"))))


def identifier_of(leaf: Element | None) -> str | None:
    """The leaf's text, refused if it is too long for an identifier."""
    if not leaf:
        return None
    if len(leaf.text) > MAX_IDENTIFIER_LENGTH:
        raise leaf.refused(f"is longer than {MAX_IDENTIFIER_LENGTH} characters")
    return clean(leaf.text).strip() or None


def currency_of(leaf: Element) -> str:
    """The leaf's ISO 4217 code, in upper case; else refused."""
    code = leaf.text.upper()
    if code not in CODES:
        raise leaf.refused("is not an ISO 4217 currency code")
    return code


def amount_of(leaf: Element) -> int:
    """The leaf's amount in ten-thousandths, with the sign that is written; else refused."""
    try:
        return parse_amount(leaf.text)
    except NumberError as error:
        raise leaf.refused(str(error)) from None


def parse_amount(text: str) -> int:
    """Ten-thousandths, or NumberError.

    ``12.50``, ``-12,50``, ``1,234.56``, ``1.234,56`` and ``1,234,567`` are plain; ``1,234`` is
    not: it may be a thousand or a little more than one. A lone point is the standard's decimal
    point, however many digits follow it.
    """
    if _USUAL.fullmatch(text):
        # As below, in a third of the time.
        return int(text[:-3] + text[-2:]) * 100
    shape = _SHAPE.fullmatch(text)
    if len(text) > _MAX_AMOUNT_LENGTH or not shape or not any(c in "0123456789" for c in shape[2]):
        raise NumberError("is not an amount such as -12.50")
    sign, digits = shape.groups()
    if _GROUPED.fullmatch(digits):
        raise NumberError("can be read in two ways: is the comma a decimal or a thousands one?")
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
    """The seconds of the midnight of the leaf's date; else refused."""
    date = _DATE.match(leaf.text)
    if not date:
        raise leaf.refused("is not a date in the form YYYYMMDD")
    try:
        return parse_date(f"{date[1]}-{date[3]}-{date[4]}")
    except TimeError as error:
        raise leaf.refused(str(error)) from None


def date_or_none_of(leaf: Element | None) -> int | None:
    """As `date_of`; None for no date."""
    return None if leaf is None or _NO_DATE.match(leaf.text) else date_of(leaf)


def moment_of(leaf: Element | None) -> int | None:
    """The leaf's date with its time and zone, in seconds, to tell which of two is later."""
    day = date_or_none_of(leaf)
    if leaf is None or day is None:
        return None
    date = _DATE.match(leaf.text)
    clock = _CLOCK.match(leaf.text, date.end()) if date else None
    if clock is None:
        return day
    seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])
    return day + seconds - round(float(clock[4] or 0) * 3600)
