"""Whether a category is of income or of expenses, where neither an import nor a hand says so."""

from collections.abc import Mapping
from typing import Any

from finance_api.ledger.row_set import RowSet
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
    tree = CategoryTree(categories.rows.values())
    for row in list(categories.rows.values()):
        kind = _kind_of(tree, row["id"])
        if kind != row["kind"]:
            categories.put({**row, "kind": kind})


def _kind_of(tree: CategoryTree, category_id: str) -> str | None:
    upwards = list(tree.upwards(category_id))
    for row in upwards:
        if not row["kindIsDerived"]:
            return str(row["kind"])
    # What is above has its kind by its own group, before that of what is below it.
    groups = (row["group"] for row in reversed(upwards) if row["group"] is not None)
    group = next(groups, None)
    if group is None:
        return None
    return INCOME if fold(group) in INCOME_GROUPS else EXPENSE
