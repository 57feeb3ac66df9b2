"""Categories, labels and record rules: GET /wallet/v1/api/categories, /labels, /record-rules"""

import re
from collections.abc import Collection
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api.endpoint import Service
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.resources import CATEGORIES, LABELS, RECORD_RULES
from finance_api.resources.field import Resource
from finance_api.values import Row
from finance_api.wallet.lists import list_page, page_response, respond_with_objects
from finance_api.wallet.parameters import CARDINALITY, ListSchema, related
from finance_api.wallet.shapes import TIMES, Context, Shape, Write, member, member_of_page

# -- in other objects ----------------------------------------------------------------------------

_GROUP = of_members(
    "CategoryGroup",
    {
        "id": value("The group's key.", "food_and_drinks"),
        "name": value("Its name.", "Food & drinks"),
    },
)


def _slug(text: str) -> str:
    """Return a key such as ``food_and_drinks`` for ``Food & drinks``."""
    return re.sub(r"[\W_]+", "_", text.lower().replace("&", " and ")).strip("_")


@member("group", _GROUP)
def _group(row: Row) -> Any:
    return None if row["group"] is None else {"id": _slug(row["group"]), "name": row["group"]}


CATEGORY_EMBED = Shape(
    CATEGORIES, "id name color group", _group, title="CategoryEmbed", required=["id"]
)
_LABEL_EMBED = Shape(LABELS, "id name color archived", title="LabelEmbed", required=["id"])


@member_of_page("category", CATEGORY_EMBED.schema)
def category_of(context: Context) -> Write:
    ids = {row["categoryId"] for row in context.rows} - {None}
    known = _embedded(context, CATEGORIES, CATEGORY_EMBED, ids)
    return lambda row: known.get(row["categoryId"])


@member_of_page("labels", array_of(_LABEL_EMBED.schema), always=True)
def labels_of(context: Context) -> Write:
    ids = {label for row in context.rows for label in row["labelIds"]}
    known = _embedded(context, LABELS, _LABEL_EMBED, ids)
    return lambda row: [known[label] for label in row["labelIds"] if label in known]


def _embedded(
    context: Context, resource: Resource, shape: Shape, ids: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return the objects by id; only their ids if the token lacks the scope of the resource."""
    rows = context.get_rows(resource, ids)
    if resource.path in context.hidden:
        return {row_id: {"id": row_id} for row_id in rows}
    return dict(zip(rows, shape.documents([*rows.values()], context), strict=True))


# -- the lists -------------------------------------------------------------------------------------


@member_of_page("parentName", value("Name of the parent category.", "Food"))
def _parent_name(context: Context) -> Write:
    parents = context.get_rows(CATEGORIES, {row["parentId"] for row in context.rows} - {None})
    return lambda row: parents.get(row["parentId"], {}).get("name")


@member("systemId", value("Group and name of a built-in category.", "food_and_drinks__groceries"))
def _system_id(row: Row) -> Any:
    if row["customCategory"] or row["group"] is None:
        return None
    return f"{_slug(row['group'])}__{_slug(row['name'])}"


CATEGORY = Shape(
    CATEGORIES,
    "id name color archived customCategory customName enabled cardinality group parentId "
    f"parentName systemId {TIMES}",
    *(_group, _parent_name, _system_id),
    always={"customName": False, "enabled": True, "cardinality": "none"},
)

LABEL = Shape(LABELS, f"id name color archived {TIMES}")
RECORD_RULE = Shape(
    RECORD_RULES,
    f"id name keywords category labels fromAccountId=accountId {TIMES}",
    *(category_of, labels_of),
)

categories = Service("wallet.categories", "/wallet/v1/api/categories", CATEGORIES.meaning)
labels = Service("wallet.labels", "/wallet/v1/api/labels", LABELS.meaning)
record_rules = Service("wallet.record-rules", "/wallet/v1/api/record-rules", RECORD_RULES.meaning)


@categories.get(
    schema=ListSchema(
        CATEGORIES,
        "name customCategory archived",
        CARDINALITY,
        related("budgetId", "categoryIds", empty_is_all=True),
    ),
    permission=Permission.CATEGORIES_READ,
    answer=partial(list_page, CATEGORY),
    response=page_response(CATEGORY),
)
@labels.get(
    schema=ListSchema(
        LABELS,
        "name archived",
        related("recordId", "labelIds"),
        related("budgetId", "labelIds"),
        related("standingOrderId", "labelIds"),
        related("recordRuleId", "labelIds"),
    ),
    permission=Permission.LABELS_READ,
    answer=partial(list_page, LABEL),
    response=page_response(LABEL),
)
@record_rules.get(
    schema=ListSchema(RECORD_RULES, "name labelId=labelIds"),
    permission=Permission.RECORD_RULES_READ,
    answer=partial(list_page, RECORD_RULE),
    response=page_response(RECORD_RULE),
)
def list_objects(request: Request) -> Response:
    return respond_with_objects(request)
