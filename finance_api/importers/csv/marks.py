"""Currencies as they are written beside amounts: codes, symbols, and short names."""

from dataclasses import dataclass

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
    """The currency that ``text`` (without blanks) stands for; None if it stands for none."""
    code = text.upper()
    if code in CODES:
        return Mark(code, code, (code,))
    return _MARKS.get(fold(text).rstrip("."))
