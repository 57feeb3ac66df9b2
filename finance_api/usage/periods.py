"""Periods of usage statistics, and their days, weeks or months."""

import re
from dataclasses import dataclass
from itertools import pairwise

from finance_api.values.time import DAY_SECONDS, Period, months_before, start_of

_PERIOD = re.compile("([1-9][0-9]{0,2})(days|weeks|months)")
_GRANULARITIES = {"days": "daily", "weeks": "weekly", "months": "monthly"}
_MOST = {"days": 366, "weeks": 53, "months": 13}


@dataclass(frozen=True, slots=True)
class UsagePeriod:
    """``count`` days, ISO weeks or months, including the current one."""

    count: int
    unit: str

    @property
    def granularity(self) -> str:
        """Return ``daily``, ``weekly`` or ``monthly``."""
        return _GRANULARITIES[self.unit]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"

    def boundaries(self, now: int) -> list[int]:
        """Return when each day, week or month begins, oldest first, and when the last one ends."""
        backwards = range(self.count - 1, -2, -1)
        if self.unit == "months":
            month = start_of(Period.MONTH, now)
            return [months_before(month, back) for back in backwards]
        period, days = (Period.DAY, 1) if self.unit == "days" else (Period.WEEK, 7)
        return [start_of(period, now) - back * days * DAY_SECONDS for back in backwards]


def parse_usage_period(text: str) -> UsagePeriod:
    """Parse ``30days``, ``12weeks`` or ``6months``. Raises ValueError."""
    match = _PERIOD.fullmatch(text)
    if match is None or int(match[1]) > _MOST[match[2]]:
        most = ", ".join(f"1{unit} to {count}{unit}" for unit, count in _MOST.items())
        raise ValueError(f"is not one of {most}")
    return UsagePeriod(int(match[1]), match[2])


def sums_between(boundaries: list[int], days: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return (start, end, sum) of each interval between boundaries, except those with sum 0.

    days: (first second, number), in order, all within the boundaries.
    """
    sums = []
    position = 0
    for start, end in pairwise(boundaries):
        total = 0
        while position < len(days) and days[position][0] < end:
            total += days[position][1]
            position += 1
        if total:
            sums.append((start, end, total))
    return sums
