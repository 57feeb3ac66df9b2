"""The elements of an OFX file: aggregates, which have children, and leaves, which have text."""

from collections.abc import Collection, Iterator, Sequence

from finance_api.importers.interface import ImportRefused

#: How much of a faulty value a refusal repeats.
_QUOTED_LENGTH = 40


class Element:
    """One tag with what it holds.

    name: in upper case. line: where its tag is, from 1. text: of a leaf, without white space
    around it; empty for an aggregate.
    """

    __slots__ = ("children", "line", "name", "text")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.text = ""
        # Most elements are leaves; a list for each would be half of what a file takes.
        self.children: Sequence[Element] = ()

    def adopt(self, children: "Sequence[Element]") -> None:
        """Puts ``children`` behind its own."""
        if isinstance(self.children, list):
            self.children.extend(children)
        elif children:
            self.children = list(children)

    def child(self, *names: str) -> "Element | None":
        """The first child of one of these names, the first name first; empty leaves count not."""
        for name in names:
            for child in self.children:
                if child.name == name and (child.text or child.children):
                    return child
        return None

    def descendants(self, *, closed: Collection[str] = ()) -> Iterator["Element"]:
        """All elements below it in the order of the file; not into those named in ``closed``."""
        pending = list(reversed(self.children))
        while pending:
            element = pending.pop()
            yield element
            if element.children and element.name not in closed:
                pending.extend(reversed(element.children))

    def first(self, *names: str, closed: Collection[str] = ()) -> "Element | None":
        """The first descendant of one of these names that is not empty."""
        for element in self.descendants(closed=closed):
            if element.name in names and (element.text or element.children):
                return element
        return None

    def refused(self, reason: str) -> ImportRefused:
        """The refusal of the file because of this element: its tag, the text, the reason."""
        value = quoted(self.text) + " " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}", self.line)


def quoted(text: str) -> str:
    """``text`` for a message: on one line, and cut if it is long."""
    shown = text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"
    return repr(shown)
