"""How a table is read: the columns of its fields, and the layout that is complete."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.csv.columns import FIELD_NAMES, Columns, Headings
from finance_api.importers.csv.layout import Layout, heading_digest
from finance_api.importers.csv.open_columns import Inferred
from finance_api.importers.csv.profile import Profile
from finance_api.importers.csv.profile_rows import ProfileRows
from finance_api.importers.csv.table import Table
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import Answer, ImportRefused, nothing_remembered
from finance_api.importers.texts import quoted

#: Among so many columns the names of balances are looked for.
_TEXTS = 20


@dataclass(frozen=True)
class Plan:
    """inferred: what the file says by itself.

    doubled: fields that further columns map to by themselves, and the indexes of those.
    remembered: what is remembered for the file; taken: which of these parts were not given.
    user_layout: what the user gave, now or before. profile: what else is known of the layout.
    rows: what the profile makes of the file's rows, of which some columns are derived.
    new_accounts, last_year: see `Remembered`.
    """

    table: Table
    columns: Columns
    layout: Layout
    doubled: dict[str, list[int]] = field(default_factory=dict)
    remembered: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, Any] = field(default_factory=dict)
    user_layout: Layout | None = None
    profile: Profile | None = None
    rows: ProfileRows | None = None
    inferred: Inferred = field(default_factory=Inferred)
    new_accounts: Callable[..., list[str]] = nothing_remembered.new_accounts
    last_year: int = nothing_remembered.last_year

    @cached_property
    def headings(self) -> Headings:
        """The derived columns have none."""
        texts, width = self.table.headings, self.table.width
        if self.rows is not None and texts is not None:
            texts = [*texts, *("" for _ in self.rows.columns)]
        return Headings(texts, width, self.table.first_line)

    @property
    def ignored(self) -> frozenset[int]:
        """The columns that are said to be of no use."""
        return frozenset(self.headings.position("--ignore", name) for name in self.layout.ignore)

    @property
    def texts(self) -> list[int]:
        """The columns that may name a balance: what is neither a date nor money."""
        of = self.profile
        if of is not None and (of.opening or of.leave_out or of.only):
            return []
        named = [index for name in ("payee", "note") for index in self.columns.get(name, ())]
        if named or of is not None:
            return [index for index in named if index < self.table.width]
        names = ("recordDate", "amount", "debit", "credit", "balance", "fee", "currency", "sign")
        taken = {index for name in names for index in self.columns.get(name, ())}
        return [index for index in range(min(self.table.width, _TEXTS)) if index not in taken]

    def to_remember(self) -> dict[str, Any]:
        """Return the options to save for the file's accounts: all given now or before."""
        assert self.user_layout is not None
        kept = self.user_layout.stated()
        kept["heading"] = heading_digest(self.table.headings, self.table.width)
        return kept if self.profile is None else kept | {"profile": self.profile.name}

    def without_balance(self) -> tuple[Answer, ...]:
        """How to read the file without a balance column that nobody named."""
        balance = None if self.user_layout is None else self.user_layout.balance
        (index,) = self.columns.get("balance", (self.table.width,))
        if balance is not None or index >= self.table.width:
            return ()
        name = self.headings.named(index)
        return (Answer(("--ignore", name), meaning=f"{quoted(name)} is no running balance"),)

    @property
    def is_complete(self) -> bool:
        columns = self.columns
        return "recordDate" in columns and ("amount" in columns or "debit" in columns)


def find_columns(
    layout: Layout, headings: Headings, *, by_itself: bool = True
) -> tuple[Columns, dict[str, list[int]]]:
    """The columns that a layout names, and those that map by themselves.

    And the fields that several of these map to: the others' indexes. Raises ImportRefused for a
    column that is not there, or not unique.
    """
    found: Columns = {}
    for name, columns in layout.named.items():
        option = f"--{name}" if name in ("debit", "credit", "balance") else f"--map {name}"
        found[name] = tuple(headings.position(option, column) for column in columns)
    if "debit" in found and found["debit"] == found["credit"]:
        raise ImportRefused("--debit and --credit name the same column", headings.line)
    if layout.sign is not None:
        found["sign"] = (headings.position_and_rest("--sign", layout.sign)[0],)
    if layout.fee:
        found["fee"] = tuple(headings.position_and_rest("--fee", fee)[0] for fee in layout.fee)
    for condition in layout.only:
        headings.position_and_rest("--only", condition)
    others: Columns = {}
    doubled: dict[str, list[int]] = {}
    for index, heading in enumerate(headings.texts or () if by_itself else ()):
        name = FIELD_NAMES.get(folded(heading), "")
        if not name or name in found or name in layout.unmapped:
            continue
        if name in others:
            doubled.setdefault(name, []).append(index)
        else:
            others[name] = (index,)
    return found | others, doubled
