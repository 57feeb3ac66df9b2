"""Strict JSON (RFC 8259): refuses what parsers read differently."""

import json
from typing import Any


def parse_json(text: str) -> Any:
    """Raises ValueError, also for duplicate members, NaN and infinities."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a member twice")
    return members


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")
