"""A profile: how a known layout of CSV files is recognised, and what its columns mean."""

import csv
import io
import re
from collections import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.table import filled
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CODES

#: A heading row of fewer columns selects no profile by itself.
FEWEST_COLUMNS = 4
#: At most this many different cells are remembered.
REMEMBERED = 100
#: In a heading, this stands for any ISO 4217 code; as a profile's currency, for the code in the
#: file's heading.
CODE = "{currency}"


class Words:
    """Words that cells are compared with, folded; ``X*`` matches all cells that begin with X."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = frozenset(folded(word) for word in words if not word.endswith("*"))
        self._beginnings = tuple(folded(word[:-1]) for word in words if word.endswith("*"))
        #: How well a cell fits: 0 for not at all, more for a longer beginning, most for a word.
        self.fit: Callable[[str], int] = lru_cache(REMEMBERED)(self._fit)

    def __contains__(self, cell: str) -> bool:
        return self.fit(cell) > 0

    def _fit(self, cell: str) -> int:
        text = folded(cell)
        if text in self._words:
            return len(text) + 2
        return max((len(b) + 1 for b in self._beginnings if text.startswith(b)), default=0)


def _is_zero(cell: str) -> bool:
    return not any(digit in cell for digit in "123456789")


#: Tests of a cell that a condition may name instead of words.
TESTS: abc.Mapping[str, Callable[[str], bool]] = {
    "blank": lambda cell: not cell.strip(),
    "filled": lambda cell: bool(cell.strip()),
    "zero": _is_zero,
    "nonzero": lambda cell: not _is_zero(cell),
}

#: Column -> a test of its cells; all tests must hold.
Condition = abc.Mapping[str, Callable[[str], bool]]
#: Field -> its columns; a field without columns stays empty.
Map = abc.Mapping[str, tuple[str, ...]]
#: Rows that are left out: their condition, and their name.
Rows = tuple[Condition, str]
#: Rows that are refused: their condition, the reason, and --only's values that leave them out.
Refused = tuple[Condition, str, tuple[str, ...]]


@dataclass(frozen=True)
class Selected:
    """Decides by the words in one column which rows are transactions. Other words are refused.

    keep: the words of rows that are transactions. leave_out: the words of rows that are not.
    proved: the words of rows that are transactions if the file has a balance column, which proves
    it. If there is no such column, these rows are left out if leave_out has their word, too, or
    else refused. If several words fit a cell, a whole word wins, or else the longest beginning.
    """

    keep: Words
    leave_out: Words
    proved: Words

    def keeps(self, cell: str, *, has_balance: bool) -> bool | None:
        """Return whether the row is a transaction; None if the cell does not decide it."""
        keep, leave_out, proved = (w.fit(cell) for w in (self.keep, self.leave_out, self.proved))
        if has_balance and proved:
            return True
        if proved > max(keep, leave_out) or not keep + leave_out:
            return None
        return keep > leave_out


@dataclass(frozen=True)
class Leg:
    """A movement of money that a row stands for if the leg's condition holds.

    when: the condition; empty: the leg is for rows for which no other leg's condition holds.
    positive: which way the money goes, "in" or "out"; None: the amount's sign says it.
    ignore_sign: whether the sign of the amount means nothing.
    currency: the code of the currency, if the amount's column implies it.
    map: the leg's own columns, where they differ from the profile's columns.
    """

    when: Condition = field(default_factory=dict)
    positive: str | None = None
    ignore_sign: bool = False
    currency: str = ""
    map: Map = field(default_factory=dict)


@dataclass(frozen=True)
class HeadingRow:
    """A heading row of a profile.

    texts: folded headings, without blank ones at the end. names: the profile's column names.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]

    def match(self, headings: Sequence[str], begins: bool) -> str | None:
        """Return the currency in the folded headings, or ""; None if this row does not match."""
        if len(headings) < len(self.texts) or not (begins or len(headings) == len(self.texts)):
            return None
        codes = set()
        for text, heading in zip(self.texts, headings, strict=False):
            if text == heading:
                continue
            if CODE not in text:
                return None
            start, _, end = text.partition(CODE)
            code = heading[len(start) : len(heading) - len(end)].upper()
            if code not in CODES or text.replace(CODE, folded(code)) != heading:
                return None
            codes.add(code)
        return None if len(codes) > 1 else "".join(codes)


@dataclass(frozen=True)
class Profile:
    """The content of a TOML file; docs/importing.md, "Profiles", has the keys.

    mapping: the options for every file, including the columns of fields. text: the TOML file.
    currencies: the likely currencies of a new account, for headings of banks in several countries.
    date_order: "DMY" or "MDY" if dates do not begin with the year; "": the file decides.
    headless: whether a file without headings has these columns if it has as many, by name only.
    otherwise: a name for rows without a leg, which are left out; "": such rows are refused.
    partial: whether the mapping only has answers; the file's content decides the rest.
    apostrophes: whether an apostrophe stands before what a spreadsheet would take for a formula.
    """

    name: str
    text: str
    title: str
    version: int
    headings: tuple[HeadingRow, ...]
    mapping: Mapping
    source: str = ""
    lost: str = ""
    begins: bool = False
    by_name_only: bool = False
    headless: bool = False
    partial: bool = False
    date_order: str = ""
    only: abc.Mapping[str, Selected] = field(default_factory=dict)
    legs: tuple[Leg, ...] = ()
    otherwise: str = ""
    leave_out: tuple[Rows, ...] = ()
    refuse: tuple[Refused, ...] = ()
    opening: Condition = field(default_factory=dict)
    currencies: tuple[str, ...] = ()
    fill_down: tuple[str, ...] = ()
    equal: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    ignore: tuple[str, ...] = ()
    trailer: Words = field(default_factory=lambda: Words(()))
    preamble: abc.Mapping[str, Words] = field(default_factory=dict)
    payment_types: abc.Mapping[str, str] = field(default_factory=dict)
    category_separator: str = " "
    account_prefix: str = ""
    missing_cells: int = 0
    extra_cells: bool = False
    apostrophes: bool = False

    @property
    def map(self) -> Map:
        """Return field -> its columns; no columns for a field that stays empty."""
        return {name: tuple(columns) for name, columns in self.mapping.columns.items()}

    @property
    def says_direction(self) -> bool:
        """Whether the legs say which way money goes."""
        return any(leg.positive is not None for leg in self.legs)

    def match(self, headings: Headings) -> "Match | None":
        """Return the match of a file's heading row; None if the profile has no such row."""
        for row in self.headings:
            code = row.match(headings.folded, self.begins)
            if code is not None:
                names = row.names + headings.folded[len(row.names) :]
                return Match(self, names + ("",) * (headings.width - len(names)), code)
        return None

    def match_width(self, width: int) -> "Match | None":
        """Return the match of a file without headings; None if it has other columns."""
        names = (row.names for row in self.headings if self.headless and len(row.names) == width)
        return next((Match(self, each, "") for each in names), None)


@dataclass(frozen=True)
class Match:
    """A profile that fits the heading row of a file.

    names: the profile's names for the file's columns, folded. code: the currency in the headings.
    """

    profile: Profile
    names: tuple[str, ...]
    code: str

    def index(self, column: str) -> int | None:
        """Return the index of a column, by name or number from 1; None if this file lacks it."""
        name = folded(column)
        if name in self.names:
            return self.names.index(name)
        if re.fullmatch("[1-9][0-9]{0,3}", column) and int(column) <= len(self.names):
            return int(column) - 1
        return None

    def column_and_rest(self, option: str, text: str) -> tuple[int, str | None]:
        """Split ``COLUMN`` or ``COLUMN=REST``. Raises ImportRefused for an unknown column."""
        parts = text.split("=")
        for count in range(len(parts), 0, -1):
            index = self.index("=".join(parts[:count]).strip())
            if index is not None:
                return index, "=".join(parts[count:]) if count < len(parts) else None
        raise ImportRefused(f"{option}: a heading row has no column {quoted(text)}")

    def stated(self, headings: Headings) -> dict[str, Any]:
        """Return the profile's mapping as JSON; columns have their names in this file."""
        profile, options = self.profile, self.profile.mapping.stated()
        columns = {
            name: [headings.named(index) for index in self.indexes(named)]
            for name, named in profile.map.items()
            if name != "amount" or not profile.says_direction
        }
        options["columns"] = {name: named for name, named in columns.items() if named}
        if profile.partial:
            options["columns"] |= {name: [""] for name, named in profile.map.items() if not named}
            for name in ("ignore", "fill_down"):
                indexes = self.indexes(getattr(profile, name))
                options[name] = [headings.named(index) for index in indexes]
        if self.index(options.get("balance", "")) is None:
            options.pop("balance", None)
        if options.get("currency") == CODE:
            options["currency"] = self.code or None
        for option in options.keys() & {"debit", "credit", "balance", "sign"}:
            options[option] = self._named(option, options[option], headings)
        for option in options.keys() & {"fee", "only", "leave_out"}:
            options[option] = [self._named(option, each, headings) for each in options[option]]
        return {option: value for option, value in options.items() if value is not None}

    def _named(self, option: str, value: str, headings: Headings) -> str:
        index, rest = self.column_and_rest(option, value)
        return headings.named(index) + ("" if rest is None else f"={rest}")

    def indexes(self, columns: Sequence[str]) -> tuple[int, ...]:
        return tuple(i for column in columns if (i := self.index(column)) is not None)


def parse_headings(line: str) -> tuple[str, ...]:
    """Parse a line of headings that is separated by commas, and quoted as in a file.

    Raises csv.Error.
    """
    headings = next(csv.reader(io.StringIO(line, newline=""), strict=True), [])
    return tuple(map(folded, headings[: filled(headings)]))


def shown(profile: Profile) -> str:
    """Return the profile's name and version for a message."""
    return f"{quoted(profile.name)} (version {profile.version})"
