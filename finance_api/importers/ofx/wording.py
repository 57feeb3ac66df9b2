"""Text of a bank, without its padding."""

from finance_api.importers.ofx.element import Element
from finance_api.values.text import clean, clean_or_none

#: What the format allows for an identifier at most (FITID, A-255); it goes into an index.
MAX_IDENTIFIER_LENGTH = 255


def note_of(leaf: Element | None) -> str | None:
    """The leaf's text without white space around it; None for nothing."""
    text = clean_or_none(leaf.text) if leaf else None
    return text.strip() if text else None


def name_of(leaf: Element | None) -> str | None:
    """As `note_of`, on one line."""
    text = note_of(leaf)
    if text is None or "\n" not in text:
        return text
    return " ".join(filter(None, map(str.strip, text.split("\n"))))


def identifier_of(leaf: Element | None) -> str | None:
    """The leaf's text, refused if it is too long for an identifier."""
    if not leaf:
        return None
    if len(leaf.text) > MAX_IDENTIFIER_LENGTH:
        raise leaf.refused(f"is longer than {MAX_IDENTIFIER_LENGTH} characters")
    return clean(leaf.text).strip() or None
