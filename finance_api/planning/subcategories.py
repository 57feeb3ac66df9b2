"""Conditions on categories with all that lies below them."""

from collections.abc import Iterable
from dataclasses import replace

from finance_api.planning.categories import CategoryTree
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Operator
from finance_api.resources import CATEGORIES
from finance_api.resources.field import Resource
from finance_api.storage.interface import Storage


def has_categories(resource: Resource) -> bool:
    """Whether rows of the resource have categories."""
    return any(field.references == CATEGORIES.model_type for field in resource.fields)


def with_subcategories(
    storage: Storage, user_id: int, resource: Resource, conditions: Iterable[Condition]
) -> tuple[Condition, ...]:
    """The conditions, in which one on a category is one on all below it, too."""
    tree = CategoryTree(storage.data.scan_rows(user_id, CATEGORIES))
    return tuple([_widened(tree, resource, condition) for condition in conditions])


def _widened(tree: CategoryTree, resource: Resource, condition: Condition) -> Condition:
    if condition.operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return condition
    is_ne = condition.operator is Operator.NE
    field = condition.field
    if field.references == CATEGORIES.model_type:
        named = condition.operand
        assert isinstance(named, tuple)
    elif field.name == "category":
        on_name = replace(condition.negated() if is_ne else condition, field=CATEGORIES["name"])
        named = tuple([row["id"] for row in tree.rows.values() if matches(row, [on_name])])
        field = resource["categoryId"]
    else:
        return condition
    ids = tuple(sorted(tree.with_descendants(map(str, named))))
    return Condition(field, Operator.NE if is_ne else Operator.ANY_OF, ids)
