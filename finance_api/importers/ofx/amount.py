"""Amounts of money as banks write them, exactly.

OFX asks for ``[+-]digits[.digits]`` with a point or a comma (OFX 1.6, 3.2.9.1); thousands
separators are not allowed and are written nevertheless. What can be read in two ways is refused.
"""

import re

from finance_api.importers.ofx.element import Element
from finance_api.values.number import NumberError, parse_decimal, to_units

_MAX_LENGTH = 64
_HUNDREDTH = 100
_SHAPE = re.compile(r"([+-]?)([0-9]*(?:[.,][0-9]*)*)")
_GROUPS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")
_USUAL = re.compile(r"[+-]?[0-9]{1,14}[.,][0-9]{2}")
_GROUPED = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")


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
        return int(text[:-3] + text[-2:]) * _HUNDREDTH
    shape = _SHAPE.fullmatch(text)
    if len(text) > _MAX_LENGTH or not shape or not any("0" <= sign <= "9" for sign in shape[2]):
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
