"""The tree of categories, their derived kinds, and filters that include subcategories."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from finance_api.query.evaluate import matches
from finance_api.query.model import Condition
from finance_api.query.operators import Operator
from finance_api.resources import CATEGORIES
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.field import Resource
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.text import fold


class CategoryTree:
    """A user's categories. rows: the categories by id."""

    def __init__(self, categories: Iterable[Row]) -> None:
        self.rows: dict[str, Row] = {row["id"]: row for row in categories}
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.rows.values():
            if row["parentId"] is not None:
                self._children[row["parentId"]].append(row["id"])

    def from_top(self) -> Iterator[Row]:
        """Yield each category after its parent. Skip categories whose parents form a circle."""
        waiting = [row for row in self.rows.values() if row["parentId"] not in self.rows]
        while waiting:
            row = waiting.pop()
            yield row
            waiting.extend(self.rows[child] for child in self._children.get(row["id"], ()))

    def upwards(self, category_id: str) -> Iterator[Row]:
        """Yield the category and its ancestors up to the top, each once, even if in a circle."""
        seen: set[str] = set()
        next_id: str | None = category_id
        while next_id is not None and next_id in self.rows and next_id not in seen:
            seen.add(next_id)
            row = self.rows[next_id]
            yield row
            next_id = row["parentId"]

    def kind_of(self, category_id: str | None) -> str | None:
        """Return the kind of a category; None if there is no category, or it has no kind."""
        row = self.rows.get(category_id or "")
        return None if row is None else row["kind"]

    def top_of(self, category_id: str) -> str:
        """Return the id of the category's topmost ancestor, or its own if it has no parent."""
        top = category_id
        for row in self.upwards(category_id):
            top = row["id"]
        return top

    def group_of(self, category_id: str) -> str | None:
        """Return the group of the category, or of its nearest ancestor that has a group."""
        groups = (row["group"] for row in self.upwards(category_id))
        return next((group for group in groups if group is not None), None)

    def with_descendants(self, category_ids: Iterable[str]) -> set[str]:
        """Return the ids of the categories and of all their descendants."""
        found: set[str] = set()
        waiting = list(category_ids)
        while waiting:
            category_id = waiting.pop()
            if category_id not in found:
                found.add(category_id)
                waiting.extend(self._children[category_id])
        return found


#: Folded names of groups of income, in the most common apps and languages.
INCOME_GROUPS = frozenset(
    "income incomes earnings revenue revenues inflow inflows einkommen einnahmen einkünfte revenus "
    "ingresos entrate receitas inkomsten przychody příjmy bevételek inkomster indtægter inntekter "
    "tulot".split()
)


def set_kind(row: Row, given: Mapping[str, Any], stored: Row | None) -> None:
    """Note in the row whether its kind is given. If not, `derived_kinds` derives the kind."""
    if given.get("kind") is not None and not given.get("kindIsDerived"):
        row["kindIsDerived"] = False
    else:
        row["kindIsDerived"] = True
        row["kind"] = None if stored is None else stored["kind"]


def derived_kinds(rows: Iterable[Row]) -> Iterator[Row]:
    """Derive kinds from parents or else groups; yield the categories whose kind changes."""
    # For each category: the nearest given kind and the topmost group on the way to its top.
    inherited: dict[str, tuple[str | None, str | None]] = {}
    for row in CategoryTree(rows).from_top():
        kind, group = inherited.get(row["parentId"], (None, None))
        if not row["kindIsDerived"]:
            kind = row["kind"]
        if group is None:
            group = row["group"]
        inherited[row["id"]] = kind, group
        if kind is None and group is not None:
            kind = INCOME if fold(group) in INCOME_GROUPS else EXPENSE
        if kind != row["kind"]:
            yield {**row, "kind": kind}


def has_categories(resource: Resource) -> bool:
    """Return whether rows of the resource have categories."""
    return any(field.references == CATEGORIES.model_type for field in resource.fields)


def with_subcategories(
    storage: Storage, user_id: int, resource: Resource, conditions: Iterable[Condition]
) -> tuple[Condition, ...]:
    """Return the conditions; conditions on a category now include its descendants."""
    tree = CategoryTree(storage.data.scan_rows(user_id, CATEGORIES))
    return tuple([_widened(tree, resource, condition) for condition in conditions])


def _widened(tree: CategoryTree, resource: Resource, condition: Condition) -> Condition:
    if condition.operator.is_null_test:
        return condition
    operator, field = condition.operator, condition.field
    if field.references == CATEGORIES.model_type:
        named = condition.operand
        assert isinstance(named, tuple)
    elif field.name == "category":
        on_name = replace(condition.positive(), field=CATEGORIES["name"])
        named = tuple([row["id"] for row in tree.rows.values() if matches(row, [on_name])])
        field = resource["categoryId"]
    else:
        return condition
    ids = tuple(sorted(tree.with_descendants(map(str, named))))
    return Condition(field, operator if operator.is_negated else Operator.ANY_OF, ids)
