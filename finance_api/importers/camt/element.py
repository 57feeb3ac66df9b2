"""The elements of a camt file."""

from collections.abc import Iterator
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import ANOTHER_FILE, one_line, quoted


class Element:
    """One element with what it holds.

    name: without its namespace's prefix. text: of a leaf, without white space around it.
    currency: its attribute Ccy. line: where it begins in the file, from 1.
    parts: what was made of the transactions in it, which are not among its children.
    """

    __slots__ = ("children", "currency", "line", "name", "parts", "text")

    def __init__(self, name: str, line: int, currency: str | None = None) -> None:
        self.name = name
        self.line = line
        self.currency = currency
        self.text = ""
        self.children: list[Element] = []
        self.parts: list[Any] = []

    def all(self, *path: str) -> "Iterator[Element]":
        """Yield the elements at the path of names below it, in their order, without empty ones."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                elif child.text or child.children:
                    yield child

    def first(self, *paths: str) -> "Element | None":
        """The first one at the first of the paths, as ``A/B``, that leads to any."""
        for path in paths:
            found = next(self.all(*path.split("/")), None)
            if found is not None:
                return found
        return None

    def only(self, name: str) -> "Element":
        """The one child of the name. Raises ImportRefused."""
        found = [child for child in self.children if child.name == name]
        if len(found) != 1:
            raise self.refused(f"has {len(found) or 'no'} <{name}>")
        return found[0]

    def text_of(self, *paths: str) -> str | None:
        """The text of `first`, on one line."""
        found = self.first(*paths)
        return None if found is None else one_line(found.text)

    def refused(self, reason: str) -> ImportRefused:
        """The refusal of the file because of this element: its name, the text, the reason."""
        value = f"{quoted(self.text)} " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)
