"""Recurrence rules: RRULEs (RFC 5545) that produce days, without times."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from dateutil.rrule import rrule, rrulestr

from finance_api.runtime.time_limit import in_time
from finance_api.values.time import from_date, to_date

MAX_INTERVAL = 1_000
MAX_COUNT = 10_000

_FREQUENCIES = {"DAILY": "days", "WEEKLY": "weeks", "MONTHLY": "months", "YEARLY": "years"}
_NUMBERS = r"[+-]?[0-9]{1,3}(?:,[+-]?[0-9]{1,3})*"
_PARTS = {
    "FREQ": re.compile("|".join(_FREQUENCIES)),
    "INTERVAL": re.compile(r"[0-9]{1,4}"),
    "COUNT": re.compile(r"[0-9]{1,5}"),
    "UNTIL": re.compile(r"[0-9]{8}(?:T[0-9]{6}Z?)?"),
    "WKST": re.compile(r"MO|TU|WE|TH|FR|SA|SU"),
    "BYDAY": re.compile(
        r"(?:[+-]?[0-9]{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?[0-9]{1,2})?(?:MO|TU|WE|TH|FR|SA|SU))*"
    ),
    "BYMONTH": re.compile(r"[0-9]{1,2}(?:,[0-9]{1,2})*"),
    "BYMONTHDAY": re.compile(_NUMBERS),
    "BYYEARDAY": re.compile(_NUMBERS),
    "BYWEEKNO": re.compile(_NUMBERS),
    "BYSETPOS": re.compile(_NUMBERS),
}
_LAST_DAY = "99991231"
_LAST_MIDNIGHT = datetime(9999, 12, 31)
#: If a rule has none of these parts, it recurs on the day of the month on which it started.
_DAYS = frozenset({"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"})
_FIRST_START = datetime(1900, 1, 1)
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LIMITS = {"BYMONTH": 12, "BYMONTHDAY": 31, "BYYEARDAY": 366, "BYWEEKNO": 53, "BYSETPOS": 366}


class RuleError(ValueError):
    """The rule is not accepted; the message says why."""


def check_rule(text: str | None, start: int | None) -> None:
    """Raise RuleError unless ``text`` is a valid rule that can occur on or after ``start``."""
    if text is None:
        return
    parts = _parse(text)
    if start is None or _at_midnight(start) < _FIRST_START:
        raise RuleError(f"needs a startDate of {_FIRST_START:%Y-%m-%d} or later")
    _check_days(parts)
    # Every request would search up to the year 9999 for a day of a rule that never occurs.
    # UNTIL and COUNT end the search, so they are ignored here.
    endless = {name: value for name, value in parts.items() if name not in ("UNTIL", "COUNT")}
    first = _at_midnight(start)
    if _rule(endless, first).after(first, inc=True) is None:
        raise RuleError("never occurs")


class Schedule(NamedTuple):
    """The days of a rule from some day on. Rules with the same days mostly have equal schedules.

    start: a day that counts even if the rule does not produce it. parts: the parts of the rule;
    empty if ``start`` is the only day. first: the day on which the rule begins. now, until: the
    first and last day to take from the rule.
    """

    start: int | None
    parts: tuple[tuple[str, str], ...] = ()
    first: datetime = _FIRST_START
    now: datetime = _FIRST_START
    until: datetime = _LAST_MIDNIGHT

    def days(self) -> Iterator[int]:
        """Yield the first second of each day, in order, possibly without end."""
        if self.start is not None:
            yield self.start
        if not self.parts:
            return
        parts = dict(self.parts)
        count = parts.pop("COUNT", None)
        rule = _rule(parts, self.first)
        if count is None:
            rule = rule.replace(until=self.until)
        else:
            # The start counts toward COUNT even if the rule does not produce it.
            is_given = rule.after(self.first, inc=True) == self.first
            left = int(count) if is_given else int(count) - 1
            if not left:
                return
            rule = rule.replace(count=left)
        for day in in_time(rule.xafter(self.now, inc=True)):
            yield from_date(day.date())


def schedule_of(text: str | None, start: int | None, today: int) -> Schedule | None:
    """Return the days on or after both ``today`` and ``start``; None if no such day can exist.

    If there is no rule, ``start`` is the only day. If there is a rule, ``start`` is the first day,
    even if the rule does not produce that day (RFC 5545, DTSTART).
    """
    if start is None:
        return None
    if text is None:
        return Schedule(start) if start >= today else None
    parts = dict(_parse(text))
    first, now = _at_midnight(start), _at_midnight(today)
    # UNTIL includes its day. Drop the zone: dateutil cannot compare it with a start without zone.
    until = datetime.strptime(parts.pop("UNTIL", _LAST_DAY)[:8], "%Y%m%d")
    own = None
    if now <= first:
        if first > until:
            return None
        if first == _LAST_MIDNIGHT:
            return Schedule(start)
        own, now = start, first + timedelta(days=1)
    if "COUNT" not in parts:
        first = _advanced(first, now, parts)
    return Schedule(own, tuple(parts.items()), first, now, until)


def next_due(text: str | None, start: int | None, today: int) -> int | None:
    """Return the first day on or after both ``today`` and ``start``; None if there is no day."""
    schedule = schedule_of(text, start, today)
    return None if schedule is None else first_day(schedule)


@lru_cache(maxsize=8_192)
def first_day(schedule: Schedule) -> int | None:
    return next(schedule.days(), None)


@lru_cache(maxsize=1_024)
def _parse(text: str) -> Mapping[str, str]:
    parts = _parts(text)
    if "FREQ" not in parts:
        raise RuleError("has no FREQ")
    if not 1 <= int(parts.get("INTERVAL", "1")) <= MAX_INTERVAL:
        raise RuleError(f"has an INTERVAL outside 1 to {MAX_INTERVAL}")
    if not 1 <= int(parts.get("COUNT", "1")) <= MAX_COUNT:
        raise RuleError(f"has a COUNT outside 1 to {MAX_COUNT}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RuleError("has both COUNT and UNTIL")
    if "BYSETPOS" in parts and not any(n.startswith("BY") and n != "BYSETPOS" for n in parts):
        raise RuleError("has BYSETPOS without another BY… part to choose from")
    if "UNTIL" in parts:
        try:
            datetime.strptime(parts["UNTIL"][:8], "%Y%m%d")
        except ValueError:
            raise RuleError(f"has an impossible UNTIL: {parts['UNTIL']!r}") from None
    return parts


def _parts(text: str) -> dict[str, str]:
    """Parse a rule into its parts, by name. Check each part, but not how the parts fit together."""
    parts: dict[str, str] = {}
    for part in text.removeprefix("RRULE:").split(";"):
        name, equals, value = part.partition("=")
        if name in parts:
            raise RuleError(f"has {name} twice")
        pattern = _PARTS.get(name)
        if not equals or pattern is None:
            raise RuleError(f"has the part {part!r}; it takes {', '.join(_PARTS)}")
        if not pattern.fullmatch(value):
            raise RuleError(f"has an impossible {name}: {value!r}")
        for number in value.split(",") if name in _LIMITS else ():
            if not 1 <= abs(int(number)) <= _LIMITS[name]:
                raise RuleError(f"has an impossible {name}: {number}")
        parts[name] = value
    return parts


def _check_days(parts: Mapping[str, str]) -> None:
    """Raise RuleError if none of the months has any of the days, such as 30 February."""
    if "BYMONTH" not in parts or "BYMONTHDAY" not in parts:
        return
    longest = max(_LONGEST[int(month) - 1] for month in parts["BYMONTH"].split(","))
    if all(abs(int(day)) > longest for day in parts["BYMONTHDAY"].split(",")):
        raise RuleError("never occurs")


def _advanced(first: datetime, now: datetime, parts: dict[str, str]) -> datetime:
    """Return a start nearer to ``now`` that gives the same occurrences from ``now`` on.

    This avoids walking through a rule that began long ago. If the rule has no day of its own, the
    day of ``first`` is added to ``parts``.
    """
    interval = int(parts.get("INTERVAL", "1"))
    unit = _FREQUENCIES[parts["FREQ"]]
    if unit in ("days", "weeks"):
        step = timedelta(**{unit: interval})
        return first + step * max(0, (now - first) // step - 1)
    if unit == "months":
        passed = (now.year - first.year) * 12 + now.month - first.month
        months = first.year * 12 + first.month - 1 + passed // interval * interval
        period = datetime(months // 12, months % 12 + 1, 1)
    else:
        period = datetime(first.year + (now.year - first.year) // interval * interval, 1, 1)
    if period <= first:
        return first
    if not _DAYS & parts.keys():
        parts["BYMONTHDAY"] = str(first.day)
        if unit == "years":
            parts.setdefault("BYMONTH", str(first.month))
    return period


def _rule(parts: Mapping[str, str], first: datetime) -> rrule:
    rule = rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=first)
    assert isinstance(rule, rrule)
    return rule


def _at_midnight(seconds: int) -> datetime:
    return datetime.combine(to_date(seconds), datetime.min.time())
