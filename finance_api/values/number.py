"""Exact decimal numbers, held as whole ten-thousandths in 64 bits.

ISO 4217 gives no currency more than four decimals.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import cache, lru_cache

DECIMALS = 4

#: The largest magnitude that is stored, in ten-thousandths: 922337203685477.5807.
MAX_UNITS = 2**63 - 1

_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
# Beyond this many digits before the point nothing fits 64 bits; it keeps
# ``1e999999999`` from being written out.
_MAX_ADJUSTED = 30
# Nothing is rounded in it.
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


class NumberError(ValueError):
    """The text or number cannot be held exactly; the message says why."""


def parse_decimal(text: str) -> Decimal:
    """``[+-]?digits[.digits]`` in ASCII, exactly; anything else is a NumberError."""
    if not _DECIMAL.fullmatch(text):
        raise NumberError("is not a decimal number such as -12.50")
    return Decimal(text)


def to_units(value: Decimal | int, decimals: int = DECIMALS) -> int:
    """``value`` in units of 10**-decimals, or NumberError: it is never rounded."""
    if isinstance(value, int):
        units = value * _power_of_ten(decimals)
    else:
        if not value.is_finite():
            raise NumberError("is not a finite number")
        units = _whole_units(value, decimals)
    if not -MAX_UNITS <= units <= MAX_UNITS:
        raise NumberError("is out of range")
    return units


def _whole_units(value: Decimal, decimals: int) -> int:
    # Zero may have any exponent; that of another number says how long it is.
    if not value:
        return 0
    if value.adjusted() > _MAX_ADJUSTED:
        raise NumberError("is out of range")
    scaled = value.scaleb(decimals, _EXACT)
    units = int(scaled)
    if units != scaled:
        raise NumberError(f"has more than {decimals} decimal places")
    return units


def unit_interval(value: Decimal, decimals: int = DECIMALS) -> tuple[int, int]:
    """The half-open interval of stored units that equal ``value``.

    ``(n, n + 1)`` where ``value`` is exactly n units; ``(n, n)`` where it falls between
    n - 1 and n. ``stored < value`` is then ``stored < first``, ``stored > value`` is
    ``stored >= end``, however many digits ``value`` has.
    """
    numerator, denominator = value.as_integer_ratio()
    numerator *= _power_of_ten(decimals)
    first = -(-numerator // denominator)
    return first, numerator // denominator + 1


def decimal_text(units: int, decimals: int = DECIMALS) -> str:
    """The exact decimal, without an exponent or trailing zeros: ``-42.5``, ``0``."""
    whole, part = divmod(abs(units), _power_of_ten(decimals))
    return f"{'-' if units < 0 else ''}{whole}{_part_text(part, decimals)}"


@lru_cache(maxsize=16_384)
def _part_text(part: int, decimals: int) -> str:
    return f".{part:0{decimals}d}".rstrip("0") if part else ""


def ratio_units(part: int, whole: int) -> int | None:
    """``part / whole`` in ten-thousandths, halves rounded away from zero; None for no whole."""
    if whole == 0:
        return None
    sign = -1 if whole < 0 else 1
    return rounded(sign * part * _power_of_ten(DECIMALS), abs(whole))


def rounded(numerator: int, denominator: int) -> int:
    """The nearest whole number, halves away from zero. denominator: above 0."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return -size if numerator < 0 else size


@cache
def _power_of_ten(exponent: int) -> int:
    return int(10**exponent)
