"""Values in the tables of Actual. A damaged book can have any value in any column."""

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

from finance_api.importers.interface import ImportRefused, quoted

#: As in Actual: ``##`` does not begin a tag.
_TAG = re.compile(r"(?<!#)#([^#\s]+)")
_FIRST_YEAR, _END_YEAR = 1900, 2200


def text_or_none(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    raise ImportRefused(f"the book has {quoted(str(value))} in place of a text")


def integer(value: Any) -> int:
    """Return a number of the book; a missing one is 0, as in Actual."""
    if value is None or isinstance(value, int):
        return value or 0
    raise ImportRefused(f"the book has {quoted(str(value))} in place of a whole number")


def iso_day(number: int) -> str:
    """Return a day such as 20261031 as a date of ISO 8601. Raises ImportRefused."""
    year, month_and_day = divmod(number, 10_000)
    try:
        day = date(year, *divmod(month_and_day, 100))
    except ValueError:
        raise ImportRefused(f"{number} is not a date") from None
    if not _FIRST_YEAR <= year < _END_YEAR:
        raise ImportRefused(f"{day} cannot be right: give it a date from 1900 to 2199 in Actual")
    return day.isoformat()


def json_list(text: str | None) -> list[dict[str, Any]]:
    """Return the objects of a list in JSON. Raises ValueError if it is anything else."""
    try:
        found = json.loads(text or "[]", parse_float=Decimal)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError("is not a list of objects")
    return found


def tags_in(notes: str | None) -> list[str]:
    tags = _TAG.findall(notes or "")
    return list(dict.fromkeys(tag for tag in tags if tag.isprintable()))
