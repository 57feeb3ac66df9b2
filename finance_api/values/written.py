"""Parses amounts and days as people type them, and refuses texts that have two readings."""

import re
from datetime import date
from decimal import Decimal
from functools import lru_cache
from textwrap import shorten

from finance_api.values.number import to_units
from finance_api.values.regions import MINUS, Region
from finance_api.values.time import TimeError, date_text, from_date, parse_date

#: Characters that look like a blank or an apostrophe, and invisible marks of direction.
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}", " "),
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        **dict.fromkeys("\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}\N{ARABIC LETTER MARK}", ""),
    }
)
_DECIMAL_MARKS = (".", ",")
_GROUP_MARKS = (".", ",", "'", " ")
_EXAMPLE_UNITS = 12_50_00
_EXAMPLE_DAY = parse_date("2026-11-26")
_LONGEST_DAY = _LONGEST_SHOWN = 40
_WORD_OR_NUMBER = re.compile("[0-9]+|[a-z]+")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST = "dMy", "Mdy", "yMd"
_YEAR_DIGITS = 4


class WrittenRefused(ValueError):
    """The text has no reading, or has two, which the message names."""


def parse_amount(text: str, region: Region) -> Decimal:
    """Parse an amount, grouped or not, with any usual marks, exactly. Raises WrittenRefused.

    ``1.250`` could be 1,250 or 1.25. In regions where a point groups thousands it means 1,250;
    elsewhere it is refused.
    """
    digits = text.translate(_ALIKE).strip()
    sign = digits[:1] if digits[:1] in ("+", "-", MINUS) else ""
    digits = digits.removeprefix(sign).strip()
    readings = _readings(digits, region)
    if not readings:
        shown = shorten(text, _LONGEST_SHOWN, placeholder="…")
        quoted = f'"{shown}" ' if shown else ""
        raise WrittenRefused(f"{quoted}is not an amount such as {region.amount(_EXAMPLE_UNITS)}")
    if len(readings) > 1 and region.group not in digits:
        choices = " or ".join(f"{sign}{_unambiguous(value, region)}" for value in readings)
        raise WrittenRefused(f"{sign}{digits} can be read in two ways: write {choices}")
    return readings[0] if sign in ("", "+") else -readings[0]


def _readings(digits: str, region: Region) -> list[Decimal]:
    """Return the values that the text may have, first the reading without decimals."""
    values = []
    for point in ("", *_DECIMAL_MARKS):
        found = _form(point, region.last_group, region.other_groups).fullmatch(digits)
        if found and re.search("[0-9]", digits):
            whole, decimals = found["whole"], found["decimals"] if point else ""
            values.append(Decimal(f"{re.sub('[^0-9]', '', whole) or 0}.{decimals or 0}"))
    return values


@lru_cache(maxsize=128)
def _form(point: str, last_group: int, other_groups: int) -> re.Pattern[str]:
    """Return the form of a number without a sign. point: the decimal mark; "" for no decimals."""
    wholes = ["[0-9]*"]
    for mark in map(re.escape, set(_GROUP_MARKS) - {point}):
        wholes += (
            rf"[1-9][0-9]{{0,{other - 1}}}(?:{mark}[0-9]{{{other}}})*{mark}[0-9]{{{last}}}"
            for last, other in {(3, 3), (last_group, other_groups)}
        )
    decimals = rf"{re.escape(point)}(?P<decimals>[0-9]*)" if point else ""
    return re.compile(f"(?P<whole>{'|'.join(wholes)}){decimals}")


def _unambiguous(value: Decimal, region: Region) -> str:
    units = to_units(value)
    return region.written(units, 0) if value % 1 else region.amount(units, 0)


def parse_day(text: str, region: Region) -> int:
    """Parse ``2026-11-26``, ``26 Nov 2026``, or numbers in the region's order.

    Raises WrittenRefused, also if the order is unknown and day and month could be swapped.
    """
    try:
        return parse_date(text.strip())
    except TimeError:
        pass
    parts = _WORD_OR_NUMBER.findall(text[:_LONGEST_DAY].lower())
    days = _days(parts, region) if len(parts) == len(_DAY_FIRST) else set()
    if not days:
        example = region.day(_EXAMPLE_DAY)
        raise WrittenRefused(f"is not a day such as {example} or {date_text(_EXAMPLE_DAY)}")
    if len(days) > 1:
        choices = " or ".join(map(date_text, sorted(days)))
        raise WrittenRefused(f"{text.strip()} can be read in two ways: write {choices}")
    return days.pop()


def _days(parts: list[str], region: Region) -> set[int]:
    """Return all days that a text may mean. parts: its three numbers or words, in their order."""
    usual = region.day_order
    if len(parts[0]) == _YEAR_DIGITS:
        orders = [usual if usual.startswith("y") else _YEAR_FIRST]
    elif parts[0].isalpha() or parts[1].isalpha():
        orders = [_MONTH_FIRST if parts[0].isalpha() else _DAY_FIRST]
    elif region.tag and not usual.startswith("y"):
        orders = [usual]
    else:
        orders = [_DAY_FIRST, _MONTH_FIRST]
    days = set()
    for order in orders:
        by_letter = dict(zip(order, parts, strict=True))
        month = by_letter["M"]
        if month[:3] in _MONTHS:
            month = str(_MONTHS.index(month[:3]) + 1)
        numbers = (by_letter["y"], month, by_letter["d"])
        if all(number.isdigit() for number in numbers) and len(numbers[0]) == _YEAR_DIGITS:
            try:
                days.add(from_date(date(*map(int, numbers))))
            except ValueError:
                continue
    return days
