"""Categories and labels of records, the rules that assign them, and documents.

Only the internal surface lists documents: a name, and any other members the import had.
"""

from finance_api.resources.common import (
    ARCHIVED,
    COLOR,
    CREATED_AT,
    ID,
    LABEL_IDS,
    RECORD_TYPES,
    UPDATED_AT,
    choice_field,
    flag_field,
    list_field,
    name_field,
    reference_field,
    text_field,
)
from finance_api.resources.field import SOURCE, SOURCE_ID, Field, Kind, Resource

CATEGORIES = Resource(
    name="categories",
    path="categories",
    model_type="Category",
    meaning="Categories of records.",
    default_sort="+name",
    hidden=(
        SOURCE,
        SOURCE_ID,
        Field(
            "kindIsDerived",
            Kind.BOOLEAN,
            "Whether the kind is derived from the category's parent or group.",
            example=True,
            nullable=False,
            default=True,
            private=True,
            native=True,
        ),
    ),
    fields=(
        ID,
        name_field("Groceries", required=True),
        reference_field("parentId", "Category", "The parent category."),
        text_field("group", "Name of the group that the category is listed in.", "Food and drinks"),
        choice_field(
            "kind",
            RECORD_TYPES,
            "Whether its records are income or expenses. Default: as its parent, or else by its "
            "group.",
            "expense",
        ),
        COLOR,
        ARCHIVED,
        flag_field("customCategory", "Whether the user made it.", example=True),
        CREATED_AT,
        UPDATED_AT,
    ),
)

LABELS = Resource(
    name="labels",
    path="labels",
    model_type="Label",
    meaning="Labels of records.",
    default_sort="+name",
    fields=(ID, name_field("household", required=True), COLOR, ARCHIVED, CREATED_AT, UPDATED_AT),
)

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
            "Texts to look for in payee and note, ignoring case.",
            ["aldi", "lidl"],
        ),
        reference_field("categoryId", "Category", "The category it gives."),
        LABEL_IDS,
        reference_field(
            "accountId", "Account", "The only account it applies to; null: any account."
        ),
        CREATED_AT,
        UPDATED_AT,
    ),
)


def _document(name: str, model_type: str, meaning: str, example: str) -> Resource:
    return Resource(
        name=name,
        path=None,
        model_type=model_type,
        meaning=meaning,
        default_sort="+name",
        fields=(ID, name_field(example, required=True), CREATED_AT, UPDATED_AT),
        hidden=(
            SOURCE,
            SOURCE_ID,
            text_field("extra", "Other data from the import: a JSON object.", "{}"),
        ),
        open_ended=True,
    )


CONTACTS = _document("contacts", "Contact", "Payees and payers.", "Corner Shop")
HASH_TAGS = _document("hashTags", "HashTag", "Hashtags of transactions.", "holiday")
MAGIC_RULES = _document("magicRules", "MagicRule", "Advanced automation rules.", "Round up")
