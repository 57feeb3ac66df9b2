"""Currencies: their codes, the symbols and names that people and banks write, and exchange rates.

The codes are those of ISO 4217, and the withdrawn codes that old statements contain.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple

from iso4217 import Currency

from finance_api.values.number import DECIMALS
from finance_api.values.text import amount_text, fold

#: Codes from ISO 4217 list three (historic denominations) that bank files of the last decades use.
_WITHDRAWN = (
    "ADP ANG ATS AZM BEF BGL BGN BYR CSD CUC CYP DEM ECS EEK ESP FIM FRF GHC GRD HRK IEP ITL "
    "LTL LUF LVL MGF MRO MTL MZM NLG PTE ROL RUR SDD SIT SKK SLL SRG STD TMM TRL USS VEB VEF "
    "XEU YUM ZMK ZWD ZWL ZWR"
).split()

#: Withdrawn codes that banks still write -> the code that they mean.
_RENAMED = {"RUR": "RUB"}

CURRENCIES: tuple[str, ...] = tuple(sorted({*(c.code for c in Currency), *_WITHDRAWN}))
CODES = frozenset(CURRENCIES)

#: Codes of funds and units of account. Nobody has a bank account in one of these.
_UNITS = "BOV CHE CHW CLF COU MXV USN UYI UYW XAD".split()
#: Code of each currency that people pay with -> its name. Codes for tests and metals, which have no
#: exponent, are left out.
IN_USE = {
    c.code: c.currency_name
    for c in sorted(Currency, key=lambda c: str(c.code))
    if c.exponent is not None and c.code not in {*_WITHDRAWN, *_UNITS}
}
_USUAL_DECIMALS = 2


@cache
def decimals_of(code: str | None) -> int:
    """Return how many decimals the currency has in ISO 4217; 2 if the standard gives no number."""
    by_code = {currency.code: currency.exponent for currency in Currency}
    exponent = by_code.get(code or "")
    return _USUAL_DECIMALS if exponent is None else exponent


def current_code(code: str) -> str:
    """Return the code that a withdrawn code in a file of today means; others mean themselves."""
    return _RENAMED.get(code, code)


def money_text(units: int, code: str | None) -> str:
    """Return ten-thousandths as an amount of money for a `message`: ``-1204.5 EUR``."""
    return f"{amount_text(units, decimals_of(code))} {code or ''}".rstrip()


def smallest_units(code: str | None) -> int:
    """Return the smallest amount of the currency, in ten-thousandths."""
    return int(10 ** (DECIMALS - decimals_of(code)))


@dataclass(frozen=True, slots=True)
class Mark:
    """A currency as written in a text. text: the mark, as shown to users. currency: the code that
    the mark means by default; None if the mark is ambiguous. possible: the codes that the mark can
    stand for; if empty, any code.
    """

    text: str
    currency: str | None
    possible: tuple[str, ...]

    def fits(self, currency: str) -> bool:
        return not self.possible or currency in self.possible


def _marks(line: str) -> Iterator[tuple[str, Mark]]:
    before, _, names = line.partition(": ")
    codes = tuple(before.removeprefix("? ").split())
    for name in names.split(", "):
        yield name, Mark(name, None if before.startswith("?") else codes[0], codes)


_LINES = Path(__file__).with_name("currencies.txt").read_text("utf-8").splitlines()
#: A name of three letters may be another thing, as SOL is.
_MARKS = {fold(n): Mark(n, code, (code,)) for code, n in IN_USE.items() if len(n) > 3}
_MARKS |= dict(mark for line in _LINES if line[:1] not in ("#", "") for mark in _marks(line))


def mark_of(text: str) -> Mark | None:
    """Return the currency that ``text`` (stripped) stands for; None if it is not a currency."""
    code = text.upper()
    if code in CODES:
        meant = current_code(code)
        return Mark(code, meant, (meant,))
    return _MARKS.get(fold(text).rstrip("."))


def codes_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the currencies in a column; empty if any cell may mean something else.

    A code that is not in capitals may be a word, such as "all" or "top".
    """
    codes = set()
    for text in map(str.strip, texts):
        mark = mark_of(text)
        is_word = text.isascii() and text.isalpha() and len(text) == 3 and not text.isupper()
        if mark is None or len(mark.possible) != 1 or is_word:
            return frozenset()
        codes |= set(mark.possible)
    return frozenset(codes)


class DayRates(NamedTuple):
    """The value of one unit of a base currency in other currencies. day: its first second."""

    day: int
    base: str
    rates: Mapping[str, Decimal]
