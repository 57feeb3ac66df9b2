"""Recurrence rules for programs that pay on a month's last day if the month is too short."""

from datetime import date


def monthly_rule(day: int, interval: int = 1) -> str:
    """Return the rule for a day of the month, from 1 to 31."""
    return f"FREQ=MONTHLY;INTERVAL={interval};{_days(day)}"


def yearly_rule(first: date, interval: int = 1) -> str:
    """Return the rule for a day of the year; 29 February is the last day of each February."""
    rule = f"FREQ=YEARLY;INTERVAL={interval}"
    is_leap_day = (first.month, first.day) == (2, 29)
    return f"{rule};BYMONTH=2;BYMONTHDAY=-1" if is_leap_day else rule


def _days(day: int) -> str:
    if day <= 28:
        return f"BYMONTHDAY={day}"
    if day == 31:
        return "BYMONTHDAY=-1"
    days = ",".join(map(str, range(28, day + 1)))
    return f"BYMONTHDAY={days};BYSETPOS=-1"
