"""The intervals of recurring payments, and the recurrence rules for their days."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from finance_api.planning.recurrence import WEEKDAYS, next_due
from finance_api.planning.repetition import LAST_WORKING_DAY, Repetition
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS, Period, end_of, months_before, to_date

_MONTH_DAYS = 30.44
_TWO_MONTHS = 62 * DAY_SECONDS
#: Largest spread of amounts, as a share of the usual amount.
ALIKE, _VARIES = 0.35, 1.2


class Interval(NamedTuple):
    """every: number of days or months. tolerance: how many days early or late a payment may be.

    least: how many payments are needed. most_spread: how far apart the amounts may be.
    """

    is_month: bool
    every: int
    tolerance: int
    least: int
    most_spread: float

    @property
    def days(self) -> float:
        return self.every * (_MONTH_DAYS if self.is_month else 1)

    @property
    def name(self) -> str:
        unit, every = ("month", self.every) if self.is_month else ("day", self.every)
        if not every % 12:
            unit, every = "year", every // 12
        elif not self.is_month and not every % 7:
            unit, every = "week", every // 7
        return unit if every == 1 else f"{every} {unit}s"

    @property
    def times_a_year(self) -> int:
        return round(365 / self.days)

    def after(self, day: int, times: int) -> int:
        """Return the day this many intervals later."""
        if self.is_month:
            return months_before(day, -self.every * times)
        return day + self.every * times * DAY_SECONDS


#: The intervals that payments are checked for.
INTERVALS = (
    Interval(False, 7, 1, 5, ALIKE),
    Interval(False, 14, 2, 4, ALIKE),
    Interval(False, 28, 3, 4, ALIKE),
    Interval(False, 30, 3, 4, ALIKE),
    Interval(True, 1, 4, 3, _VARIES),
    Interval(True, 2, 6, 3, _VARIES),
    Interval(True, 3, 9, 3, _VARIES),
    Interval(True, 6, 14, 3, _VARIES),
    Interval(True, 12, 15, 2, ALIKE),
)


def rule_of_days(interval: Interval, days: Sequence[int]) -> tuple[Repetition, int]:
    """Return the rule for the day of the week or month on which most payments are due.

    Also return 1 if payments due on a weekend move to Monday, -1 if to Friday, otherwise 0.
    """
    dates = [to_date(day) for day in days]
    if not interval.is_month:
        if interval.every % 7:
            return Repetition("FREQ=DAILY", interval.every), 0
        weekday = Counter(date.weekday() for date in dates).most_common(1)[0][0]
        pattern = f"FREQ=WEEKLY;BYDAY={WEEKDAYS[weekday]}"
        return Repetition(pattern, interval.every // 7), 0
    fits = Counter(fit for day in days for fit in _days_of_month(day))
    (usual, moved), number = max(fits.items(), key=lambda fit: (fit[1], not fit[0][1]))
    if number < len(days) / 3:
        usual, moved = sorted(date.day for date in dates)[len(dates) // 2], 0
    usual = usual if usual <= 28 else -1
    if (usual, moved) == (-1, -1):
        return Repetition(LAST_WORKING_DAY, interval.every), 0
    return Repetition(f"FREQ=MONTHLY;BYMONTHDAY={usual}", interval.every), moved


@lru_cache(maxsize=4_096)
def _days_of_month(paid: int) -> list[tuple[int, int]]:
    """Return each day of the month on which it may be due (-1: the last), and how it moved."""
    weekday = to_date(paid).weekday()
    reaches = {0: [0]}
    if weekday < 5:
        reaches |= {1: [0, -1, -2] if weekday == 0 else [0], -1: [0, 1, 2] if weekday == 4 else [0]}
    found = []
    for moved, reach in reaches.items():
        for days in reach:
            due = paid + days * DAY_SECONDS
            found.append((to_date(due).day, moved))
            if due == end_of(Period.MONTH, due) - DAY_SECONDS:
                found.append((-1, moved))
    return found


def on_working_day(day: int, moved: int) -> int:
    """Return the day on which a payment due on ``day`` is made. moved: see `rule_of_days`."""
    weekday = to_date(day).weekday()
    if weekday < 5 or not moved:
        return day
    return day + (7 - weekday if moved > 0 else 4 - weekday) * DAY_SECONDS


def next_of_rule(interval: Interval, repetition: Repetition, last: int) -> int:
    """Return the day of the rule that is nearest to one interval after the last payment."""
    expected = interval.after(last, 1)
    near = expected - interval.tolerance * DAY_SECONDS
    if repetition.pattern == "FREQ=DAILY":
        return expected
    # A start date counts even if the rule does not produce it, so use a much earlier one.
    earlier = max(MIN_SECONDS, near - _TWO_MONTHS)
    return next_due(repetition.pattern, earlier, near) or expected
