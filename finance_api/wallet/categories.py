"""Categories below /wallet."""

from typing import Any

from finance_api.api.openapi.schemas import value
from finance_api.resources import CATEGORIES
from finance_api.values import Row
from finance_api.wallet.members import TIMES, Context, Shape, member, members
from finance_api.wallet.names import group, slug


@member("parentName", value("Name of the parent category.", "Food"))
def _parent_name(row: Row, context: Context) -> Any:
    return context.once(_parents).get(row["parentId"], {}).get("name")


def _parents(context: Context) -> dict[str, Row]:
    return context.get_rows(CATEGORIES, {row["parentId"] for row in context.rows} - {None})


@member("systemId", value("Group and name of a built-in category.", "food_and_drinks__groceries"))
def _system_id(row: Row, context: Context) -> Any:
    if row["customCategory"] or row["group"] is None:
        return None
    return f"{slug(row['group'])}__{slug(row['name'])}"


CATEGORY = Shape(
    "Category",
    members(
        CATEGORIES,
        "id name color archived customCategory customName enabled cardinality group parentId "
        f"parentName systemId {TIMES}",
        group,
        _parent_name,
        _system_id,
        always={"customName": False, "enabled": True, "cardinality": "none"},
    ),
)
