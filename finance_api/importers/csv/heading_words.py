"""Words of headings in the languages of banks: what a column is for."""

import re
from collections.abc import Sequence
from functools import lru_cache

from finance_api.importers.csv.vocabulary import folded, read_words, without_accents
from finance_api.importers.marks import CODES, Mark, mark_of

#: Where a heading such as BookingDate has its next word.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"(?:US|NZ|HK|[ACSR])\$|[^\W\d_]+|[0-9]+|[€£$¥₹₽₺₴₪₩]")
#: Letters that are no letter with an accent.
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "ı": "i"})
#: Between the word for amounts and its currency.
_BESIDE_CURRENCY = frozenset("in en em w v".split())
#: Codes that are taken for such in small letters, too; others may be words.
_SMALL = frozenset("eur usd gbp chf pln czk sek nok dkk huf cad aud jpy".split())
#: Whose time it is, at the end of the heading of a date.
_ZONES = frozenset("utc gmt local cet".split())
_LONGEST = 100


@lru_cache(4096)
def heading_words(heading: str) -> tuple[str, ...]:
    """Return the words without case and accents, and without a currency at the end."""
    words = _tokens(heading)
    while len(words) > 1 and (words[-1].isdigit() or words[-1].lower() in _ZONES):
        words.pop()
    count = len(words)
    while len(words) > 1 and _mark_in(words[-1]) is not None:
        words.pop()
    if len(words) < count and len(words) > 1 and words[-1].lower() in _BESIDE_CURRENCY:
        words.pop()
    return tuple(without_accents(folded(word).translate(_LETTERS)) for word in words)


def _tokens(heading: str) -> list[str]:
    text = _CAMEL.sub(" ", heading[:_LONGEST]).replace("_", " ")
    return _WORD.findall(text) or text.split()


def _mark_in(word: str) -> Mark | None:
    if word.isupper() and word in CODES:
        return mark_of(word)
    is_name = not word.isalpha() or word.lower() in _SMALL or word.lower().startswith("euro")
    return mark_of(word) if is_name and not word.isdigit() else None


def marks_in(heading: str) -> set[Mark]:
    """The currencies that a heading such as "Betrag in USD" or "Amount (€)" states."""
    words = _tokens(heading)
    return {mark for word in words if len(words) > 1 and (mark := _mark_in(word)) is not None}


def currency_in(heading: str) -> str | None:
    """The only currency that a heading states, if it can be no other."""
    marks = marks_in(heading)
    return marks.pop().currency if len(marks) == 1 else None


#: Role of a column -> headings, or parts of headings, that name it.
_WORDS = {
    role: frozenset(map(heading_words, texts))
    for role, texts in read_words("headings.toml").items()
}
_DENIES, _MINOR_UNITS = _WORDS.pop("denial"), _WORDS.pop("minor_units")


def role_fit(role: str, heading: str) -> int:
    """2 if the heading is known to say it, 1 if a part of the heading says it, else 0."""
    words = heading_words(heading)
    if not words:
        return 0
    phrases = _WORDS[role]
    if words in phrases:
        return 2
    parts = (
        words[start:end]
        for start in range(len(words))
        for end in range(start + 1, min(start + 4, len(words)) + 1)
    )
    return int(any(len(part[0]) > 2 and part in phrases for part in parts))


def known_headings(headings: Sequence[str]) -> int:
    """How many of them are known to say what their column is for."""
    return sum(any(role_fit(role, each) == 2 for role in _WORDS) for each in headings)


def denies(heading: str) -> bool:
    """Whether yes in this column means that the row is no money."""
    return any((word,) in _DENIES for word in heading_words(heading))


def in_minor_units(heading: str) -> bool:
    words = heading_words(heading)
    return any((word,) in _MINOR_UNITS for word in words) or words[-2:] in _MINOR_UNITS
