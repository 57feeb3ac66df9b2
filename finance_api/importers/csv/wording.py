"""Text of the file in messages: quoted, on one line, and short."""

from collections.abc import Iterable

from finance_api.values.text import shown

_LONGEST = 60
_MOST = 30


def quoted(text: str) -> str:
    """``text`` in quotes, cut to 60 characters, what cannot be printed escaped."""
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"'{shown(cut)}'"


def listed(names: Iterable[str]) -> str:
    """The names quoted, between commas; after 30 only how many more there are."""
    names = list(names)
    text = ", ".join(quoted(name) for name in names[:_MOST])
    return f"{text} and {len(names) - _MOST} more" if len(names) > _MOST else text
