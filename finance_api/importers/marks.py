"""Recognises currencies as people and banks write them: by code, symbol or name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.text import fold

CODES = frozenset(CURRENCIES)


@dataclass(frozen=True, slots=True)
class Mark:
    """A written currency. text: as shown to users. currency: the code that it means by default;
    None if ambiguous. possible: the codes that it can stand for; empty: any.
    """

    text: str
    currency: str | None
    possible: tuple[str, ...]

    def fits(self, currency: str) -> bool:
        return not self.possible or currency in self.possible


#: Each line: codes, then the symbols and names (folded) that can mean them. The first code is the
#: default, unless the line begins with "?".
_NAMES = """
EUR: €, euro, euros
USD: us dollar, us dollars, us-dollar, us$
? USD CAD AUD NZD SGD HKD: dollar, dollars
? USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL JMD TTD BBD BSD BZD: $
? GBP EGP LBP SYP: pound, pounds
GBP EGP LBP SYP GIP FKP SHP SDG SSP: £
GBP: pound sterling, pounds sterling, sterling
CHF: swiss franc, swiss francs, schweizer franken, franken, sfr
CHF FRF BEF LUF: fr
? SEK NOK DKK ISK EEK: kr
? JPY CNY: ¥
? INR PKR LKR NPR MUR SCR: rs, ₨
PLN: zloty, zł
CZK: kč
HUF: ft
BRL: r$
AUD: a$
CAD: c$
NZD: nz$
HKD: hk$
SGD: s$
INR: ₹
RUB RUR: ₽
TRY TRL: ₺
UAH: ₴
ILS: ₪
KRW: ₩
VND: ₫
THB: ฿
NGN: ₦
PHP: ₱
CRC: ₡
PYG: ₲
KZT: ₸
GEL: ₾
AZN AZM: ₼
GHS GHC: ₵
"""


def _marks(line: str) -> Iterator[tuple[str, Mark]]:
    before, _, names = line.partition(": ")
    codes = tuple(before.removeprefix("? ").split())
    for name in names.split(", "):
        yield name, Mark(name, None if before.startswith("?") else codes[0], codes)


_MARKS = dict(mark for line in _NAMES.strip().splitlines() for mark in _marks(line))


def mark_of(text: str) -> Mark | None:
    """Return the currency that ``text`` (stripped) stands for; None if it is not a currency."""
    code = text.upper()
    if code in CODES:
        return Mark(code, code, (code,))
    return _MARKS.get(fold(text).rstrip("."))


def currency_code(text: str) -> str:
    """Return the ISO 4217 code of a currency that a user writes as a code, a symbol or a name.

    Raises ImportRefused for a text that is not a currency, or is ambiguous.
    """
    mark = mark_of(text.strip())
    if mark is not None and mark.currency is not None:
        return mark.currency
    if mark is not None:
        raise ImportRefused(
            f"{quoted(text)} may be {', '.join(mark.possible[:3])} or another currency: give the "
            f"ISO 4217 code"
        )
    raise ImportRefused(f"{quoted(text)} is not an ISO 4217 code such as EUR")


def stated_code(text: str, what: str, line: int | None = None) -> str:
    """As `currency_code`. what: begins a refusal, such as the name of an option."""
    try:
        return currency_code(text)
    except ImportRefused as refused:
        raise ImportRefused(f"{what} {refused.reason}", line) from None


def codes_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the currencies in a column; empty if any cell may mean something else.

    A code that is not in capitals may be a word, such as "all" or "top".
    """
    codes = set()
    for text in map(str.strip, texts):
        mark = mark_of(text)
        is_word = text.isalpha() and len(text) == 3 and not text.isupper()
        if mark is None or len(mark.possible) != 1 or is_word:
            return frozenset()
        codes |= set(mark.possible)
    return frozenset(codes)
