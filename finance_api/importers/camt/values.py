"""The elements of a camt file and their values: amounts, days, account numbers."""

import re
from collections.abc import Iterator
from typing import Any

from finance_api.importers.interface import ANOTHER_FILE, ImportRefused, quoted
from finance_api.importers.marks import CODES
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import compact, one_line
from finance_api.values.time import TimeError, parse_date, parse_time

#: Paths of an account's IBAN, or of another number in the different versions.
_NUMBERS = ("Id/IBAN", "Id/Othr/Id", "Id/PrtryAcct/Id", "Id/BBAN", "Id/UPIC")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK = re.compile(
    r"T([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?(?:[.,:][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DAY_LENGTH = 10
#: An amount in ten-thousandths, and its currency.
Amount = tuple[int, str]
_SIGNS = {"CRDT": 1, "DBIT": -1}


class Element:
    """One element with its content.

    name: without a namespace prefix. text: the text of a leaf, stripped.
    currency: its attribute Ccy. line: where it begins in the file, from 1.
    parts: the `Transaction`s read from its transactions, which are not among its children.
    """

    __slots__ = ("children", "currency", "line", "name", "parts", "text")

    def __init__(self, name: str, line: int, currency: str | None = None) -> None:
        self.name = name
        self.line = line
        self.currency = currency
        self.text = ""
        self.children: list[Element] = []
        self.parts: list[Any] = []

    def all(self, *path: str) -> "Iterator[Element]":
        """Yield the non-empty elements at a path of names below this element, in order."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                elif child.text or child.children:
                    yield child

    def first(self, *paths: str) -> "Element | None":
        """Return the first element at the first path (such as ``A/B``) that leads to one."""
        for path in paths:
            found = next(self.all(*path.split("/")), None)
            if found is not None:
                return found
        return None

    def only(self, name: str) -> "Element":
        """Return the only child with this name. Raises ImportRefused if there is not just one."""
        found = [child for child in self.children if child.name == name]
        if len(found) != 1:
            raise self.refused(f"has {len(found) or 'no'} <{name}>")
        return found[0]

    def text_of(self, *paths: str) -> str | None:
        """Return the text of `first`, on one line."""
        found = self.first(*paths)
        return None if found is None else one_line(found.text)

    def refused(self, reason: str) -> ImportRefused:
        """Return a refusal of the file that names this element, its text and the reason."""
        value = f"{quoted(self.text)} " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)


def amount_of(element: Element) -> Amount:
    """Return the amount without a sign, and the currency. Raises ImportRefused."""
    if element.text.startswith("-"):
        raise element.refused(
            "has a sign, but <CdtDbtInd> already says whether money came in or went out"
        )
    try:
        units = to_units(parse_decimal(element.text))
    except NumberError as error:
        raise element.refused(str(error)) from None
    if element.currency not in CODES:
        code = quoted(element.currency or "")
        raise element.refused(f"has the currency {code}, which is not in ISO 4217")
    return units, element.currency


def amount_or_none(element: Element | None) -> Amount | None:
    """As `amount_of`; None for a missing or invalid amount."""
    try:
        return None if element is None else amount_of(element)
    except ImportRefused:
        return None


def signed_amount_of(holder: Element) -> Amount:
    """Return the signed amount of an entry or balance, and its currency. Raises ImportRefused."""
    direction = holder.only("CdtDbtInd")
    units, currency = amount_of(holder.only("Amt"))
    sign = sign_of(direction)
    if sign is None:
        raise direction.refused("is not CRDT or DBIT")
    return sign * units, currency


def sign_of(direction: Element | None) -> int | None:
    """Return 1 for money coming in, -1 for money going out, None for an unknown CdtDbtInd.

    This holds for reversals, too: "if the CreditDebitIndicator is CRDT and ReversalIndicator is
    Yes, the original operation was a debit entry" (ISO 20022, ReportEntry).
    """
    return None if direction is None else _SIGNS.get(direction.text)


def is_true(element: Element | None) -> bool:
    return element is not None and element.text in ("true", "1")


def day_of(date: Element) -> int:
    """Return the written day of a date or date-time, in seconds. Raises ImportRefused."""
    day = _DAY.match(date.text)
    if not day:
        raise date.refused("is not a date in the form YYYY-MM-DD")
    try:
        return parse_date(day[0])
    except TimeError as error:
        raise date.refused(str(error)) from None


def time_of(date: Element) -> int:
    """Return the written time of a date-time, in seconds of the day; 0 if it has none."""
    clock = _CLOCK.match(date.text, _DAY_LENGTH)
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3] or 0) if clock else 0


def moment_of(date: Element | None) -> int | None:
    """Return a date-time with its zone as seconds in UTC; None if it cannot be parsed."""
    clock = date and _CLOCK.match(date.text, _DAY_LENGTH)
    if not date or not clock:
        return None
    hour, minute, second, zone = clock.groups()
    try:
        day = date.text[:_DAY_LENGTH]
        return parse_time(f"{day}T{hour}:{minute}:{second or '00'}{zone or 'Z'}")
    except TimeError:
        return None


def number_of(element: Element, account: str) -> str | None:
    """Return the number of the account at the path ``account``; None if it has none."""
    number = element.text_of(*(f"{account}/{path}" for path in _NUMBERS))
    return None if number is None else compact(number)
