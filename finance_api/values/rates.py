"""Exchange rates, as banks and data providers quote them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class DayRates(NamedTuple):
    """The value of one unit of a base currency in other currencies on a day (its first second)."""

    day: int
    base: str
    rates: Mapping[str, Decimal]
