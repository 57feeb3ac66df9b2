"""Cleans and compares text (Unicode NFC, no control characters), and writes parts of messages.

In messages, numbers and days are written plainly; on pages, as people of a region write them.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

if TYPE_CHECKING:
    # Commands start faster without the data of all regions.
    from finance_api.values.regions import Region

#: Control characters (Unicode category Cc) except tab and newline.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: The form of an IBAN (ISO 13616): account numbers that are unique among all banks.
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_SURROGATES = re.compile("[\ud800-\udfff]")
#: In texts longer than this, combining marks are sorted before they are composed.
_ORDERED_LENGTH = 200


class TextError(ValueError):
    """The text cannot be stored; the message says why."""


def clean(text: str) -> str:
    """Return ``text`` in NFC. Keeps tab and newline, and drops other control characters.

    Raises TextError for NUL and for half a surrogate pair, which no storage can store.
    """
    if text.isascii() and text.isprintable():
        return text
    if text.isprintable():
        # Printable text has neither controls nor surrogates, so only compose it.
        return _composed(text)
    if "\x00" in text:
        raise TextError("contains a NUL character")
    if _SURROGATES.search(text):
        raise TextError("contains half of a surrogate pair")
    return _composed(_CONTROLS.sub("", text))


def _composed(text: str) -> str:
    """Return NFC, in a way that avoids Python's quadratic time for many marks on one letter."""
    if len(text) > _ORDERED_LENGTH:
        decomposed = "".join([unicodedata.normalize("NFD", character) for character in text])
        runs = groupby(decomposed, lambda character: unicodedata.combining(character) > 0)
        text = "".join([c for _, run in runs for c in sorted(run, key=unicodedata.combining)])
    return unicodedata.normalize("NFC", text)


def shown(text: str) -> str:
    """Return ``text`` on one line. Escape unprintable characters, so that it cannot forge output.

    Controls, line breaks, marks of direction and halves of surrogate pairs are unprintable.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def clean_or_none(text: str) -> str | None:
    """Return the text as `clean` does, or None if it is nothing but white space."""
    if not (text.isascii() and text.isprintable()):
        text = clean(text)
    return None if not text or text.isspace() else text


def fold(text: str) -> str:
    """Return a form that is equal for texts that differ only by case (full Unicode casefold)."""
    return text.lower() if text.isascii() else text.casefold()


#: Letters that Unicode does not decompose.
_PLAIN_LETTERS = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}


def _without_accents() -> dict[int, str]:
    """Return a table for `str.translate` that removes the accents: the marks U+0300 to U+036F."""
    table = {}
    for letter in map(chr, range(0xC0, 0x2000)):
        parts = unicodedata.normalize("NFD", letter)
        kept = "".join([part for part in parts if not "\u0300" <= part <= "\u036f"])
        if kept != parts:
            table[letter] = unicodedata.normalize("NFC", kept)
    return str.maketrans(table | _PLAIN_LETTERS)


_PLAIN = _without_accents()


def plain(text: str) -> str:
    """Return a form that is equal for texts that differ only by case and accents.

    Each character is replaced separately, so the form of a text contains the forms of its parts.
    """
    return text.lower() if text.isascii() else text.casefold().translate(_PLAIN)


#: A count, a day or an amount in a text: its value, and the least decimals of an amount. Other
#: texts have no NUL; see `clean` and `shown`.
_MARK = re.compile("\0([cda])(-?[0-9]+),([0-9])\0")


class Message(str):
    """A text for people, plain as commands and the API write it; pages write it `in_region`.

    marked: the text with marks in place of the counts, days and amounts. ``str()`` of a message,
    or of an exception with a message, is the message; all other methods return plain texts.
    """

    marked: str

    def __str__(self) -> str:
        return self


def message(marked: str) -> Message:
    """Make a message of a text with marks, such as ``f"more than {count_text(most)} rows"``."""
    if isinstance(marked, Message):
        return marked
    text = Message(_MARK.sub(_plain, marked))
    text.marked = marked
    return text


def _plain(mark: re.Match[str]) -> str:
    kind, value = mark[1], int(mark[2])
    return f"{value:,}" if kind == "c" else date_text(value) if kind == "d" else decimal_text(value)


def in_region(text: str, region: "Region") -> str:
    """Return the text; a message with numbers and days as people of the region write them."""

    def written(mark: re.Match[str]) -> str:
        kind, value = mark[1], int(mark[2])
        if kind == "a":
            return region.amount(value, int(mark[3]))
        return region.count(value) if kind == "c" else region.day(value)

    return _MARK.sub(written, text.marked) if isinstance(text, Message) else text


def edited(text: str, edit: Callable[[str], str]) -> Message:
    """Return a message whose text, apart from numbers and days, a function changes."""
    return message(edit(text.marked if isinstance(text, Message) else text))


def count_text(number: int) -> str:
    """Mark a count: ``1,204``; on pages of some regions ``1.204``."""
    return f"\0c{number},0\0"


def day_text(seconds: int) -> str:
    """Mark a day: ``2026-11-26``; on pages, in the form of a region: ``26 Nov 2026``."""
    return f"\0d{seconds},0\0"


def amount_text(units: int, least_decimals: int = 2) -> str:
    """Mark ten-thousandths: ``-1204.5``; on pages, as in a region: ``−1,204.50``."""
    return f"\0a{units},{least_decimals}\0"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return ``1 row`` or ``2,000 rows``. many: the plural, if it is not ``one`` and an s."""
    return f"{count:,} {_word(count, one, many)}"


def counted_text(count: int, one: str, many: str | None = None) -> str:
    """Return the same as `counted`, with a mark for the count."""
    return f"{count_text(count)} {_word(count, one, many)}"


def _word(count: int, one: str, many: str | None) -> str:
    return one if count == 1 else many or one + "s"


def near_names(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that the user may have meant, nearest first."""
    by_folded = {fold(name): name for name in names}
    return [by_folded[near] for near in get_close_matches(fold(text), by_folded, n=3, cutoff=0.6)]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: similar names, if there are any."""
    near = near_names(text, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def compact(number: str) -> str:
    """Return an account number for comparison: without blanks, in upper case."""
    return "".join(number.split()).upper()


def is_iban(number: str) -> bool:
    """Whether a compact number has the form of an IBAN."""
    return _IBAN.fullmatch(number) is not None


def one_line(*texts: str | None) -> str | None:
    """Join the texts with single spaces between all words; None if there are no words."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None


# No stricter, as the mail system decides which texts around the @ are valid.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+")
_MAX_EMAIL_CHARACTERS = 254


class EmailRefused(ValueError):
    """The text is not an e-mail address."""


def normal_email(text: str) -> str:
    """Return the form of an e-mail address that is stored, in lower case. Raises EmailRefused."""
    try:
        email = clean(text.strip()).lower()
    except TextError as error:
        raise EmailRefused(f"an e-mail address that {error}") from None
    if not _EMAIL.fullmatch(email) or len(email) > _MAX_EMAIL_CHARACTERS:
        raise EmailRefused(f"{text!r} is not an e-mail address")
    return email
