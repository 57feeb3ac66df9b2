"""Usual income and spending besides recurring payments: the middle half of past cases."""

from collections.abc import Iterable
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from finance_api.values.time import DAY_SECONDS

#: Read the last year; with less than eight weeks, nothing is typical.
_MOST_DAYS, _LEAST_DAYS = 365, 56
#: Longer times are computed as multiples of this, because there are too few cases of them.
_LONGEST = 28
#: Estimates are in cents.
_CENT = 100


class Range(NamedTuple):
    """low, high: the 25th and 75th percentile of income minus spending."""

    low: int
    median: int
    high: int


_NOTHING = Range(0, 0, 0)


class Typical:
    """Income minus spending in a number of days."""

    def __init__(self, payments: Iterable[tuple[int, int]], last: int) -> None:
        """payments: day and amount. last: the last day with records."""
        amounts: dict[int, int] = {}
        for day, amount in payments:
            back = (last - day) // DAY_SECONDS
            if 0 <= back < _MOST_DAYS:
                amounts[back] = amounts.get(back, 0) + amount
        length = max(amounts, default=-1) + 1
        self._has_cases = length >= _LEAST_DAYS
        self._sums = list(accumulate((amounts.get(n, 0) for n in range(length)), initial=0))
        self._ranges: dict[int, Range] = {}

    def within(self, days: int) -> Range:
        """Return the range for this many days."""
        if days <= 0 or not self._has_cases:
            return _NOTHING
        if days not in self._ranges:
            self._ranges[days] = self._range(days)
        return self._ranges[days]

    def _range(self, days: int) -> Range:
        if days > _LONGEST:
            part, times = self.within(_LONGEST), days / _LONGEST
            # Months differ by chance, which partly evens out.
            median, wide = part.median * times, sqrt(times)
            low = median - (part.median - part.low) * wide
            high = median + (part.high - part.median) * wide
            return Range(_rounded(low), _rounded(median), _rounded(high))
        sums = self._sums
        cases = sorted(sums[end] - sums[end - days] for end in range(days, len(sums)))
        quarter = len(cases) // 4
        return Range(cases[quarter], cases[len(cases) // 2], cases[-1 - quarter])


def _rounded(amount: float) -> int:
    return round(amount / _CENT) * _CENT
