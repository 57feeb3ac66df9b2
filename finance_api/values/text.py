"""Text as it is stored and compared: Unicode NFC, without control characters."""

import re
import unicodedata

#: Control characters (Unicode category Cc) except tab and newline.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


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
        return unicodedata.normalize("NFC", text)
    if "\x00" in text:
        raise TextError("contains a NUL character")
    if _SURROGATES.search(text):
        raise TextError("contains half of a surrogate pair")
    return unicodedata.normalize("NFC", _CONTROLS.sub("", text))


def clean_or_none(text: str) -> str | None:
    """As `clean`; text of nothing but white space becomes None."""
    if not (text.isascii() and text.isprintable()):
        text = clean(text)
    return None if not text or text.isspace() else text


def fold(text: str) -> str:
    """The form in which texts that differ only by case are equal (full Unicode casefold)."""
    return text.lower() if text.isascii() else text.casefold()
