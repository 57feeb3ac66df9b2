"""The elements of an OFX file: aggregates, which have children, and leaves, which have text."""

from collections.abc import Collection, Sequence

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import ANOTHER_FILE, quoted


class Element:
    """One tag with what it holds.

    name: in upper case. line: where its tag is, from 1. text: of a leaf, without white space
    around it; empty for an aggregate. had_transactions: whether STMTTRNs stood in it that are
    not among its children.
    """

    __slots__ = ("children", "had_transactions", "line", "name", "text")

    def __init__(self, name: str, line: int, text: str = "") -> None:
        self.name = name
        self.line = line
        self.text = text
        self.children: list[Element] = []
        self.had_transactions = False

    def child(self, name: str) -> "Element | None":
        """The first child of the name that is not empty."""
        return self.by_name().get(name)

    def by_name(self) -> "dict[str, Element]":
        """Its children that are not empty: of each name the first."""
        return {c.name: c for c in reversed(self.children) if c.text or c.children}

    def descendants(self, *, closed: Collection[str] = ()) -> "Sequence[Element]":
        """All elements below it in the order of the file; not into those named in ``closed``."""
        if not any(child.children for child in self.children):
            return self.children
        found = []
        pending = list(reversed(self.children))
        while pending:
            element = pending.pop()
            found.append(element)
            if element.children and element.name not in closed:
                pending.extend(reversed(element.children))
        return found

    def first(self, *names: str, closed: Collection[str] = ()) -> "Element | None":
        """The first descendant of one of these names that is not empty."""
        for element in self.descendants(closed=closed):
            if element.name in names and (element.text or element.children):
                return element
        return None

    def refused(self, reason: str) -> ImportRefused:
        """The refusal of the file because of this element: its tag, the text, the reason."""
        value = quoted(self.text) + " " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)
