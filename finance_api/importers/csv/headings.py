"""The headings of a table: the names by which a mapping finds its columns."""

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from finance_api.importers.clauses import Option, Topic, clause
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused, listed, quoted

# The most similar heading is looked for among only this many headings, and in only this many
# characters of each, because difflib takes quadratic time.
_COMPARED = 100


@dataclass(frozen=True)
class Headings:
    """The heading row, or the first row of a file without headings.

    texts: the trimmed headings; None if the file has none: then options name columns by number.
    line: the line of the headings, for messages.
    """

    texts: Sequence[str] | None
    width: int
    line: int

    def position(self, option: Option, column: str) -> int:
        """Return the index of the column that ``option`` names. Raises ImportRefused."""
        headings = self.texts
        places = [i for i, heading in enumerate(headings or ()) if heading == column]
        if not places:
            key = folded(column)
            places = [i for i, text in enumerate(headings or ()) if text and folded(text) == key]
        is_number = column.isascii() and column.isdigit() and len(column) < 9
        if not places and is_number and 1 <= int(column) <= self.width:
            return int(column) - 1
        if len(places) == 1:
            return places[0]
        if places:
            numbers = ", ".join(str(i + 1) for i in places)
            fault = f"several columns have the heading {quoted(column)}; say which one by its "
            fault += f"number: {numbers}"
        elif is_number:
            fault = f"there is no column {column}, only {self.width}"
        elif headings is None:
            raise ImportRefused(clause(Topic.NUMBERS_ONLY, named=option, column=column))
        else:
            names = [heading[:_COMPARED] for heading in headings[:_COMPARED]]
            near = difflib.get_close_matches(column[:_COMPARED], names, n=1)
            meant = f", did you mean {quoted(near[0])}?" if near else ""
            fault = f"there is no heading {quoted(column)}{meant}; {self.found()}"
        raise ImportRefused(clause(Topic.OPTION_HAS_FAULT, named=option, fault=fault), self.line)

    def position_and_rest(self, option: Option, text: str) -> tuple[int, str | None]:
        """Split ``COLUMN`` or ``COLUMN=REST``; either part may contain equals signs itself.

        Return the column's index and the rest. Raises ImportRefused.
        """
        parts = text.split("=")
        refusals = []
        for count in (len(parts), *range(1, len(parts))):
            try:
                column = self.position(option, "=".join(parts[:count]).strip())
            except ImportRefused as refused:
                refusals.append(refused)
            else:
                return column, "=".join(parts[count:]) if count < len(parts) else None
        # Raise the refusal for the shortest name that may be meant.
        raise refusals[:2][-1]

    def text(self, index: int) -> str:
        """Return the heading of a column; "" if it has none, as derived columns."""
        return self.texts[index] if self.texts is not None and index < len(self.texts) else ""

    def named(self, index: int) -> str:
        """Return the column's name for an option: its heading if it is unique, else its number."""
        text = self.text(index)
        is_name = bool(text) and "\n" not in text and len(text) <= 60
        return text if is_name and self._counts[folded(text)] == 1 else str(index + 1)

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(map(folded, self.texts or ()))

    def found(self) -> str:
        if self.texts is None:
            return "give columns by their numbers, counted from 1"
        return f"the headings are {listed(heading for heading in self.texts if heading)}"
