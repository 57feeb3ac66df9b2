"""Values in the tables of Actual. A damaged book can have any value in any column."""

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

from finance_api.importers.books.reading import check_day
from finance_api.importers.interface import ImportRefused

#: As in Actual: ``##`` does not begin a tag.
_TAG = re.compile(r"(?<!#)#([^#\s]+)")


def day_of(number: int) -> date:
    """Return the day of a number such as 20261031. Raises ImportRefused."""
    year, month_and_day = divmod(number, 10_000)
    try:
        return check_day(date(year, *divmod(month_and_day, 100)), "Actual")
    except (ValueError, OverflowError):
        raise ImportRefused(f"{number} is not a date") from None


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
