"""Documents that only the internal surface lists: a name, and whatever the import brought."""

from finance_api.resources.common import CREATED_AT, ID, UPDATED_AT, name_field, text_field
from finance_api.resources.field import SOURCE, SOURCE_ID, Resource


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
            text_field("extra", "What else the import brought: a JSON object.", "{}"),
        ),
        open_ended=True,
    )


CONTACTS = _document("contacts", "Contact", "Payees and payers.", "Corner Shop")
HASH_TAGS = _document("hashTags", "HashTag", "Hashtags of transactions.", "holiday")
MAGIC_RULES = _document("magicRules", "MagicRule", "Advanced automation rules.", "Round up")
