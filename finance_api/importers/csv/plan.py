"""The plan for reading a table: the columns of its fields, its complete mapping, and, if it has a
profile, how its rows become movements of money.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.csv.guess.column import Inferred
from finance_api.importers.csv.headings import Bound, Headings
from finance_api.importers.csv.legs import ProfileRows
from finance_api.importers.csv.mapping import Columns, Mapping
from finance_api.importers.csv.profile import Profile
from finance_api.importers.csv.table import Table, filled
from finance_api.importers.interface import OWED, nothing_remembered

#: Up to this many columns are searched for names of balances.
_TEXTS = 20


@dataclass(frozen=True)
class Plan:
    """How to read a table. columns: those that the mapping names, and those that were found.

    bound: the mapping's columns. inferred: the decisions made from the file's content.

    remembered: the mapping saved for the file. taken: the saved parts used because the user gave no
    such options. user_mapping: the options given now or saved. profile: the file's profile, if any.
    rows: makes the profile's rows, with derived cells, from the file's rows; None if the profile
    only has answers.
    last_year: see `Remembered`.
    """

    table: Table
    columns: Columns
    mapping: Mapping
    bound: Bound
    remembered: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, Any] = field(default_factory=dict)
    user_mapping: Mapping = field(default_factory=Mapping)
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
        given = self.user_mapping
        if given.balance is not None or given.card_balance == OWED or index >= self.table.width:
            return ""
        return self.headings.named(index)

    @cached_property
    def says_positive(self) -> bool:
        """Whether the user says now, or a heading says, what a positive amount means. An answer
        for an earlier file does not count: this file's row can go the other way.
        """
        is_given = self.user_mapping.positive is not None and "positive" not in self.taken
        return is_given or self.inferred.positive is not None

    @cached_property
    def is_complete(self) -> bool:
        columns = self.columns
        return "recordDate" in columns and ("amount" in columns or "debit" in columns)
