"""The repetitions that people choose from, such as every second week, and their RRULEs."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from finance_api.planning.recurrence import MAX_COUNT, MAX_INTERVAL
from finance_api.values.time import TimeError, date_text, parse_date

_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_WORKING_DAYS = "MO,TU,WE,TH,FR"
LAST_WORKING_DAY = f"FREQ=MONTHLY;BYDAY={_WORKING_DAYS};BYSETPOS=-1"
_PLACES = {"1": "first", "2": "second", "3": "third", "4": "fourth", "-1": "last"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_NUMBER = re.compile("[0-9]{1,5}")
#: The day of an UNTIL. A time may follow, but the whole day belongs to the rule.
_UNTIL = re.compile("([0-9]{4})([0-9]{2})([0-9]{2})(?:T[0-9]{6}Z?)?")
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


def ordinal(number: int) -> str:
    """``1st``, ``22nd``, ``13th``"""
    if 10 < number % 100 < 14:
        return f"{number}th"
    return f"{number}{_ENDINGS.get(number % 10, 'th')}"


def _patterns() -> dict[str, str]:
    found = {"FREQ=DAILY": "", "FREQ=WEEKLY": ""}
    found |= {f"FREQ=WEEKLY;BYDAY={day}": f"on {word}" for day, word in _DAYS.items()}
    found["FREQ=MONTHLY"] = ""
    for number in range(1, 32):
        only = ", if the month has it" if number > 28 else ""
        found[f"FREQ=MONTHLY;BYMONTHDAY={number}"] = f"on the {ordinal(number)}{only}"
    found["FREQ=MONTHLY;BYMONTHDAY=-1"] = "on the last day"
    for place in ("1", "-1"):
        pattern = f"FREQ=MONTHLY;BYDAY={_WORKING_DAYS};BYSETPOS={place}"
        found[pattern] = f"on the {_PLACES[place]} working day"
    for place, word in _PLACES.items():
        for day, name in _DAYS.items():
            found[f"FREQ=MONTHLY;BYDAY={place}{day}"] = f"on the {word} {name}"
    found["FREQ=YEARLY"] = ""
    return found


#: Rules without an interval, each with its day in words; "" if the start date decides the day.
PATTERNS: Mapping[str, str] = _patterns()


def unit_of(pattern: str) -> str:
    """Return the unit of a pattern: ``month``."""
    return _UNITS[pattern.partition(";")[0].removeprefix("FREQ=")]


class Repetition(NamedTuple):
    """pattern: a key of PATTERNS. every: 2 for every second week, month and so on.

    times: total number of occurrences. until: first second of the last day. At most one of the two
    is given.
    """

    pattern: str
    every: int = 1
    times: int | None = None
    until: int | None = None

    @property
    def rule(self) -> str:
        """The RRULE, which `parse_repetition` reads."""
        parts = self.pattern.split(";")
        if self.every != 1:
            parts.insert(1, f"INTERVAL={self.every}")
        if self.times is not None:
            parts.append(f"COUNT={self.times}")
        if self.until is not None:
            parts.append(f"UNTIL={date_text(self.until).replace('-', '')}")
        return ";".join(parts)

    @property
    def words(self) -> str:
        """``every second month on the 3rd``, without the end"""
        unit = unit_of(self.pattern)
        often = {1: unit, 2: f"second {unit}"}.get(self.every, f"{self.every} {unit}s")
        return f"every {often} {PATTERNS[self.pattern]}".strip()


_BY_PARTS = {frozenset(pattern.split(";")): pattern for pattern in PATTERNS}


def split_rule(rule: str) -> tuple[str | None, dict[str, str]]:
    """Return the pattern, or None for other rules, and the unchecked INTERVAL, COUNT and UNTIL."""
    parts = set(rule.removeprefix("RRULE:").split(";"))
    named = [part.partition("=") for part in parts]
    found = [(name, text) for name, _, text in named if name in ("INTERVAL", "COUNT", "UNTIL")]
    rest = parts - {f"{name}={text}" for name, text in found}
    choices = dict(found)
    return _BY_PARTS.get(frozenset(rest)) if len(choices) == len(found) else None, choices


def parse_repetition(rule: str) -> Repetition | None:
    """Parse a rule; return None if it follows none of the patterns."""
    pattern, choices = split_rule(rule)
    every = _number(choices.get("INTERVAL", "1"), MAX_INTERVAL)
    times = _number(choices.get("COUNT", ""), MAX_COUNT)
    until = until_of(choices.get("UNTIL", ""))
    is_read = (times is None, until is None) == ("COUNT" not in choices, "UNTIL" not in choices)
    if pattern is None or every is None or not is_read or None not in (times, until):
        return None
    return Repetition(pattern, every, times, until)


def _number(text: str, most: int) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) and 1 <= int(text) <= most else None


def until_of(text: str) -> int | None:
    """Return the first second of the day that an UNTIL names; None if there is no such day."""
    found = _UNTIL.fullmatch(text)
    try:
        return parse_date("-".join(found.groups())) if found else None
    except TimeError:
        return None
