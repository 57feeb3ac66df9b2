"""Finds which of many keywords a text contains, in one pass over the text."""

from bisect import bisect_right
from collections.abc import Iterable

#: A place in a text is only looked at if it begins with this many letters of a keyword.
_HEAD = 5


class Keywords:
    """A set of keywords, sorted once. The time for a text hardly depends on their number.

    Keywords that begin at one place of a text are prefixes of each other. The longest of them is
    the last keyword that sorts before the rest of the text, or a prefix of that keyword.
    """

    def __init__(self, keywords: Iterable[str]) -> None:
        self._sorted = sorted({keyword for keyword in keywords if keyword})
        #: Keyword -> the longest other keyword that it begins with, or "".
        self._shorter: dict[str, str] = {}
        #: Keyword -> a much shorter one that it begins with, or "": jump pointers, by which a
        #: search looks at a few of the keywords that one begins with.
        self._far: dict[str, str] = {"": ""}
        depths = {"": 0}
        #: The beginnings of the keywords, by length.
        self._heads: dict[int, set[str]] = {}
        outer: list[str] = []
        for keyword in self._sorted:
            while outer and not keyword.startswith(outer[-1]):
                outer.pop()
            shorter = self._shorter[keyword] = outer[-1] if outer else ""
            far = self._far[shorter]
            step = depths[far] - depths[self._far[far]]
            is_equal = depths[shorter] - depths[far] == step
            self._far[keyword] = self._far[far] if is_equal else shorter
            depths[keyword] = depths[shorter] + 1
            outer.append(keyword)
            size = min(len(keyword), _HEAD)
            self._heads.setdefault(size, set()).add(keyword[:size])
        self._longest = max(map(len, self._sorted), default=0)

    def found_in(self, text: str) -> set[str]:
        """Return the keywords that the text contains; they may overlap."""
        found: set[str] = set()
        for size, heads in self._heads.items():
            parts = [text[begin : begin + size] for begin in range(len(text))]
            if not heads.isdisjoint(parts):
                for begin, part in enumerate(parts):
                    if part in heads:
                        self._add(text[begin : begin + self._longest], found)
        return found

    def _add(self, rest: str, found: set[str]) -> None:
        """Add the keywords with which ``rest`` begins."""
        keyword = self._sorted[bisect_right(self._sorted, rest) - 1]
        while not rest.startswith(keyword):
            far = self._far[keyword]
            keyword = self._shorter[keyword] if rest.startswith(far) else far
        # If a keyword was found before, so were its prefixes.
        while keyword and keyword not in found:
            found.add(keyword)
            keyword = self._shorter[keyword]
