"""The single value of an answer: one number, in each of its currencies."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

_Object = Mapping[str, Any]
#: Lists of sums beside the rows, the one to prefer first.
_TOTALS = ("convertedTotals", "totals")
#: Columns that only programs need.
FOR_PROGRAMS = re.compile(r"id|.*Ids?|(?:created|updated)At|color|periodStart")
#: A fact about the account of a balance, not about the balance.
_ASIDE = "firstRecordDate"


class Value(NamedTuple):
    """A number that is all an answer says in one currency.

    name: its column. others: the names of the row's texts, and of the numbers it is compared with.
    """

    name: str
    row: _Object
    currency: str | None
    others: Sequence[str]


def is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def single_values(document: _Object) -> list[Value]:
    """Return the value that is all an answer has, in each of its currencies.

    Returns nothing for other answers, for records, and if a name of the question is gone.
    document: the members of the envelope, with numbers as Decimal.
    """
    rows = next(value for value in document.values() if isinstance(value, list))
    sums = next((document[name] for name in _TOTALS if document.get(name)), rows)
    points = sums if len(rows) > 1 or _TOTALS[0] in document else rows
    if not points or document.get("nextOffset") or document.get("hints"):
        return []
    numbers = [name for name in points[0] if any(is_number(point[name]) for point in points)]
    name = numbers[0] if numbers else ""
    key = "convertedCurrencyCode" if name.startswith("converted") else "currencyCode"
    is_text = {
        n: n not in (*numbers, key, _ASIDE) and not FOR_PROGRAMS.fullmatch(n) for n in points[0]
    }
    texts = [n for n in points[0] if is_text[n] and points[0][n]]
    # A comparison adds such numbers as previousSpent and changeSpentPercent.
    compared = [number.removesuffix("Percent").lower() for number in numbers]
    if (
        not name
        or "recordDate" in points[0]
        or not all(number.endswith(name.lower()) for number in compared)
        or not all(is_number(point[name]) for point in points)
        or len({tuple(str(point[text]) for text in texts) for point in points}) > 1
        or len({point.get(key) for point in points}) < len(points)
    ):
        return []
    others = [*texts, *numbers[1:]]
    return [Value(name, point, point.get(key), others) for point in points]
