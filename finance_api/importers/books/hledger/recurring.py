"""Finds the recurrence rule that gives the days on which a periodic rule generated something."""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from finance_api.importers.books.recurrence import WEEKDAYS, Recurrence

#: What gives a period an end, once its first day is left out.
_FIRST_DAY = re.compile(r"\b(?:from|since) +[0-9][0-9/.-]*+(?!\.\.)")
_CLOSING = re.compile(r"[0-9]{4}|\b(?:to|until|in|this|next|last)\b|\.\. *+[0-9]")


def recurrence_of(days: Sequence[date], period: str) -> Recurrence | None:
    """Return the rule of the days, which are in order; None if no rule gives exactly them.

    period: as the user wrote it; it decides whether the rule ends with the last of the days.
    """
    if len(days) == 1:
        return Recurrence(days[0], None)
    rule = next(_rules(days), None)
    if rule is None:
        return None
    has_end = _CLOSING.search(_FIRST_DAY.sub("", period)) is not None
    return Recurrence(days[0], f"{rule};UNTIL={days[-1]:%Y%m%d}" if has_end else rule)


def _rules(days: Sequence[date]) -> Iterator[str]:
    months = {(b.year - a.year) * 12 + b.month - a.month for a, b in pairwise(days)}
    if len(months) == 1 and (interval := months.pop()):
        for by in _days_of_month(days):
            if interval % 12 == 0 and by.startswith("BYMONTHDAY") and "," not in by:
                yield f"FREQ=YEARLY;INTERVAL={interval // 12};BYMONTH={days[0].month};{by}"
            else:
                yield f"FREQ=MONTHLY;INTERVAL={interval};{by}"
    gaps = {(b - a).days for a, b in pairwise(days)}
    if len(gaps) == 1:
        weeks, rest = divmod(min(gaps), 7)
        yield f"FREQ=DAILY;INTERVAL={min(gaps)}" if rest else f"FREQ=WEEKLY;INTERVAL={weeks}"
    weekdays = sorted({day.weekday() for day in days})
    span = (days[-1] - days[0]).days + 1
    if [days[0] + timedelta(n) for n in range(span) if _falls(days[0], n, weekdays)] == list(days):
        yield "FREQ=WEEKLY;INTERVAL=1;BYDAY=" + ",".join(WEEKDAYS[day] for day in weekdays)


def _falls(first: date, after: int, weekdays: Sequence[int]) -> bool:
    return (first + timedelta(after)).weekday() in weekdays


def _days_of_month(days: Sequence[date]) -> Iterator[str]:
    lengths = [monthrange(day.year, day.month)[1] for day in days]
    numbers = {day.day for day in days}
    if len(numbers) == 1:
        yield f"BYMONTHDAY={days[0].day}"
    if all(day.day == length for day, length in zip(days, lengths, strict=True)):
        yield "BYMONTHDAY=-1"
    greatest = max(numbers)
    if all(day.day == min(greatest, n) for day, n in zip(days, lengths, strict=True)):
        yield f"BYMONTHDAY={','.join(map(str, range(28, greatest + 1)))};BYSETPOS=-1"
    if len({day.weekday() for day in days}) == 1:
        nths = {(day.day - 1) // 7 + 1 for day in days}
        name = WEEKDAYS[days[0].weekday()]
        if len(nths) == 1:
            yield f"BYDAY={nths.pop()}{name}"
        elif all(day.day + 7 > length for day, length in zip(days, lengths, strict=True)):
            yield f"BYDAY=-1{name}"
