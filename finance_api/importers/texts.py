"""Texts of banks, without their padding, and in messages."""

from collections.abc import Iterable

from finance_api.values.text import clean, shown

#: How much of a value a message repeats, and how many names.
_QUOTED_LENGTH, _MOST = 60, 30
#: Advice about a file with a fault that no option works around.
ANOTHER_FILE = "download the file again, or in another format"


def one_line(*texts: str | None) -> str | None:
    """The texts with single spaces between their words; None for nothing."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None


def quoted(text: str) -> str:
    """``text`` in quotes, on one line, cut if it is long, what cannot be printed escaped."""
    cut = text if len(text) <= _QUOTED_LENGTH else text[: _QUOTED_LENGTH - 1] + "…"
    return f"'{shown(cut)}'"


def listed(names: Iterable[str]) -> str:
    """The names quoted, between commas; beyond so many only how many more there are."""
    names = list(names)
    text = ", ".join(quoted(name) for name in names[:_MOST])
    return f"{text} and {len(names) - _MOST} more" if len(names) > _MOST else text
