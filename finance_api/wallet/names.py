"""What objects show of other objects: their category, their labels, the base currency."""

import re
from collections.abc import Collection
from typing import Any

from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.field import Resource
from finance_api.values import Row
from finance_api.wallet.members import Context, Member, Shape, Write, member, members

GROUP = of_members(
    "CategoryGroup",
    {
        "id": value("The group's key.", "food_and_drinks"),
        "name": value("Its name.", "Food & drinks"),
    },
)


def slug(text: str) -> str:
    """Return a key such as ``food_and_drinks`` for ``Food & drinks``."""
    return re.sub(r"[\W_]+", "_", text.lower().replace("&", " and ")).strip("_")


@member("group", GROUP)
def group(row: Row, context: Context) -> Any:
    return None if row["group"] is None else {"id": slug(row["group"]), "name": row["group"]}


CATEGORY_EMBED = Shape(
    "CategoryEmbed", members(CATEGORIES, "id name color group", group), required=["id"]
)
_LABEL_EMBED = Shape("LabelEmbed", members(LABELS, "id name color archived"), required=["id"])


@member("category", CATEGORY_EMBED.schema)
def category(row: Row, context: Context) -> Any:
    return context.once(_categories).get(row["categoryId"])


def _categories(context: Context) -> dict[str, dict[str, Any]]:
    ids = {row["categoryId"] for row in context.rows} - {None}
    return _embedded(context, CATEGORIES, CATEGORY_EMBED, ids)


@member("labels", array_of(_LABEL_EMBED.schema), is_optional=False)
def labels(row: Row, context: Context) -> list[Any]:
    known = context.once(_labels)
    return [known[label] for label in row["labelIds"] if label in known]


def _labels(context: Context) -> dict[str, dict[str, Any]]:
    ids = {label for row in context.rows for label in row["labelIds"]}
    return _embedded(context, LABELS, _LABEL_EMBED, ids)


def _embedded(
    context: Context, resource: Resource, shape: Shape, ids: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return the objects by id; only their ids if the token lacks the scope of the resource."""
    rows = context.get_rows(resource, ids)
    if resource.path in context.hidden:
        return {row_id: {"id": row_id} for row_id in rows}
    return dict(zip(rows, shape.documents(rows.values(), context), strict=True))


def base_currency(context: Context) -> str | None:
    """Return the currency of most accounts; on a tie, the one with the first code."""
    data, user_id = context.reading.storage.data, context.reading.user_id
    codes = sorted(account["currencyCode"] for account in data.scan_rows(user_id, ACCOUNTS))
    return max(codes, key=codes.count, default=None)


def parties(record_type: Write) -> tuple[Member, Member]:
    """Make the members of earlier versions: the payee of an expense, and the payer of income."""

    def party(kind: str) -> Write:
        return lambda row, context: row["payee"] if record_type(row, context) == kind else None

    return (
        Member("payee", party(EXPENSE), value("Who was paid.", "Grocer")),
        Member("payer", party(INCOME), value("Who paid.", "Employer")),
    )
