"""Texts of banks, without their padding."""

from finance_api.values.text import clean, shown

#: How much of a faulty value a refusal repeats.
_QUOTED_LENGTH = 40
#: What to do about a file with a fault that no option mends.
ANOTHER_FILE = "download the file again, or in another format"


def one_line(*texts: str | None) -> str | None:
    """The texts with single spaces between their words; None for nothing."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None


def quoted(text: str) -> str:
    """``text`` for a message: on one line, and cut if it is long."""
    cut = text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"
    return shown(f"'{cut}'")
