"""The headings of a table: the names by which a mapping finds its columns, and what it finds."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from finance_api.importers.clauses import Clause, Option, Says, Topic, clause
from finance_api.importers.csv.mapping import FIELD_NAMES, Columns, Mapping
from finance_api.importers.csv.vocabulary import folded, role_fit
from finance_api.importers.interface import ImportRefused, quoted, wrong_option, wrong_value

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
            places = [i for i, text in enumerate(self.folded) if text and text == key]
        is_number = column.isascii() and column.isdigit() and len(column) < 9
        if not places and is_number and 1 <= int(column) <= self.width:
            return int(column) - 1
        if len(places) == 1:
            return places[0]
        if places:
            numbers = ", ".join(str(i + 1) for i in places)
            fault: Clause | str = (
                f"several columns have the heading {quoted(column)}; say which one by its "
                f"number: {numbers}"
            )
        elif is_number:
            fault = f"there is no column {column}, only {self.width}"
        elif headings is None:
            raise ImportRefused(clause(Topic.NUMBERS_ONLY, named=option, column=column))
        else:
            names = [heading[:_COMPARED] for heading in headings[:_COMPARED]]
            near = difflib.get_close_matches(column[:_COMPARED], names, n=1)
            meant = clause(Says.MEANT, heading=near[0]) if near else ""
            fault = clause(Says.NO_HEADING, column=column, meant=meant, headings=self.found())
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

    def fit(self, role: str, index: int) -> int:
        """Return how well the heading of a column fits the role, see `role_fit`."""
        return role_fit(role, self.text(index))

    def named(self, index: int) -> str:
        """Return the column's name for an option: its heading if it is unique, else its number."""
        text = self.text(index)
        is_name = bool(text) and "\n" not in text and len(text) <= 60
        return text if is_name and self._counts[folded(text)] == 1 else str(index + 1)

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The folded headings, without blank ones at the end; none if the file has no headings."""
        texts = [*map(folded, self.texts or ())]
        while texts and not texts[-1]:
            texts.pop()
        return tuple(texts)

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(self.folded)

    def found(self) -> Clause:
        if self.texts is None:
            return clause(Says.BY_NUMBER)
        return clause(Says.HEADINGS, headings=tuple(filter(None, self.texts)))


#: Column -> folded value -> the value as it was given.
Conditions = dict[int, dict[str, str]]


@dataclass(frozen=True)
class Bound:
    """The columns that a mapping names, by their indexes in a table.

    columns: as in `mapping.Columns`. sign_words: the words of ``--sign``, if it names any.
    fees: name in ``--fee`` -> its column, and whether its fees have signs, if the option says so.
    only, left_out: the conditions of ``--only`` and ``--leave-out``.
    """

    columns: Columns
    sign_words: str | None = None
    fees: AnyMapping[str, tuple[int, bool | None]] = field(default_factory=dict)
    only: Conditions = field(default_factory=dict)
    left_out: Conditions = field(default_factory=dict)
    ignored: frozenset[int] = frozenset()
    fill_down: tuple[int, ...] = ()


def bind(mapping: Mapping, headings: Headings, *, by_itself: bool = True) -> Bound:
    """Find the columns that the mapping names; for other fields, those whose heading is a name of
    the field.

    by_itself: whether headings count. Raises ImportRefused for a named column that is missing or
    ambiguous.
    """
    found: Columns = {}
    for name, columns in mapping.named.items():
        is_option = name in ("debit", "credit", "balance")
        option = Option(name) if is_option else Option("columns", name)
        found[name] = tuple(headings.position(option, column) for column in columns)
    if "debit" in found and found["debit"] == found["credit"]:
        raise ImportRefused(clause(Topic.SAME_COLUMN), headings.line)
    words = None
    if mapping.sign is not None:
        sign, words = headings.position_and_rest(Option("sign"), mapping.sign)
        found["sign"] = (sign,)
    fees: dict[str, tuple[int, bool | None]] = {}
    for fee in mapping.fee:
        name, found_fee = _fee(fee, headings)
        if fees.setdefault(name, found_fee) != found_fee:
            raise wrong_option(Option("fee"), f"{quoted(name)} is given twice")
    if fees:
        found["fee"] = tuple(column for column, _ in fees.values())
    ignored = frozenset(headings.position(Option("ignore"), name) for name in mapping.ignore)
    fill_down = tuple(headings.position(Option("fill_down"), name) for name in mapping.fill_down)
    only = _conditions("only", mapping.only, headings)
    left_out = _conditions("leave_out", mapping.leave_out, headings)
    others: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for index, heading in enumerate(headings.texts or () if by_itself else ()):
        name = FIELD_NAMES.get(folded(heading.rstrip(": ")), "")
        if name and name not in found and name not in mapping.unmapped:
            others[name] += (index,)
    return Bound(found | others, words, fees, only, left_out, ignored, fill_down)


def _fee(fee: str, headings: Headings) -> tuple[str, tuple[int, bool | None]]:
    column, kind = headings.position_and_rest(Option("fee"), fee)
    name = fee if kind is None else fee.removesuffix(f"={kind}")
    return name, (column, {"signed": True, "unsigned": False}.get(kind or ""))


def _conditions(option: str, conditions: Sequence[str], headings: Headings) -> Conditions:
    found: Conditions = {}
    for condition in conditions:
        column, value = headings.position_and_rest(Option(option), condition)
        if value is None:
            raise wrong_value(option, condition, "is not COLUMN=VALUE")
        found.setdefault(column, {})[folded(value)] = value
    return found
