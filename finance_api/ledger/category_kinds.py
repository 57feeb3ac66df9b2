"""Derives whether categories are for income or expenses, if no import or edit says so."""

from collections.abc import Mapping
from typing import Any

from finance_api.ledger.rows import RowSet
from finance_api.planning.categories import CategoryTree
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.values import Row
from finance_api.values.text import fold

#: Folded names of groups of income, in the apps and languages whose exports are most common.
INCOME_GROUPS = frozenset(
    "income incomes earnings revenue revenues inflow inflows einkommen einnahmen einkünfte revenus "
    "ingresos entrate receitas inkomsten przychody příjmy bevételek inkomster indtægter inntekter "
    "tulot".split()
)


def set_kind(row: Row, given: Mapping[str, Any], stored: Row | None) -> None:
    """Note whether a category's kind is given; `derive_kinds` derives the kinds that are not."""
    if given.get("kind") is not None and not given.get("kindIsDerived"):
        row["kindIsDerived"] = False
    else:
        row["kindIsDerived"] = True
        row["kind"] = None if stored is None else stored["kind"]


def derive_kinds(categories: RowSet) -> None:
    """Derive the missing kinds of categories: from their parents, else from their group."""
    # For each category: the nearest given kind and the topmost group, its own or from above.
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
