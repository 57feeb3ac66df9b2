"""The fields, and how a heading row names their columns."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import listed, quoted
from finance_api.values.text import fold

#: Field -> its other names. A column with one of these headings maps by itself.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "recordDate": ("date",),
    "amount": (),
    "payee": (),
    "note": (),
    "category": (),
    "labels": (),
    "id": ("sourceId",),
    "account": ("accountName",),
    "accountNumber": (),
    "currency": ("currencyCode",),
    "paymentType": (),
    "valueDate": (),
    "counterpartyAccount": (),
    "reference": (),
    "originalAmount": (),
    "originalCurrencyCode": (),
}
FIELD_NAMES = {fold(name): field for field, more in FIELDS.items() for name in (field, *more)}
#: Fields that may be made of several columns, joined by one space.
JOINED = frozenset(("recordDate", "payee", "note", "category", "labels", "reference", "account"))

# The nearest heading is looked for among this many headings, in this many characters of each:
# difflib takes quadratic time.
_COMPARED = 100


def field_of(name: str) -> str:
    """Return the field that ``--map`` names, else ``name`` itself."""
    return FIELD_NAMES.get(fold(name.strip()), name)


#: Field, or "debit", "credit", "sign", "balance", "fee" -> the indexes of its columns.
Columns = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Headings:
    """The heading row, or the first row of a file without one.

    texts: the trimmed headings; None if the file has none, so that columns go by number.
    line: where the headings stand, for messages.
    """

    texts: Sequence[str] | None
    width: int
    line: int

    def position(self, option: str, column: str) -> int:
        """Return the index of the column that ``option`` names. Raises ImportRefused."""
        headings = self.texts
        places = [i for i, heading in enumerate(headings or ()) if heading == column]
        if not places:
            key = folded(column)
            places = [i for i, text in enumerate(headings or ()) if text and folded(text) == key]
        if len(places) > 1:
            numbers = ", ".join(str(i + 1) for i in places)
            raise ImportRefused(
                f"{option}: several columns have the heading {quoted(column)}; say which one by "
                f"its number: {numbers}",
                self.line,
            )
        if places:
            return places[0]
        if column.isascii() and column.isdigit() and len(column) < 9:
            if 1 <= int(column) <= self.width:
                return int(column) - 1
            raise ImportRefused(
                f"{option}: there is no column {column}, only {self.width}", self.line
            )
        if headings is None:
            raise ImportRefused(
                f"{option}: with --no-header, give a column by its number, counted from 1, not as "
                f"{quoted(column)}"
            )
        near = difflib.get_close_matches(
            column[:_COMPARED], [heading[:_COMPARED] for heading in headings[:_COMPARED]], n=1
        )
        raise ImportRefused(
            f"{option}: there is no heading {quoted(column)}"
            + (f", did you mean {quoted(near[0])}?" if near else "")
            + f"; {self.found()}",
            self.line,
        )

    def position_and_rest(self, option: str, text: str) -> tuple[int, str | None]:
        """Split ``COLUMN`` or ``COLUMN=REST``; each may have further equals signs."""
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
        """The heading of a column, "" without one."""
        return "" if self.texts is None else self.texts[index]

    def named(self, index: int) -> str:
        """Name the column for an option: by its heading, or its number from 1."""
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
