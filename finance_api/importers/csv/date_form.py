"""One form of dates: strptime's directives or a readable pattern, compiled once.

Not `datetime.strptime` itself: that reads month names in the language of the process, takes a
missing year for 1900, and a hundred thousand calls of it take seconds.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted
from finance_api.values.time import from_date

#: Month names in English, as their first three letters, "sept", or in full.
_MONTH_NUMBERS = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
}
_MONTH_NUMBERS |= {name[:3]: i for name, i in _MONTH_NUMBERS.items()} | {"sept": 9}

#: Directive -> (the group it fills, or "" if it is read over; expression; expression where
#: a number stands directly beside it and its width has to be fixed).
_DIRECTIVES = {
    "Y": ("year", "[0-9]{4}", "[0-9]{4}"),
    "y": ("year", "[0-9]{2}", "[0-9]{2}"),
    "m": ("month", "1[0-2]|0?[1-9]", "[0-9]{2}"),
    "b": ("month", "[A-Za-z]{3,9}", ""),
    "B": ("month", "[A-Za-z]{3,9}", ""),
    "d": ("day", "3[01]|[12][0-9]|0?[1-9]", "[0-9]{2}"),
    "H": ("hour", "[0-9]{1,2}", "[0-9]{2}"),
    "I": ("hour", "[0-9]{1,2}", "[0-9]{2}"),
    "M": ("minute", "[0-9]{1,2}", "[0-9]{2}"),
    "S": ("second", "[0-9]{1,2}", "[0-9]{2}"),
    "f": ("", "[0-9]{1,9}", "[0-9]{6}"),
    "p": ("half", r"[AaPp]\.?[Mm]\.?", ""),
    "z": ("offset", "Z|[+-][0-9]{2}:?[0-9]{2}", ""),
    "Z": ("", "[A-Za-z]{1,5}", ""),
    "a": ("", "[A-Za-z]{2,9}", ""),
    "A": ("", "[A-Za-z]{2,9}", ""),
}
_READABLE = {
    "YYYY": "%Y",
    "YY": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "DD": "%d",
    "D": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
}
_READABLE_TOKEN = re.compile("YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|mm|ss|[A-SU-Za-su-z]+")
_TOKEN = re.compile(r"%(.?)|(\s+)|([^%\s]+)", re.DOTALL)

#: The time of day that may follow a form without one.
_TIME = (
    r"(?:(?:[Tt]|,?\s{1,2})(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?(?:\s?(?P<half>[AaPp][Mm]))?"
    r"(?:\s?(?P<offset>[Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
_DAY = ["day", "month", "year"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Longest text that is looked at as a date.
_LONGEST = 64


@dataclass(frozen=True)
class DateForm:
    """name: as the user wrote it, or may write it after --date-format."""

    name: str
    _pattern: re.Pattern[str]
    _short_year: bool
    _groups: frozenset[str]

    @classmethod
    def compile(cls, name: str) -> "DateForm":
        """Raises ImportRefused naming --date-format."""
        expression, fills, used = _expression(name, name if "%" in name else _from_readable(name))
        if sorted(set(fills) & set(_DAY)) != _DAY or len(set(fills)) < len(fills):
            raise ImportRefused(
                f"--date-format {quoted(name)} needs the day, the month and the year, once each, "
                "as in %d/%m/%Y or DD/MM/YYYY"
            )
        pattern = re.compile(expression + ("" if used & set("HIMS") else _TIME))
        return cls(name, pattern, "y" in used, frozenset(pattern.groupindex))

    def read(self, text: str) -> int | None:
        """Seconds of the day and time as written; None if the text has another form or is no day.

        A time zone moves nothing. Years of two digits are POSIX's (strptime): 69 to 99 are 19YY,
        00 to 68 are 20YY.
        """
        match = None if len(text) > _LONGEST else self._pattern.fullmatch(text)
        if match is None:
            return None
        day = self._day(match)
        if day is None or "hour" not in self._groups or match["hour"] is None:
            return day
        time = self._time(match)
        return None if time is None else day + time

    def read_instant(self, text: str, zone: ZoneInfo) -> int | None:
        """The day and time in ``zone`` of an instant, in UTC where it names no offset.

        None if the text has another form, or no time.
        """
        match = None if len(text) > _LONGEST else self._pattern.fullmatch(text)
        if match is None or "hour" not in self._groups or match["hour"] is None:
            return None
        day, time = self._day(match), self._time(match)
        if day is None or time is None:
            return None
        offset = self._part(match, "offset") or "Z"
        instant = day + time - (_offset_seconds(offset) if offset[0] in "+-" else 0)
        try:
            local = (_EPOCH + timedelta(seconds=instant)).astimezone(zone)
        except OverflowError:
            return None
        shift = local.utcoffset()
        assert shift is not None
        return instant + int(shift.total_seconds())

    def _day(self, match: re.Match[str]) -> int | None:
        year = int(match["year"])
        if self._short_year:
            year += 1900 if year >= 69 else 2000
        month = match["month"]
        number = int(month) if month.isdigit() else _MONTH_NUMBERS.get(month.lower(), 0)
        try:
            return from_date(date(year, number, int(match["day"])))
        except ValueError:
            return None

    def _time(self, match: re.Match[str]) -> int | None:
        """Seconds since midnight, 0 without a time; None if there is no such time."""
        hour, minute, second = (
            int(self._part(match, name) or 0) for name in ("hour", "minute", "second")
        )
        half = self._part(match, "half").lower()
        if half:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if half[0] == "p" else 0)
        if hour > 23 or minute > 59 or second > 59:
            return None
        return hour * 3600 + minute * 60 + second

    def _part(self, match: re.Match[str], group: str) -> str:
        return match[group] or "" if group in self._groups else ""


def _offset_seconds(text: str) -> int:
    digits = text[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if text[0] == "-" else seconds


def _from_readable(name: str) -> str:
    # "yyyy-mm-dd" means the same as in capitals unless there are hours: then mm are minutes.
    text = name.upper() if name.islower() and "h" not in name else name

    def directive(match: re.Match[str]) -> str:
        if match[0] not in _READABLE:
            raise ImportRefused(
                f"--date-format {quoted(name)}: {quoted(match[0])} is not one of "
                + ", ".join(_READABLE)
            )
        return _READABLE[match[0]]

    return _READABLE_TOKEN.sub(directive, text)


def _expression(name: str, directives: str) -> tuple[str, list[str], set[str]]:
    """The regular expression, the groups it fills, and the directives in it.

    No directive comes twice, so that matching stays short whatever the form.
    """
    tokens = [match.groups() for match in _TOKEN.finditer(directives)]
    numeric = [
        bool(letter) and bool(_DIRECTIVES.get(letter, ("", "", ""))[2]) for letter, *_ in tokens
    ]
    parts: list[str] = []
    fills: list[str] = []
    used: set[str] = set()
    for index, (letter, space, literal) in enumerate(tokens):
        if letter is None:
            parts.append(r"\s+" if space else re.escape(literal))
        elif letter == "%":
            parts.append("%")
        elif letter not in _DIRECTIVES or letter in used:
            raise ImportRefused(
                f"--date-format {quoted(name)}: %{letter} is given twice"
                if letter in used
                else f"--date-format {quoted(name)}: {quoted('%' + letter)} is not one of "
                + ", ".join("%" + known for known in _DIRECTIVES)
            )
        else:
            used.add(letter)
            group, free, fixed = _DIRECTIVES[letter]
            beside = numeric[index - 1 : index] + numeric[index + 1 : index + 2]
            expression = fixed if numeric[index] and any(beside) else free
            if not group:
                parts.append(f"(?:{expression})")
                continue
            # A group filled twice (%m and %b) is refused by the caller, who sees it in `fills`.
            parts.append(f"(?P<{group}>{expression})" if group not in fills else "")
            fills.append(group)
    return "".join(parts), fills, used
