"""Text as it is stored and compared, Unicode NFC without control characters; and in messages."""

import re
import unicodedata
from itertools import groupby

#: Control characters (Unicode category Cc) except tab and newline.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Account numbers that no two banks give (ISO 13616).
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_SURROGATES = re.compile("[\ud800-\udfff]")
#: A longer text has its marks put in order before they are composed.
_ORDERED_LENGTH = 200


class TextError(ValueError):
    """The text cannot be stored; the message says why."""


def clean(text: str) -> str:
    """``text`` in NFC; tab and newline are kept, other control characters dropped.

    Raises TextError for NUL and for half of a surrogate pair, which no storage can hold.
    """
    if text.isascii() and text.isprintable():
        return text
    if text.isprintable():
        # Neither controls nor surrogates are.
        return _composed(text)
    if "\x00" in text:
        raise TextError("contains a NUL character")
    if _SURROGATES.search(text):
        raise TextError("contains half of a surrogate pair")
    return _composed(_CONTROLS.sub("", text))


def _composed(text: str) -> str:
    """NFC. Python takes quadratic time to put many marks of one letter in their order."""
    if len(text) > _ORDERED_LENGTH:
        decomposed = "".join([unicodedata.normalize("NFD", character) for character in text])
        runs = groupby(decomposed, lambda character: unicodedata.combining(character) > 0)
        text = "".join([c for _, run in runs for c in sorted(run, key=unicodedata.combining)])
    return unicodedata.normalize("NFC", text)


def shown(text: str) -> str:
    """``text`` on one line of a message, what cannot be printed escaped: it can forge nothing.

    Not printable are controls, line breaks, marks of direction, and halves of surrogate pairs.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def clean_or_none(text: str) -> str | None:
    """As `clean`; text of nothing but white space becomes None."""
    if not (text.isascii() and text.isprintable()):
        text = clean(text)
    return None if not text or text.isspace() else text


def fold(text: str) -> str:
    """The form in which texts that differ only by case are equal (full Unicode casefold)."""
    return text.lower() if text.isascii() else text.casefold()


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 row``, ``2,000 rows``. many: where it is not ``one`` and an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def compact(number: str) -> str:
    """An account number as it is compared: without blanks, in upper case."""
    return "".join(number.split()).upper()


def is_iban(number: str) -> bool:
    """Whether a compact number has the form of an IBAN."""
    return _IBAN.fullmatch(number) is not None
