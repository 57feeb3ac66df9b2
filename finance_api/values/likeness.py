"""Names that are like a mistyped one."""

from collections.abc import Iterable
from difflib import get_close_matches

from finance_api.values.text import fold


def near_names(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that the user may have meant, nearest first."""
    by_folded = {fold(name): name for name in names}
    return [by_folded[near] for near in get_close_matches(fold(text), by_folded, n=3, cutoff=0.6)]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: similar names, if there are any."""
    near = near_names(text, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""
