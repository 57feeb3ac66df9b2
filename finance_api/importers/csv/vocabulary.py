"""Words in the cells of statements, from ``words.toml``: directions, statuses, balances, months."""

import re
import tomllib
import unicodedata
from functools import lru_cache
from pathlib import Path

from finance_api.values.text import TextError, clean, fold


def folded(text: str) -> str:
    """The form in which words and headings are compared: NFC, trimmed, without case."""
    try:
        return fold(clean(text)).strip()
    except TextError:
        return text


def read_words(file: str) -> dict[str, list[str]]:
    """The words of a file beside this one, by what they mean; folded, as its commas divide them."""
    text = Path(__file__).with_name(file).read_text("utf-8")
    return {
        meaning: [folded(word) for word in words.replace("\n", ",").split(",") if word.strip()]
        for meaning, words in tomllib.loads(text).items()
    }


_FILE = read_words("words.toml")

#: A word of the file -> -1 for money going out, 1 for money coming in.
DIRECTIONS = dict.fromkeys(_FILE["out"], -1) | dict.fromkeys(_FILE["in"], 1)
YES, NO = frozenset(_FILE["yes"]), frozenset(_FILE["no"])
YES_OR_NO = YES | NO
BOOKED, NOT_MONEY = frozenset(_FILE["booked"]), frozenset(_FILE["not_money"])
WEEKDAYS = " ".join(_FILE["weekdays"]).split()

#: Rows that state a balance or a total, and are no movement of money.
OPENING, CLOSING, TOTAL, CARRIED = "opening", "closing", "total", "carried"
_WORD = re.compile(r"[^\W\d_]+")
_KINDS = {
    tuple(_WORD.findall(phrase)): kind
    for kind in (OPENING, CLOSING, TOTAL, CARRIED)
    for phrase in _FILE[kind]
}
_BESIDE_BALANCE = frozenset(" ".join(_FILE["beside_balance"]).split())
#: How such a cell begins, in small letters: "bal", and "b/f" for "B/F".
STARTS = frozenset(by.join(phrase)[:3] for phrase in _KINDS for by in " /.-")
_LONGEST = 60
_IN_FULL = {"bal": "balance", "fwd": "forward"}


def kind_of(text: str) -> str | None:
    """The kind of a cell such as "Saldovortrag" or "Balance as of 31.01."; None: no balance."""
    if len(text) > _LONGEST or text[:3].lower() not in STARTS:
        return None
    return _kind_of(text)


@lru_cache(1024)
def _kind_of(text: str) -> str | None:
    words = [_IN_FULL.get(word, word) for word in _WORD.findall(folded(text))]
    while len(words) > 1 and words[-1] in _BESIDE_BALANCE:
        words.pop()
    return _KINDS.get(tuple(words))


def without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text)
    return "".join(c for c in letters if not unicodedata.combining(c))


_MONTHS = [without_accents(names.casefold()).split() for names in _FILE["months"]]


@lru_cache(1024)
def month_number(name: str) -> int:
    """From 1, of a name in full or abbreviated; 0 for what names no month, or several."""
    plain = without_accents(name.casefold()).rstrip(".")
    named = [n for n, names in enumerate(_MONTHS, 1) if plain in names]
    if not named and len(plain) > 2:
        named = [
            n for n, names in enumerate(_MONTHS, 1) if any(each.startswith(plain) for each in names)
        ]
    return named[0] if len(named) == 1 else 0
