"""All resources and their fields, declared as data."""

from finance_api.resources.field import Field, Resource
from finance_api.resources.objects import (
    ACCOUNTS,
    CATEGORIES,
    CONTACTS,
    HASH_TAGS,
    LABELS,
    MAGIC_RULES,
    RECORD_RULES,
)
from finance_api.resources.plans import BUDGETS, GOALS, STANDING_ORDERS
from finance_api.resources.records import RECORDS, SPLITS

#: All resources. A resource refers only to itself and to resources before it.
RESOURCES: tuple[Resource, ...] = (
    ACCOUNTS,
    CATEGORIES,
    LABELS,
    SPLITS,
    RECORDS,
    BUDGETS,
    GOALS,
    STANDING_ORDERS,
    RECORD_RULES,
    CONTACTS,
    HASH_TAGS,
    MAGIC_RULES,
)

PUBLIC_RESOURCES: tuple[Resource, ...] = tuple(r for r in RESOURCES if r.path)

#: The document types of the internal surface, which lists records elsewhere, as transactions.
DOCUMENTS: tuple[Resource, ...] = (
    ACCOUNTS,
    CATEGORIES,
    BUDGETS,
    STANDING_ORDERS,
    LABELS,
    GOALS,
    CONTACTS,
    RECORD_RULES,
    HASH_TAGS,
    MAGIC_RULES,
)

BY_NAME: dict[str, Resource] = {r.name: r for r in RESOURCES}
BY_MODEL_TYPE: dict[str, Resource] = {r.model_type: r for r in RESOURCES}


def referred_by(field: Field) -> Resource:
    """Return the resource whose ids a reference field contains."""
    return BY_MODEL_TYPE[field.references or ""]


#: Resources that other resources refer to. A user has few of their rows, so all fit in memory.
REFERRED = frozenset(referred_by(field) for r in RESOURCES for field in r.references)
