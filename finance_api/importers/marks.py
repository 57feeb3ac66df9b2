"""Currencies as people and banks write them: codes, symbols, and names."""

from collections.abc import Iterable
from dataclasses import dataclass

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.text import fold

CODES = frozenset(CURRENCIES)


@dataclass(frozen=True, slots=True)
class Mark:
    """text: as it is shown. currency: the code that it stands for where nothing else is said,
    None if that is open. possible: the codes that it can stand for; empty: any.
    """

    text: str
    currency: str | None
    possible: tuple[str, ...]

    def fits(self, currency: str) -> bool:
        return not self.possible or currency in self.possible


_DOLLARS = tuple("USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL JMD TTD BBD BSD BZD".split())
#: Symbol or short name, folded -> the codes; the first is meant where nothing else is said,
#: unless the text begins with "?".
_NAMES = {
    "€": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "dollar": "? USD CAD AUD NZD SGD HKD",
    "dollars": "? USD CAD AUD NZD SGD HKD",
    "us dollar": "USD",
    "us dollars": "USD",
    "us-dollar": "USD",
    "pound": "? GBP EGP LBP SYP",
    "pounds": "? GBP EGP LBP SYP",
    "pound sterling": "GBP",
    "pounds sterling": "GBP",
    "sterling": "GBP",
    "swiss franc": "CHF",
    "swiss francs": "CHF",
    "schweizer franken": "CHF",
    "franken": "CHF",
    "zloty": "PLN",
    "£": "GBP EGP LBP SYP GIP FKP SHP SDG SSP",
    "kr": "? SEK NOK DKK ISK EEK",
    "¥": "? JPY CNY",
    "rs": "? INR PKR LKR NPR MUR SCR",
    "₨": "? INR PKR LKR NPR MUR SCR",
    "zł": "PLN",
    "kč": "CZK",
    "ft": "HUF",
    "r$": "BRL",
    "us$": "USD",
    "a$": "AUD",
    "c$": "CAD",
    "nz$": "NZD",
    "hk$": "HKD",
    "s$": "SGD",
    "fr": "CHF FRF BEF LUF",
    "sfr": "CHF",
    "₹": "INR",
    "₽": "RUB RUR",
    "₺": "TRY TRL",
    "₴": "UAH",
    "₪": "ILS",
    "₩": "KRW",
    "₫": "VND",
    "฿": "THB",
    "₦": "NGN",
    "₱": "PHP",
    "₡": "CRC",
    "₲": "PYG",
    "₸": "KZT",
    "₾": "GEL",
    "₼": "AZN AZM",
    "₵": "GHS GHC",
}


def _mark(name: str, codes: list[str]) -> Mark:
    if codes[0] == "?":
        return Mark(name, None, tuple(codes[1:]))
    return Mark(name, codes[0], tuple(codes))


_MARKS = {name: _mark(name, codes.split()) for name, codes in _NAMES.items()}
_MARKS["$"] = Mark("$", None, _DOLLARS)


def mark_of(text: str) -> Mark | None:
    """The currency that ``text`` (without blanks around it) stands for; None if for none."""
    code = text.upper()
    if code in CODES:
        return Mark(code, code, (code,))
    return _MARKS.get(fold(text).rstrip("."))


def currency_code(text: str) -> str:
    """The ISO 4217 code of a currency that a person writes as a code, a symbol or a name.

    Raises ImportRefused for a text that stands for no currency, or for any of several.
    """
    mark = mark_of(text.strip())
    if mark is not None and mark.currency is not None:
        return mark.currency
    if mark is not None:
        raise ImportRefused(
            f"{quoted(text)} may be {', '.join(mark.possible[:3])} or another currency: give its "
            "ISO 4217 code"
        )
    raise ImportRefused(f"{quoted(text)} is not an ISO 4217 code such as EUR")


def stated_code(text: str, what: str, line: int | None = None) -> str:
    """`currency_code`, with the name of what states it in the refusal, such as an option."""
    try:
        return currency_code(text)
    except ImportRefused as refused:
        raise ImportRefused(f"{what} {refused.reason}", line) from None


def codes_in(texts: Iterable[str]) -> frozenset[str]:
    """The currencies of a column that has nothing else; empty if a cell may mean something else.

    A code in small letters may be a word, such as "all" or "top".
    """
    codes = set()
    for text in map(str.strip, texts):
        mark = mark_of(text)
        is_word = text.isalpha() and len(text) == 3 and not text.isupper()
        if mark is None or len(mark.possible) != 1 or is_word:
            return frozenset()
        codes |= set(mark.possible)
    return frozenset(codes)
