"""Whether a category is of income or of expenses, where neither an import nor an edit says so."""

from collections.abc import Mapping
from typing import Any

from finance_api.ledger.rows import RowSet
from finance_api.planning.categories import CategoryTree
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.values import Row
from finance_api.values.text import fold

#: Names of groups of income, folded: of the apps and languages whose exports are met most.
INCOME_GROUPS = frozenset(
    "income incomes earnings revenue revenues inflow inflows einkommen einnahmen einkünfte revenus "
    "ingresos entrate receitas inkomsten przychody příjmy bevételek inkomster indtægter inntekter "
    "tulot".split()
)


def set_kind(row: Row, given: Mapping[str, Any], stored: Row | None) -> None:
    """The kind of a category as it is given; `derive_kinds` has the last word on others."""
    if given.get("kind") is not None and not given.get("kindIsDerived"):
        row["kindIsDerived"] = False
    else:
        row["kindIsDerived"] = True
        row["kind"] = None if stored is None else stored["kind"]


def derive_kinds(categories: RowSet) -> None:
    """Carries kinds over to categories without one of their own: from above, else by the group."""
    # The nearest kind that is given, and the topmost group: of each category or above it.
    inherited: dict[str, tuple[str | None, str | None]] = {}
    for row in CategoryTree(categories.rows.values()).from_top():
        kind, group = inherited.get(row["parentId"], (None, None))
        if not row["kindIsDerived"]:
            kind = row["kind"]
        if group is None:
            group = row["group"]
        inherited[row["id"]] = kind, group
        if kind is None and group is not None:
            kind = INCOME if fold(group) in INCOME_GROUPS else EXPENSE
        if kind != row["kind"]:
            categories.put({**row, "kind": kind})
