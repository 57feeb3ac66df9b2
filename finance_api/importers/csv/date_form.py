"""One form of dates: strptime's directives or a readable pattern, compiled once.

Not `datetime.strptime` itself: that reads month names in the language of the process, takes a
missing year for 1900, and a hundred thousand calls of it take seconds.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

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

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Longest text that is looked at as a date.
_LONGEST = 64


@dataclass(frozen=True)
class DateForm:
    """name: as the user wrote it, or may write it after --date-format.

    _period: the first and last day of dates without a year.
    """

    name: str
    _pattern: re.Pattern[str]
    _short_year: bool
    _groups: frozenset[str]
    _period: tuple[date, date] | None = None

    @classmethod
    def compile(cls, name: str) -> "DateForm":
        """Raises ImportRefused naming --date-format."""
        if name.lower() == EXCEL.lower():
            return _ExcelDays(EXCEL, _SERIAL, False, frozenset())
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
        return cls(name, pattern, "y" in used, frozenset(pattern.groupindex), period)

    def read(self, text: str) -> int | None:
        """Seconds of the day and time as written; None if the text has another form or is no day.

        A time zone moves nothing. Years of two digits are POSIX's (strptime): 69 to 99 are 19YY,
        00 to 68 are 20YY. A year before 1970 gives None.
        """
        match = self._match(text)
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
        match = self._match(text)
        if match is None or "hour" not in self._groups or match["hour"] is None:
            return None
        day, time = self._day(match), self._time(match)
        if day is None or time is None:
            return None
        instant = day + time - _offset_seconds(self._part(match, "offset"))
        try:
            local = (_EPOCH + timedelta(seconds=instant)).astimezone(zone)
        except OverflowError:
            return None
        shift = local.utcoffset()
        assert shift is not None
        return instant + int(shift.total_seconds())

    def offset_of(self, text: str) -> int | None:
        """Seconds by which the text's time is ahead of UTC; None if it does not say."""
        match = self._match(text)
        offset = "" if match is None else self._part(match, "offset")
        return _offset_seconds(offset) if offset else None

    def year_of(self, text: str) -> int | None:
        """The year of a text of this form, also of one that is no day; None for another text."""
        match = self._match(text)
        return None if match is None or "year" not in self._groups else self._year(match)

    def _match(self, text: str) -> re.Match[str] | None:
        if len(text) > _LONGEST:
            return None
        found = self._pattern.fullmatch(text)
        if found is None and text[:1].isalpha():
            found = self._pattern.fullmatch(_without_weekday(text))
        return found

    def _year(self, match: re.Match[str]) -> int:
        year = int(match["year"])
        return year + (1900 if year >= 69 else 2000) if self._short_year else year

    def _day(self, match: re.Match[str]) -> int | None:
        month = match["month"]
        number = int(month) if month.isdigit() else month_number(month)
        if self._period is not None:
            first, last = self._period
            days = [_date(year, number, match["day"]) for year in range(first.year, last.year + 1)]
            within = [day for day in days if day is not None and first <= day <= last]
            return from_date(within[0]) if len(within) == 1 else None
        day = _date(self._year(match), number, match["day"])
        return None if day is None or day.year < FIRST_YEAR else from_date(day)

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


#: The name of the form of Excel's days.
EXCEL = "Excel"
_SERIAL = re.compile(r"([0-9]{5})(?:[.,]([0-9]{1,15}))?")
#: Day 0 of Excel, from March 1900 on.
_DAY_0 = date(1899, 12, 30)


class _ExcelDays(DateForm):
    """The number of days since the end of 1899, with the time as a fraction."""

    def read(self, text: str) -> int | None:
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        day = _DAY_0 + timedelta(days=int(match[1]))
        return from_date(day) + round(float(f"0.{match[2] or 0}") * DAY_SECONDS)

    def read_instant(self, text: str, zone: ZoneInfo) -> int | None:
        return None

    def year_of(self, text: str) -> int | None:
        return None


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
