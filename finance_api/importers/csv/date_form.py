"""One form of dates: strptime's directives or a readable pattern, compiled once.

Not `datetime.strptime` itself: that reads month names in the language of the process, takes a
missing year for 1900, and a hundred thousand calls of it take seconds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from finance_api.importers.csv.vocabulary import WEEKDAYS, month_number
from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted
from finance_api.values.time import DAY_SECONDS, from_date

#: The first year that a bank's file has.
FIRST_YEAR = 1970

#: Directive -> (the group it fills, or "" if it is read over; expression; expression where
#: a number stands directly beside it and its width has to be fixed).
_DIRECTIVES = {
    "Y": ("year", "[0-9]{4}", "[0-9]{4}"),
    "y": ("year", "[0-9]{2}", "[0-9]{2}"),
    "m": ("month", "1[0-2]|0?[1-9]", "[0-9]{2}"),
    "b": ("month", r"[^\W\d_]{3,12}\.?", ""),
    "B": ("month", r"[^\W\d_]{3,12}\.?", ""),
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
    "de": "de",
}
_READABLE_TOKEN = re.compile("YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|mm|ss|de|[A-SU-Za-su-z]+")
_TOKEN = re.compile(r"%(.?)|(\s+)|([^%\s]+)", re.DOTALL)

#: The time of day that may follow a form without one.
_TIME = (
    r"(?:(?:[Tt]|,?\s{1,2})(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?(?:\s?(?P<half>[AaPp][Mm]))?"
    r"(?:\s?(?P<offset>[Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
#: A day of the week may stand before a date.
_WEEKDAY = re.compile(rf"(?:{'|'.join(WEEKDAYS)})[.,]{{0,2}} ", re.IGNORECASE)
_DAY = ["day", "month", "year"]

#: Longest text that is looked at as a date.
_LONGEST = 64
#: The name of the form of Excel's days: their number since the end of 1899, with the time as a
#: fraction.
EXCEL = "Excel"
_SERIAL = re.compile(r"(?P<serial>[0-9]{5})(?:[.,](?P<fraction>[0-9]{1,15}))?")
#: Day 0 of Excel, from March 1900 on.
_DAY_0 = date(1899, 12, 30)


class Moment(NamedTuple):
    """day: seconds of its 00:00:00. time: seconds since then, None if the text has none.

    offset: seconds by which the time is ahead of UTC; None if the text does not say.
    """

    day: int
    time: int | None = None
    offset: int | None = None


@dataclass(frozen=True)
class DateForm:
    """name: as the user wrote it, or may write it after --date-format.

    _period: the first and last day of dates without a year.
    """

    name: str
    _pattern: re.Pattern[str]
    _short_year: bool = False
    _period: tuple[date, date] | None = None

    @classmethod
    def compile(cls, name: str) -> "DateForm":
        """Raises ImportRefused naming --date-format."""
        if name.lower() == EXCEL.lower():
            return DateForm(EXCEL, _SERIAL)
        form, period = _period_of(name)
        expression, fills, used = _expression(name, form if "%" in form else _from_readable(form))
        needed = _DAY if period is None else _DAY[:2]
        if sorted(set(fills) & set(_DAY)) != needed or len(set(fills)) < len(fills):
            raise ImportRefused(
                f"--date-format {quoted(name)} needs the day, the month and the year, once each, "
                "as in %d/%m/%Y or DD/MM/YYYY; or the days of the file in place of the year, as in "
                "DD.MM. 2026-01-01..2026-01-31"
            )
        pattern = re.compile(expression + ("" if used & set("HIMS") else _TIME))
        return cls(name, pattern, "y" in used, period)

    def read(self, text: str) -> int | None:
        """Seconds of the day and time as written, whatever the time zone. See `moment`."""
        moment = self.moment(text)
        return None if moment is None else moment.day + (moment.time or 0)

    def moment(self, text: str) -> Moment | None:
        """None if the text has another form, is no day, or is before 1970.

        Years of two digits are POSIX's (strptime): 69 to 99 are 19YY, 00 to 68 are 20YY.
        """
        parts = self._parts(text)
        if parts is None:
            return None
        if "serial" in parts:
            serial = _DAY_0 + timedelta(days=int(parts["serial"]))
            return Moment(
                from_date(serial), round(float(f"0.{parts['fraction']}0") * DAY_SECONDS) or None
            )
        day = self._day(parts)
        if day is None or not parts.get("hour"):
            return None if day is None else Moment(from_date(day))
        time = _time(parts)
        offset = parts.get("offset")
        if time is None:
            return None
        return Moment(from_date(day), time, _offset_seconds(offset) if offset else None)

    def year_of(self, text: str) -> int | None:
        """The year of a text of this form, also of one that is no day; None for another text."""
        parts = self._parts(text)
        return None if parts is None or "year" not in parts else self._year(parts)

    def _parts(self, text: str) -> dict[str, str] | None:
        if len(text) > _LONGEST:
            return None
        match = self._pattern.fullmatch(text)
        if match is None and text[:1].isalpha():
            match = self._pattern.fullmatch(_without_weekday(text))
        return None if match is None else match.groupdict("")

    def _year(self, parts: Mapping[str, str]) -> int:
        year = int(parts["year"])
        return year + (1900 if year >= 69 else 2000) if self._short_year else year

    def _day(self, parts: Mapping[str, str]) -> date | None:
        month = parts["month"]
        number = int(month) if month.isdigit() else month_number(month)
        if self._period is None:
            day = _date(self._year(parts), number, parts["day"])
            return None if day is None or day.year < FIRST_YEAR else day
        first, last = self._period
        days = [_date(year, number, parts["day"]) for year in range(first.year, last.year + 1)]
        within = [day for day in days if day is not None and first <= day <= last]
        return within[0] if len(within) == 1 else None


def _time(parts: Mapping[str, str]) -> int | None:
    """Seconds since midnight; None if there is no such time."""
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half = parts.get("half", "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return hour * 3600 + minute * 60 + second


_PERIOD = re.compile(r"(.+) ([0-9]{4}-[0-9]{2}-[0-9]{2})\.\.([0-9]{4}-[0-9]{2}-[0-9]{2})")


def _period_of(name: str) -> tuple[str, tuple[date, date] | None]:
    """The form of dates without a year, and the days of the file, which follow it."""
    match = _PERIOD.fullmatch(name)
    if match is None:
        return name, None
    try:
        return match[1], (date.fromisoformat(match[2]), date.fromisoformat(match[3]))
    except ValueError:
        raise ImportRefused(f"--date-format {quoted(name)}: there is no such day") from None


@lru_cache(1024)
def _without_weekday(text: str) -> str:
    match = _WEEKDAY.match(text)
    return text if match is None else text[match.end() :]


def _date(year: int, month: int, day: str) -> date | None:
    try:
        return date(year, month, int(day))
    except ValueError:
        return None


def _offset_seconds(text: str) -> int:
    if text[:1] not in ("+", "-"):
        return 0
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
