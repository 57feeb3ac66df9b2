"""Exchange rates, as they are quoted."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class DayRates(NamedTuple):
    """The value of one unit of a currency in others on a day (its first second)."""

    day: int
    base: str
    rates: Mapping[str, Decimal]
