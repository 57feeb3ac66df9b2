"""Categories with all that lies below them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Operator, Query
from finance_api.resources import CATEGORIES
from finance_api.resources.field import Field, Resource
from finance_api.storage.interface import Storage
from finance_api.values import Row

_NAME = CATEGORIES.get_field("name")


class CategoryTree:
    """A user's categories."""

    def __init__(self, storage: Storage, user_id: int) -> None:
        self.rows: Sequence[Row] = storage.data.scan_rows(user_id, CATEGORIES)
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        for category in self.rows:
            if category["parentId"] is not None:
                self._children[category["parentId"]].append(category["id"])

    def with_descendants(self, category_ids: Iterable[str]) -> set[str]:
        found: set[str] = set()
        waiting = list(category_ids)
        while waiting:
            category_id = waiting.pop()
            if category_id not in found:
                found.add(category_id)
                waiting.extend(self._children[category_id])
        return found


def names_categories(field: Field) -> bool:
    """Whether the field holds ids of categories."""
    return field.references == CATEGORIES.model_type


def has_categories(resource: Resource) -> bool:
    """Whether rows of the resource have categories."""
    return any(names_categories(field) for field in resource.fields)


def with_subcategories(storage: Storage, user_id: int, query: Query) -> Query:
    """The query, in which a condition on a category is one on all below it, too."""
    tree = CategoryTree(storage, user_id)
    conditions = tuple(_widened(tree, query.resource, c) for c in query.conditions)
    return replace(query, conditions=conditions)


def _widened(tree: CategoryTree, resource: Resource, condition: Condition) -> Condition:
    if condition.operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return condition
    is_ne = condition.operator is Operator.NE
    field = condition.field
    if names_categories(field):
        named = condition.operand
        assert isinstance(named, tuple)
    elif field.name == "category":
        assert _NAME is not None
        on_name = replace(condition.negated() if is_ne else condition, field=_NAME)
        named = tuple([row["id"] for row in tree.rows if matches(row, [on_name])])
        by_id = resource.get_field("categoryId")
        assert by_id is not None
        field = by_id
    else:
        return condition
    ids = tuple(sorted(tree.with_descendants(map(str, named))))
    return Condition(field, Operator.NE if is_ne else Operator.ANY_OF, ids)
