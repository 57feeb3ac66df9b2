"""The text of parsed parameters, equal for requests that mean the same."""

from collections.abc import Mapping, Set
from typing import Any

from finance_api.query.model import Condition


def canonical_text(values: Mapping[str, Any]) -> str:
    """Return a text that is equal for requests that mean the same, in every process.

    Entity tags and the keys of cached responses contain it; nobody reads it.

    values: the parsed values by parameter name, without default values.
    """
    return repr([(name, _ordered(value)) for name, value in sorted(values.items())])


def _ordered(value: Any) -> Any:
    """Sort conditions, and the names in a set: their order and repetition mean nothing."""
    match value:
        case Set() | (Condition(), *_):
            return sorted({repr(each) for each in value})
    return value
