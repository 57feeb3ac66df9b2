"""Recurrence rules: RRULEs (RFC 5545) that produce days, without times."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from finance_api.planning.rule_days import LAST_DAY, Rule, days_by_year, positions
from finance_api.values.time import MAX_SECONDS, from_date, to_date

MAX_INTERVAL = 1_000
MAX_COUNT = 10_000

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PARTS = {
    "FREQ": re.compile("DAILY|WEEKLY|MONTHLY|YEARLY"),
    "INTERVAL": re.compile("[0-9]{1,4}"),
    "COUNT": re.compile("[0-9]{1,5}"),
    "UNTIL": re.compile("[0-9]{8}(?:T[0-9]{6}Z?)?"),
    "WKST": re.compile("|".join(WEEKDAYS)),
}
_NUMBER = re.compile("([+-]?[0-9]{1,3})()")
#: The parts that are lists: the form of an entry, its largest number, and the number of different
#: entries.
_LISTS = {
    "BYDAY": (re.compile(f"([+-]?[0-9]{{1,2}})?({'|'.join(WEEKDAYS)})"), 53, 7 + 7 * 2 * 53),
    "BYMONTH": (re.compile("([0-9]{1,2})()"), 12, 12),
    "BYMONTHDAY": (_NUMBER, 31, 2 * 31),
    "BYYEARDAY": (_NUMBER, 366, 2 * 366),
    "BYWEEKNO": (_NUMBER, 53, 2 * 53),
    "BYSETPOS": (_NUMBER, 366, 2 * 366),
}
_NO_UNTIL = "99991231"
_FIRST_START = date(1900, 1, 1)


class RuleError(ValueError):
    """The rule is not accepted; the message says why."""


def check_rule(text: str | None, start: int | None) -> None:
    """Raise RuleError unless ``text`` is a valid rule that can occur on or after ``start``."""
    if text is None:
        return
    rule = _parse(text)
    if start is None or to_date(start) < _FIRST_START:
        raise RuleError(f"needs a startDate of {_FIRST_START} or later")
    # Whether a rule occurs does not depend on its end.
    if not _occurs(rule._replace(times=None, until=LAST_DAY), to_date(start)):
        raise RuleError("never occurs: no day has everything it asks for")


@lru_cache(maxsize=1_024)
def _occurs(rule: Rule, first: date) -> bool:
    rule = rule.starting(first)
    return any(days_by_year(rule, rule.phase(first), first.toordinal(), LAST_DAY))


class Schedule(NamedTuple):
    """The days of a rule from some day on. Rules with the same days mostly have equal schedules.

    start: a day that counts even if the rule does not produce it. rule: None if ``start`` is the
    only day. phase: the number of a period in which the rule recurs, modulo its interval. first:
    the day from which COUNT counts. now: the first day to take from the rule.
    """

    start: int | None
    rule: Rule | None = None
    phase: int = 0
    first: int = 1
    now: int = 1

    def days(self, end: int = MAX_SECONDS + 1) -> Iterator[int]:
        """Yield the first second of each day before the day ``end``, in order."""
        if self.start is not None and self.start < end:
            yield self.start
        if self.rule is None:
            return
        left = MAX_SECONDS if self.rule.times is None else self.rule.times
        last = min(self.rule.until, to_date(end - 1).toordinal())
        for january, days in days_by_year(self.rule, self.phase, self.first, last):
            number = days.bit_count()
            if january + days.bit_length() > self.now:
                for day in islice(positions(days), left):
                    if january + day >= self.now:
                        yield from_date(date.fromordinal(january + day))
            left -= number
            if left <= 0:
                return


def schedule_of(text: str | None, start: int | None, today: int) -> Schedule | None:
    """Return the days on or after both ``today`` and ``start``; None if no such day can exist.

    If there is no rule, ``start`` is the only day. If there is a rule, ``start`` is the first day,
    even if the rule does not produce that day (RFC 5545, DTSTART). A stored rule that is no longer
    accepted has no days.
    """
    if start is None:
        return None
    own = start if start >= today else None
    if text is None:
        return None if own is None else Schedule(own)
    try:
        rule = _parse(text)
    except RuleError:
        return None
    first, now = to_date(start), to_date(today).toordinal()
    after = first.toordinal() + 1
    if after - 1 > rule.until:
        return None
    rule = rule.starting(first)
    phase = rule.phase(first)
    if rule.times is None:
        return Schedule(own, rule, phase, max(after, now), now)
    # The start is the first occurrence, even if the rule does not produce it.
    return Schedule(own, rule._replace(times=rule.times - 1), phase, after, now)


def next_due(text: str | None, start: int | None, today: int) -> int | None:
    """Return the first day on or after both ``today`` and ``start``; None if there is no day."""
    schedule = schedule_of(text, start, today)
    return None if schedule is None else first_day(schedule)


@lru_cache(maxsize=8_192)
def first_day(schedule: Schedule) -> int | None:
    return next(schedule.days(), None)


@lru_cache(maxsize=8_192)
def last_day(schedule: Schedule, end: int) -> int | None:
    """Return the last day before ``end``; None if there is no day."""
    return max(schedule.days(end), default=None)


# -- parsing --------------------------------------------------------------------------------------


@lru_cache(maxsize=1_024)
def _parse(text: str) -> Rule:
    parts = _parts(text)
    if "FREQ" not in parts:
        raise RuleError("has no FREQ")
    frequency, count = parts["FREQ"], int(parts.get("COUNT", "1"))
    interval = int(parts.get("INTERVAL", "1"))
    if not 1 <= interval <= MAX_INTERVAL:
        raise RuleError(f"has an INTERVAL outside 1 to {MAX_INTERVAL}")
    if not 1 <= count <= MAX_COUNT:
        raise RuleError(f"has a COUNT outside 1 to {MAX_COUNT}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RuleError("has both COUNT and UNTIL")
    if "BYSETPOS" in parts and not _LISTS.keys() & parts.keys() - {"BYSETPOS"}:
        raise RuleError("has BYSETPOS without another BY… part to choose from")
    try:
        until = datetime.strptime(parts.get("UNTIL", _NO_UNTIL)[:8], "%Y%m%d").toordinal()
    except ValueError:
        raise RuleError(f"has an impossible UNTIL: {parts['UNTIL']!r}") from None
    lists = {name: _entries(name, parts[name]) for name in _LISTS if name in parts}
    # A day or a week has only one day of each weekday.
    is_numbered = frequency in ("MONTHLY", "YEARLY")
    return Rule(
        frequency,
        interval,
        count if "COUNT" in parts else None,
        until,
        WEEKDAYS.index(parts.get("WKST", "MO")),
        frozenset((number * is_numbered, day) for number, day in lists.pop("BYDAY", ())),
        *(frozenset(n for n, _ in lists.get(name, ())) for name in _LISTS if name != "BYDAY"),
    )


def _parts(text: str) -> dict[str, str]:
    """Parse a rule into its parts, by name. Check neither lists nor how the parts fit together."""
    parts: dict[str, str] = {}
    for part in text.removeprefix("RRULE:").split(";"):
        name, equals, value = part.partition("=")
        if name in parts:
            raise RuleError(f"has {name} twice")
        if not equals or name not in (*_PARTS, *_LISTS):
            takes = ", ".join((*_PARTS, *_LISTS))
            raise RuleError(f"has the part {part!r}; it takes {takes}")
        if name in _PARTS and not _PARTS[name].fullmatch(value):
            raise RuleError(f"has an impossible {name}: {value!r}")
        parts[name] = value
    return parts


def _entries(name: str, value: str) -> frozenset[tuple[int, int]]:
    """Parse a list into a set of numbers, with the weekday if it has weekdays, otherwise 0."""
    pattern, largest, most = _LISTS[name]
    if value.count(",") >= most:
        raise RuleError(f"has more than {most} entries in {name}")
    found = set()
    for entry in value.split(","):
        match = pattern.fullmatch(entry)
        if not match or not (match[1] is None or 1 <= abs(int(match[1])) <= largest):
            raise RuleError(f"has an impossible {name}: {entry!r}")
        found.add((int(match[1] or 0), WEEKDAYS.index(match[2]) if match[2] else 0))
    return frozenset(found)
