"""A column of amounts: read with the decimal mark that is named, or the only one that fits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from finance_api.importers.csv.number_form import (
    Written,
    number_pattern,
    plain_number,
    shape_of,
)
from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused
from finance_api.values.number import NumberError, decimal_text, parse_decimal, to_units

DECIMAL_MARKS = (".", ",")
#: What --thousands may be: a typographic apostrophe means a straight one, any space any other.
_THOUSANDS = dict.fromkeys("'\u2019", "'") | dict.fromkeys(" \u00a0\u2007\u2009\u202f", " ")
_THOUSANDS |= {".": ".", ",": ","}


@dataclass(frozen=True, slots=True)
class Amount:
    """units: ten-thousandths. mark: the currency written beside it, a code or symbol, or ""."""

    units: int
    mark: str


def read_amounts(
    cells: Mapping[str, int], decimal: str | None, thousands: str | None
) -> dict[str, Amount]:
    """Each text of the column (or of both, debit and credit) as an amount.

    cells: the trimmed texts, each with the line of its first appearance, in their order.
    Without ``decimal`` one mark has to be the only one that fits them all, or both have to
    give the same numbers; else ImportRefused with both readings.
    """
    readings = _readings(decimal, thousands)
    written: dict[str, Written] = {}
    doubtful: tuple[str, str, str] | None = None
    for text, line in cells.items():
        parts = shape_of(text)
        if parts is None:
            raise ImportRefused(f"{quoted(text)} is not an amount", line)
        written[text] = parts
        numbers = {
            mark: number
            for mark, pattern in readings.items()
            if (number := plain_number(parts.digits, pattern)) is not None
        }
        if not numbers:
            raise ImportRefused(_misfit(text, parts, list(readings), thousands), line)
        if len(numbers) < len(readings):
            readings = {mark: readings[mark] for mark in numbers}
        elif doubtful is None and len(numbers) == 2 and numbers["."] != numbers[","]:
            doubtful = (text, numbers["."], numbers[","])
    if len(readings) == 2 and doubtful:
        text, point, comma = doubtful
        raise ImportRefused(
            f"the amount {quoted(text)} is {_shown(point)} with --decimal . and {_shown(comma)} "
            "with --decimal , and no other row decides; name one",
            cells[text],
        )
    pattern = next(iter(readings.values()))
    return {
        text: Amount(_units(text, parts, pattern, cells[text]), parts.mark)
        for text, parts in written.items()
    }


def _readings(decimal: str | None, thousands: str | None) -> dict[str, re.Pattern[str]]:
    """Decimal mark -> how numbers look under it."""
    group = None if thousands is None else _THOUSANDS.get(thousands)
    if thousands is not None and group is None:
        raise ImportRefused(f"--thousands {quoted(thousands)} is none of . , ' and a space")
    if decimal is not None and decimal not in DECIMAL_MARKS:
        raise ImportRefused(f"--decimal {quoted(decimal)} is neither . nor ,")
    if decimal is not None and decimal == group:
        raise ImportRefused(f"--decimal and --thousands are both {decimal}")
    marks = DECIMAL_MARKS if decimal is None else (decimal,)
    return {mark: number_pattern(mark, group) for mark in marks if mark != group}


def _units(text: str, parts: Written, pattern: re.Pattern[str], line: int) -> int:
    number = plain_number(parts.digits, pattern)
    assert number is not None
    try:
        units = to_units(parse_decimal(number))
    except NumberError as error:
        raise ImportRefused(f"the amount {quoted(text)} {error}", line) from None
    return -units if parts.negative else units


def _misfit(text: str, parts: Written, left: list[str], thousands: str | None) -> str:
    mark = left[0]
    if len(left) == 1 and any(
        plain_number(parts.digits, number_pattern(other, None)) is not None
        for other in DECIMAL_MARKS
    ):
        grouped = f" and thousands {quoted(thousands)}" if thousands is not None else ""
        return (
            f"{quoted(text)} is not an amount with the decimal mark {mark}{grouped}, as the "
            "options or the rows above have it (--decimal, --thousands)"
        )
    return f"{quoted(text)} is not an amount: its digits are not in groups of three"


def _shown(number: str) -> str:
    try:
        return decimal_text(to_units(parse_decimal(number)))
    except NumberError:
        return number
