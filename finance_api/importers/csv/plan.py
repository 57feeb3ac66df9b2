"""The plan for reading a table: the columns of its fields, its complete mapping, and, if it has a
profile, how its rows become movements of money.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.clauses import Option, Topic, clause
from finance_api.importers.csv.guess.column import Inferred
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.legs import ProfileRows
from finance_api.importers.csv.mapping import FIELD_NAMES, Columns, Mapping
from finance_api.importers.csv.profile import Profile
from finance_api.importers.csv.table import Table, filled
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import OWED, ImportRefused, nothing_remembered

#: Up to this many columns are searched for names of balances.
_TEXTS = 20


@dataclass(frozen=True)
class Plan:
    """How to read a table. inferred: the decisions made from the file's content.

    remembered: the mapping saved for the file. taken: the saved parts used because the user gave no
    such options. user_mapping: the options given now or saved. profile: the file's profile, if any.
    rows: makes the profile's rows, with derived cells, from the file's rows; None if the profile
    only has answers.
    last_year: see `Remembered`.
    """

    table: Table
    columns: Columns
    mapping: Mapping
    remembered: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, Any] = field(default_factory=dict)
    user_mapping: Mapping | None = None
    profile: Profile | None = None
    rows: ProfileRows | None = None
    inferred: Inferred = field(default_factory=Inferred)
    last_year: int = nothing_remembered.last_year

    @cached_property
    def headings(self) -> Headings:
        return self.table.names

    def indexes(self, *fields: str) -> list[int]:
        """Return the columns of these fields."""
        return [index for name in fields for index in self.columns.get(name, ())]

    @cached_property
    def amounts(self) -> list[int]:
        return self.indexes("amount", "debit", "credit")

    @cached_property
    def ignored(self) -> frozenset[int]:
        """The columns that the user ignores."""
        return frozenset(
            self.headings.position(Option("ignore"), name) for name in self.mapping.ignore
        )

    @cached_property
    def texts(self) -> list[int]:
        """The columns whose texts may name a balance: neither dates nor money."""
        profile, width = self.profile if self.rows else None, self.table.width
        if profile is not None and (profile.opening or profile.leave_out or profile.only):
            return []
        named = self.indexes("payee", "note")
        if "note" in self.columns or profile is not None:
            return [index for index in named if index < width]
        taken = [*self.amounts, *self.indexes("recordDate", "balance", "fee", "currency", "sign")]
        return [index for index in range(min(width, _TEXTS)) if index not in taken]

    def to_remember(self) -> dict[str, Any]:
        """Return the options to save for the file's accounts: all options given now or before."""
        assert self.user_mapping is not None
        kept = self.user_mapping.stated()
        headings = self.table.headings
        kept["heading"] = self.table.digest
        if headings is not None:
            kept["headings"] = headings[: filled(headings)]
        return kept if self.profile is None else kept | {"profile": self.profile.name}

    @cached_property
    def balance(self) -> str:
        """The balance column, for an option; "" without a column, or if the user named it, or said
        that it is what is owed.
        """
        (index,) = self.columns.get("balance", (self.table.width,))
        given = self.user_mapping or Mapping()
        if given.balance is not None or given.card_balance == OWED or index >= self.table.width:
            return ""
        return self.headings.named(index)

    @cached_property
    def says_positive(self) -> bool:
        """Whether the user says now, or a heading says, what a positive amount means. An answer
        for an earlier file does not count: this file's row can go the other way.
        """
        given = None if self.user_mapping is None else self.user_mapping.positive
        is_given = given is not None and "positive" not in self.taken
        return is_given or self.inferred.positive is not None

    @cached_property
    def is_complete(self) -> bool:
        columns = self.columns
        return "recordDate" in columns and ("amount" in columns or "debit" in columns)


def find_columns(mapping: Mapping, headings: Headings, *, by_itself: bool = True) -> Columns:
    """Return field -> its columns: the columns that the mapping names, else those whose heading is
    a name of the field.

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
    if mapping.sign is not None:
        found["sign"] = (headings.position_and_rest(Option("sign"), mapping.sign)[0],)
    if mapping.fee:
        found["fee"] = tuple(
            headings.position_and_rest(Option("fee"), fee)[0] for fee in mapping.fee
        )
    for condition in mapping.only:
        headings.position_and_rest(Option("only"), condition)
    others: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for index, heading in enumerate(headings.texts or () if by_itself else ()):
        name = FIELD_NAMES.get(folded(heading.rstrip(": ")), "")
        if name and name not in found and name not in mapping.unmapped:
            others[name] += (index,)
    return found | others
