"""Chooses the keyword for a rule from similar texts, as a person would."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from finance_api.values.text import fold

_WORD = re.compile(r"[^\s*/|,;]+")
#: Words that precede the merchant's name: payment methods and payment services.
_BEFORE_MERCHANT = frozenset(
    "paypal sumup sq zettle izettle klarna stripe visa mastercard maestro girocard card debit "
    "credit pos payment purchase kartenzahlung lastschrift".split()
)
#: Words for kinds of shops, folded. They name no merchant without the word that follows.
_KINDS_OF_SHOPS = frozenset(
    "apotheke autohaus bar bakery bäckerei boucherie boulangerie cafe café caffe cantina "
    "cinema coffee farmacia farmácia feira garage gasthaus gasthof hotel imbiss kino kiosk kiosque "
    "konditorei market marché markt mercado mercato metzgerei padaria panaderia panadería parking "
    "parkhaus pharmacie pharmacy piekarnia pizzeria posto pub restaurace restaurant restaurante "
    "ristorante sklep shop store studio supermarché supermarket supermarkt supermercado "
    "supermercato taverna taxi tankstelle tienda trattoria wirtshaus".split()
)
#: Words with at least this many digits are terminal numbers or dates.
_DIGITS_OF_NUMBERS = 3
#: A keyword with fewer letters gets another word if most texts share that word.
_LETTERS = 4
#: If there is no similar text, the keyword has at most this many words.
_WORDS_ALONE = 3


class _Word(NamedTuple):
    start: int
    end: int
    folded: str

    @property
    def is_number(self) -> bool:
        digits = sum(letter.isdigit() for letter in self.folded)
        return digits >= _DIGITS_OF_NUMBERS or digits * 2 >= len(self.folded)


def _words(text: str) -> list[_Word]:
    found = _WORD.finditer(text)
    words = [_Word(each.start(), each.end(), fold(each[0])) for each in found]
    return [word for word in words if any(letter.isalnum() for letter in word.folded)]


def _first(words: list[_Word]) -> int:
    """Return the index of the merchant's first word."""
    names = [at for at, word in enumerate(words) if not word.is_number]
    merchants = [at for at in names if words[at].folded.strip(".:") not in _BEFORE_MERCHANT]
    return (merchants or names or [0])[0]


def _is_kind(words: list[_Word]) -> bool:
    """Return whether the words name a kind of shop: ``Mercado da``, without its name."""
    names = [word for word in words if word.folded not in _KINDS_OF_SHOPS]
    return len(names) < len(words) and all(len(word.folded) < _LETTERS for word in names)


def first_word(text: str) -> str:
    """Return the merchant's first word, folded, to find similar texts; "" if there is no word."""
    words = _words(text)
    return words[_first(words)].folded if words else ""


def keyword_of(text: str, others: Mapping[str, int]) -> str:
    """Return the merchant's part of a payee: its longest run of shared words, without numbers.

    text: the payee. others: the user's payees that contain the `first_word` of the text, each with
    the number of its records.
    """
    words = _words(text)
    if not words:
        return text.strip()
    first = _first(words)
    head = words[first]
    alike = [
        (fold(other), records)
        for other, records in others.items()
        if head.folded in (word.folded for word in _words(other))
    ]
    number = sum(records for _, records in alike)
    last = first
    while last + 1 < len(words) and not words[last + 1].is_number:
        run = fold(text[head.start : words[last + 1].end])
        shared = sum(records for other, records in alike if run in other)
        letters = sum(letter.isalpha() for letter in text[head.start : words[last].end])
        is_usual = letters < _LETTERS and shared * 2 > number
        is_alone = number <= 1 and last + 1 - first < _WORDS_ALONE
        is_shared = number > 1 and shared == number
        if not (is_usual or is_alone or is_shared or _is_kind(words[first : last + 1])):
            break
        last += 1
    return text[head.start : words[last].end]
