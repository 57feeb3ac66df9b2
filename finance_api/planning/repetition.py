"""How often something repeats, as people choose it, and the RRULE that it stands for."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from finance_api.planning.recurrence import MAX_INTERVAL

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
_NUMBER = re.compile("[1-9][0-9]{0,3}")
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


#: Rules without an interval, and the day they fall on in words; "" for the day of the start date.
PATTERNS: Mapping[str, str] = _patterns()


class Repetition(NamedTuple):
    """pattern: a key of PATTERNS. every: 2 for every second week, month and so on."""

    pattern: str
    every: int = 1

    @property
    def rule(self) -> str:
        """The RRULE, which `parse_repetition` reads."""
        if self.every == 1:
            return self.pattern
        frequency, *rest = self.pattern.split(";")
        return ";".join([frequency, f"INTERVAL={self.every}", *rest])

    @property
    def words(self) -> str:
        """``every second month on the 3rd``"""
        unit = _UNITS[self.pattern.partition(";")[0].removeprefix("FREQ=")]
        often = {1: unit, 2: f"second {unit}"}.get(self.every, f"{self.every} {unit}s")
        return f"every {often} {PATTERNS[self.pattern]}".strip()


_BY_PARTS = {frozenset(pattern.split(";")): pattern for pattern in PATTERNS}


def parse_repetition(rule: str) -> Repetition | None:
    """Return what the rule stands for; None if it is not one of the patterns."""
    parts = set(rule.removeprefix("RRULE:").split(";"))
    intervals = {part for part in parts if part.startswith("INTERVAL=")}
    pattern = _BY_PARTS.get(frozenset(parts - intervals))
    every = "".join(intervals).removeprefix("INTERVAL=") or "1"
    if pattern is None or not _NUMBER.fullmatch(every) or int(every) > MAX_INTERVAL:
        return None
    return Repetition(pattern, int(every))
