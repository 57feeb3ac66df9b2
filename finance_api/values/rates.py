"""Exchange rates, as they are quoted."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class DayRates(NamedTuple):
    """What one unit of a currency was worth in others on a day (its first second)."""

    day: int
    base: str
    rates: Mapping[str, Decimal]
