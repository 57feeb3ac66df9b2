"""Exact decimal numbers, stored as whole ten-thousandths in 64 bits.

ISO 4217 gives no currency more than four decimals.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import cache, lru_cache

DECIMALS = 4

#: The largest magnitude that can be stored, in ten-thousandths: 922337203685477.5807.
MAX_UNITS = 2**63 - 1

_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
# A number with more digits than this before the point does not fit 64 bits. Checking this first
# avoids writing out ``1e999999999``.
_MAX_ADJUSTED = 30
# A context that never rounds.
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


class NumberError(ValueError):
    """The text or number cannot be stored exactly; the message says why."""


def parse_decimal(text: str) -> Decimal:
    """Parse ``[+-]?digits[.digits]`` in ASCII, exactly. Raises NumberError for anything else."""
    if not _DECIMAL.fullmatch(text):
        raise NumberError("is not a decimal number such as -12.50")
    return Decimal(text)


def to_units(value: Decimal | int, decimals: int = DECIMALS) -> int:
    """Return ``value`` in units of 10**-decimals. Raises NumberError instead of rounding."""
    if isinstance(value, int):
        units = value * _power_of_ten(decimals)
    else:
        if not value.is_finite():
            raise NumberError("is not a finite number")
        units = _whole_units(value, decimals)
    if not -MAX_UNITS <= units <= MAX_UNITS:
        raise _out_of_range(decimals)
    return units


def _whole_units(value: Decimal, decimals: int) -> int:
    # Zero may have any exponent; for other numbers the exponent tells how many digits they have.
    if not value:
        return 0
    if value.adjusted() > _MAX_ADJUSTED:
        raise _out_of_range(decimals)
    scaled = value.scaleb(decimals, _EXACT)
    units = int(scaled)
    if units != scaled:
        raise NumberError(f"has more than {decimals} decimal places")
    return units


def _out_of_range(decimals: int) -> NumberError:
    most = decimal_text(MAX_UNITS, decimals)
    return NumberError(f"is out of range: it can be from -{most} to {most}")


def unit_interval(value: Decimal, decimals: int = DECIMALS) -> tuple[int, int]:
    """Return the half-open interval of stored units that equal ``value``.

    It is ``(n, n + 1)`` if ``value`` is exactly n units, and ``(n, n)`` if it falls between
    n - 1 and n. So ``stored < value`` can be tested as ``stored < first``, and
    ``stored > value`` as ``stored >= end``, however many digits ``value`` has.
    """
    numerator, denominator = value.as_integer_ratio()
    numerator *= _power_of_ten(decimals)
    first = -(-numerator // denominator)
    return first, numerator // denominator + 1


def decimal_text(units: int, decimals: int = DECIMALS) -> str:
    """Return the exact decimal, without an exponent or trailing zeros: ``-42.5``, ``0``."""
    whole, part = divmod(abs(units), _power_of_ten(decimals))
    return f"{'-' if units < 0 else ''}{whole}{_part_text(part, decimals)}"


@lru_cache(maxsize=16_384)
def _part_text(part: int, decimals: int) -> str:
    return f".{part:0{decimals}d}".rstrip("0") if part else ""


def ratio_units(part: int, whole: int) -> int | None:
    """Return part / whole in ten-thousandths, rounded half away from zero; None if whole is 0."""
    if whole == 0:
        return None
    sign = -1 if whole < 0 else 1
    return rounded(sign * part * _power_of_ten(DECIMALS), abs(whole))


def rounded(numerator: int, denominator: int) -> int:
    """Return the quotient, rounded half away from zero to a whole number. denominator: above 0."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return -size if numerator < 0 else size


@cache
def _power_of_ten(exponent: int) -> int:
    return int(10**exponent)
