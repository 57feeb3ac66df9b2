"""Categories: a tree of names for what money was spent on or earned by."""

from finance_api.resources.common import (
    ARCHIVED,
    COLOR,
    CREATED_AT,
    ID,
    UPDATED_AT,
    flag_field,
    name_field,
    reference_field,
    text_field,
)
from finance_api.resources.field import Resource

CATEGORIES = Resource(
    name="categories",
    path="categories",
    model_type="Category",
    meaning="Categories of records.",
    default_sort="+name",
    fields=(
        ID,
        name_field("Groceries", required=True),
        reference_field("parentId", "Category", "The category that it is a part of."),
        text_field("group", "Name of the group it is shown in.", "Food and drinks"),
        COLOR,
        ARCHIVED,
        flag_field("customCategory", "Whether the user made it.", example=True),
        CREATED_AT,
        UPDATED_AT,
    ),
)
