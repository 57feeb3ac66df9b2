"""The undeclared fields of an open-ended document, stored exactly, as JSON text."""

import json
from decimal import Decimal
from typing import Any

from finance_api.importers.native.values import ValueRefused
from finance_api.values.text import TextError, clean

MAX_EXTRA_CHARACTERS = 1_000_000
_MAX_DEPTH = 20
_MAX_EXPONENT = 30


def extra_text(members: dict[str, Any]) -> str | None:
    """The members as one line of JSON, numbers written out exactly; None if there are none."""
    if not members:
        return None
    text = _json(members, _MAX_DEPTH)
    if len(text) > MAX_EXTRA_CHARACTERS:
        raise ValueRefused(
            f"other fields have {len(text)} characters; at most {MAX_EXTRA_CHARACTERS} are kept"
        )
    return text


def _json(value: Any, depth: int) -> str:
    if depth == 0:
        raise ValueRefused(f"is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        keys = [clean_key(key) for key in value]
        if len(set(keys)) != len(keys):
            raise ValueRefused("has a key twice, once control characters and accents are put right")
        return "{" + ",".join(f"{_string(k)}:{_json(v, depth - 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(v, depth - 1) for v in value) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Decimal):
        if not value:
            return "0"
        if not value.is_finite() or abs(value.adjusted()) > _MAX_EXPONENT:
            raise ValueRefused("holds a number that is out of range")
        return format(value, "f")
    return json.dumps(value)


def clean_key(key: str) -> str:
    """A key as it is kept. Raises ValueRefused."""
    try:
        return clean(key)
    except TextError as error:
        raise ValueRefused(f"has a key that {error}") from None


def _string(text: str) -> str:
    try:
        return json.dumps(clean(text), ensure_ascii=False)
    except TextError as error:
        raise ValueRefused(str(error)) from None
