"""Record rules: how new records of statement files find their category and labels."""

from finance_api.resources.common import (
    CREATED_AT,
    ID,
    LABEL_IDS,
    UPDATED_AT,
    list_field,
    name_field,
    reference_field,
)
from finance_api.resources.field import Kind, Resource

RECORD_RULES = Resource(
    name="recordRules",
    path="record-rules",
    model_type="RecordRule",
    meaning="Rules that give new records a category and labels.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("Supermarkets"),
        list_field(
            "keywords",
            Kind.TEXT_LIST,
            "Texts looked for in payee and note, whatever their case.",
            ["aldi", "lidl"],
        ),
        reference_field("categoryId", "Category", "The category it gives."),
        LABEL_IDS,
        reference_field("accountId", "Account", "The only account it is for; none: any."),
        CREATED_AT,
        UPDATED_AT,
    ),
)
