"""Forms of dates, and columns of dates, read with the named form or with the only one that fits.

A form, in strptime's directives or as a readable pattern, is compiled once. `datetime.strptime`
itself is not used: it reads month names in the process's language, takes a missing year for 1900,
and needs seconds for a hundred thousand texts.
"""

import re
from calendar import timegm
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple
from zoneinfo import ZoneInfo

from finance_api.importers.clauses import Clause, Day, Option, Says, Topic, clause
from finance_api.importers.csv.amounts import DIGITS
from finance_api.importers.csv.vocabulary import WEEKDAYS, month_number
from finance_api.importers.interface import (
    Choice,
    ImportRefused,
    Questions,
    nothing_remembered,
    quoted,
    wrong_value,
)
from finance_api.values.time import DAY_SECONDS, from_date

#: The earliest year that is accepted.
FIRST_YEAR = 1970

#: Directive -> the group that it fills ("" if its text is skipped), and its expression.
_DIRECTIVES = {
    "Y": ("year", "[0-9]{4}"),
    "y": ("year", "[0-9]{2}"),
    "E": ("year", "[4-9][0-9]"),
    "m": ("month", "1[0-2]|0?[1-9]"),
    **dict.fromkeys("bB", ("month", r"[^\W\d_]{3,12}\.?")),
    "d": ("day", "3[01]|[12][0-9]|0?[1-9]"),
    **dict.fromkeys("HI", ("hour", "[0-9]{1,2}")),
    "M": ("minute", "[0-9]{1,2}"),
    "S": ("second", "[0-9]{1,2}"),
    "f": ("", "[0-9]{1,9}"),
    "p": ("half", r"[AaPp]\.?[Mm]\.?"),
    "z": ("offset", "Z|[+-][0-9]{2}:?[0-9]{2}"),
    "Z": ("", "[A-Za-z]{1,5}"),
    **dict.fromkeys("aA", ("", "[A-Za-z]{2,9}")),
}
#: Directive -> its number of digits, for numbers that follow each other without a separator.
_WIDTHS = {"Y": 4, "f": 6, **dict.fromkeys("yEmdHIMS", 2)}
_READABLE = {
    "YYYY": "%Y",
    "YY": "%y",
    "BB": "%E",
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
_READABLE_TOKEN = re.compile("|".join([*_READABLE, "[A-SU-Za-su-z]+"]))
#: The groups: adjacent numbers, another directive, blanks, other characters.
_TOKEN = re.compile(r"((?:%[YyEmdHIMSf])+)|%(.)|(\s+)|([^%\s]+)", re.DOTALL)

#: The time of day that may follow a date whose form has no time.
_TIME = (
    r"(?:(?:[Tt-]|,?\s{1,2})(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?(?:\s?(?P<half>[AaPp][Mm]))?"
    r"(?:\s?(?P<offset>[Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})|\s[A-Z]{3,4})?)?"
)
#: A day of the week may stand before a date.
_WEEKDAY = re.compile(rf"(?:{'|'.join(WEEKDAYS)})[.,]{{0,2}} ", re.IGNORECASE)
_PERIOD = re.compile(r"(.+) ([0-9]{4}-[0-9]{2}-[0-9]{2})\.\.([0-9]{4}-[0-9]{2}-[0-9]{2})")

#: Longest text that is examined as a date.
LONGEST = 64
#: The name of Excel's form: days since the end of 1899, with the time as a fraction.
EXCEL = "Excel"
_SERIAL = re.compile(r"(?P<serial>[0-9]{5})(?:[.,](?P<fraction>[0-9]{1,15}))?")
#: The day that counts as 0 in Excel's dates from March 1900 on.
_DAY_0 = date(1899, 12, 30)
#: The name of the form of seconds or milliseconds since 1970 in UTC.
UNIX = "Unix"
EPOCH = re.compile("(?P<epoch>[0-9]{10})(?:[0-9]{3}|[.][0-9]{1,9})?")
#: The start of a date with the year of a Japanese reign, or of the Republic of China.
_ERA = re.compile("(令和|平成|中華民國|民國|民国|[RH])? ?([0-9]{1,3}|元)(?=[年./-])")
_ERAS = {"令和": 2018, "R": 2018, "平成": 1988, "H": 1988}
_REPUBLIC = 1911
#: How many years the Buddhist era is ahead of ours.
_BUDDHIST = 543
#: Years are read as Buddhist from 2513, which is 1970, for this many years.
_YEARS_AHEAD = 200


class Moment(NamedTuple):
    """A written date. day: its 00:00:00 in seconds. time: seconds since then; None if not stated.

    offset: seconds by which the time is ahead of UTC; None if the text does not say.
    """

    day: int
    time: int | None = None
    offset: int | None = None

    @property
    def seconds(self) -> int:
        return self.day + (self.time or 0)


@dataclass(frozen=True)
class DateForm:
    """A form of dates. name: the form as the user wrote it or can write it after --date-format.

    _short_year: "y" or "E" if years have two digits. _period: the first and the last possible day
    of dates that have no year.
    """

    name: str
    _pattern: re.Pattern[str]
    _short_year: str = ""
    _period: tuple[date, date] | None = None

    @classmethod
    def compile(cls, name: str) -> "DateForm":
        """Compile a form. Raises ImportRefused that names --date-format."""
        if name.lower() == EXCEL.lower():
            return DateForm(EXCEL, _SERIAL)
        if name.lower() == UNIX.lower():
            return DateForm(UNIX, EPOCH)
        form, period = name, None
        if match := _PERIOD.fullmatch(name):
            form = match[1]
            try:
                period = date.fromisoformat(match[2]), date.fromisoformat(match[3])
            except ValueError:
                raise _refused(name, "there is no such day") from None
        directives = form if "%" in form else _from_readable(form)
        used = [letter for letter in re.findall("%(.?)", directives, re.DOTALL) if letter != "%"]
        for place, letter in enumerate(used):
            if letter in used[:place]:
                raise _refused(name, f"%{letter} is given twice")
            if letter not in _DIRECTIVES:
                known = ", ".join("%" + known for known in _DIRECTIVES)
                raise _refused(name, f"{quoted('%' + letter)} is not one of {known}")
        fills = [group for letter in used if (group := _DIRECTIVES[letter][0])]
        needed = {"day", "month"} if period else {"day", "month", "year"}
        if {"day", "month", "year"} & set(fills) != needed or len(set(fills)) < len(fills):
            fault = "needs the day, the month and the year, once each, as in %d/%m/%Y or "
            fault += "DD/MM/YYYY; or the days of the file in place of the year, as in "
            raise wrong_value("date_format", name, f"{fault}DD.MM. 2026-01-01..2026-01-31")
        time = "" if set("HIMS") & set(used) else _TIME
        pattern = re.compile(_TOKEN.sub(_expression, directives) + time)
        short_year = next((letter for letter in used if letter in "yE"), "")
        return cls(name, pattern, short_year, period)

    def read(self, text: str) -> int | None:
        """Return the date and time as written, in seconds, without any offset. See `moment`."""
        moment = self.moment(text)
        return None if moment is None else moment.seconds

    def moment(self, text: str) -> Moment | None:
        """Parse a text; return None if it has another form, is invalid, or is before 1970.

        Two-digit years follow POSIX (strptime): 69 to 99 are 19YY, 00 to 68 are 20YY; those of the
        Buddhist era, from 40 on, are 25BB.
        """
        parts = self._parts(text)
        if parts is None:
            return None
        if "epoch" in parts:
            day_start, time = divmod(int(parts["epoch"]), DAY_SECONDS)
            return Moment(day_start * DAY_SECONDS, time, 0)
        if "serial" in parts:
            serial = _DAY_0 + timedelta(days=int(parts["serial"]))
            if serial.year < FIRST_YEAR:
                return None
            time = round(float(f"0.{parts['fraction']}0") * DAY_SECONDS)
            return Moment(from_date(serial), time or None)
        day = self._day(parts)
        if day is None:
            return None
        if not parts.get("hour"):
            return Moment(from_date(day))
        seconds = _time(parts)
        return None if seconds is None else Moment(from_date(day), seconds, _offset(parts))

    def year_of(self, text: str) -> int | None:
        """Return the year of a text of this form, even if there is no such day; else None."""
        parts = self._parts(text)
        return self._year(parts) if parts and "year" in parts else None

    def _parts(self, text: str) -> dict[str, str] | None:
        if len(text) > LONGEST:
            return None
        match = self._pattern.fullmatch(text)
        if match is None and (plain := _plain(text)) != text:
            match = self._pattern.fullmatch(plain)
        return None if match is None else match.groupdict("")

    def _year(self, parts: Mapping[str, str]) -> int:
        year = int(parts["year"])
        if self._short_year == "y":
            return year + (1900 if year >= 69 else 2000)
        if self._short_year:
            year += 2500
        return year - _BUDDHIST if 0 <= year - FIRST_YEAR - _BUDDHIST < _YEARS_AHEAD else year

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


def _refused(name: str, reason: str) -> ImportRefused:
    option = Option("date_format")
    return ImportRefused(clause(Topic.VALUE_HAS_FAULT, named=option, value=name, fault=reason))


def _from_readable(name: str) -> str:
    # "yyyy-mm-dd" means the same as in capitals unless there are hours: then mm are minutes.
    text = name.upper() if name.islower() and "h" not in name else name

    def directive(match: re.Match[str]) -> str:
        if match[0] not in _READABLE:
            raise _refused(name, f"{quoted(match[0])} is not one of {', '.join(_READABLE)}")
        return _READABLE[match[0]]

    return _READABLE_TOKEN.sub(directive, text)


def _expression(token: re.Match[str]) -> str:
    """Return the regular expression for a part of a form."""
    numbers, letter, space, literal = token.groups()
    if space or literal or letter == "%":
        return r"\s+" if space else re.escape(literal or "%")
    letters = numbers[1::2] if numbers else letter
    expression = ""
    for each in letters:
        group, free = _DIRECTIVES[each]
        cell = f"[0-9]{{{_WIDTHS[each]}}}" if len(letters) > 1 else free
        expression += f"(?P<{group}>{cell})" if group else f"(?:{cell})"
    return expression


def _time(parts: Mapping[str, str]) -> int | None:
    """Return the seconds since midnight; None if there is no such time."""
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half = parts.get("half", "").lower()
    if hour > 23 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    return hour * 3600 + minute * 60 + second


@lru_cache(1024)
def _plain(text: str) -> str:
    """Return a date without a day of the week before it and a Bulgarian "year" behind it, with
    ASCII digits, and with the year counted from Christ.
    """
    text = text.translate(DIGITS).replace(" г.", "")
    match = _WEEKDAY.match(text)
    if match is not None:
        return text[match.end() :]
    match = _ERA.match(text)
    if match is None:
        return text
    era, number = match.groups()
    year = _ERAS.get(era, _REPUBLIC) + (1 if number == "元" else int(number))
    is_year = era is not None or (len(number) == 3 and number[0] == "1")
    return f"{year}{text[match.end() :]}" if is_year else text


def _date(year: int, month: int, day: str) -> date | None:
    try:
        return date(year, month, int(day))
    except ValueError:
        return None


def _offset(parts: Mapping[str, str]) -> int | None:
    text = parts.get("offset", "")
    if text[:1] not in ("+", "-"):
        return 0 if text else None
    digits = text[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if text[0] == "-" else seconds


# YY-MM-DD is the short form of ISO 8601:1988, and is also written with slashes.
_YEAR_FIRST = """YYYY-MM-DD|YYYY/MM/DD|YYYY.MM.DD|YYYY.MM.DD.|YYYY. MM. DD.|YYYY. MMM DD.|YYYYMMDD|
YY-MM-DD|YY/MM/DD|YYYY-MMM-DD|YYYY MMM DD|YYYY MM DD|DDMMYYYY|MMDDYYYY|
YYYY年MM月DD日|DDMMMYYYY|DDMMMYY|DD.MM.YYYY.|DD. MM. YYYY.""".replace("\n", "").split("|")
# No known bank writes the month first with full stops.
_BEFORE_YEAR = """DD/MM/|MM/DD/|DD.MM.|DD. MM. |DD-MM-|MM-DD-|DD/MMM/|DD.MMM.|DD-MMM-|DD MMM |
DD. MMM |DD de MMM de |MMM DD, |MMM DD """.replace("\n", "").split("|")
_YEAR_LAST = [form + year for form in _BEFORE_YEAR for year in ("YYYY", "YY")]
_YEAR_LAST += ["DD MM YYYY", "MM DD YYYY"]
# Koreans and Hungarians write the year first, with full stops; others read it as the day.
_YEAR_LAST += ["DD.MM.YY.", "YY.MM.DD.", "DD. MM. YY.", "YY. MM. DD."]
_BUDDHIST_SHORT = [f"{form}BB" for form in ("DD/MM/", "DD-MM-", "DD MMM ", "DD-MMM-")]

_FORMS = _YEAR_FIRST + _YEAR_LAST + _BUDDHIST_SHORT
#: The forms to try if no form is named.
CANDIDATES = tuple(DateForm.compile(name) for name in _FORMS)
#: Forms to try as well if neither a profile nor a program is known, whose dates begin with the day.
_OF_STRANGERS = tuple(map(DateForm.compile, ("YY.MM.DD", "YY. MM. DD")))
_ISO = CANDIDATES[0]
_YEARLESS = re.compile(r"[0-3]?[0-9]([-/.]| ?[.]? )([01]?[0-9]|[^\W\d_]{3,12})[.]?")

#: Days that are at least this far apart, in seconds, are spread over years.
_YEARS = 730 * DAY_SECONDS
#: At most this many different texts are remembered at a time.
_REMEMBERED = 50_000


class DateColumn:
    """Takes the texts of a column one by one, then decides their form.

    date_format: the named form. likely: a form to try before `CANDIDATES`. order: "DMY" or "MDY"
    if known, for dates that do not begin with a year of four digits. is_sheet: whether cells can be
    a spreadsheet's own dates, always in ISO 8601. last_year: the latest year that is accepted.
    is_known: whether the file's bank or program is known.
    Memory does not grow with the number of texts.
    """

    def __init__(
        self,
        date_format: str | None,
        order: str = "",
        *,
        likely: str | None = None,
        is_sheet: bool = False,
        last_year: int = nothing_remembered.last_year,
        is_known: bool = True,
    ) -> None:
        self._last_year = last_year
        self._end = from_date(date(last_year + 1, 1, 1))
        self._named = date_format is not None
        self._is_sheet = is_sheet
        if date_format is not None:
            self._fitting = [DateForm.compile(date_format)]
        else:
            forms = CANDIDATES if is_known else CANDIDATES + _OF_STRANGERS
            self._fitting = [f for f in forms if f.name.startswith(("YYYY", order[:1]))]
        if likely is not None:
            self._fitting = [DateForm.compile(likely), *self._fitting]
        if is_sheet and date_format not in (None, _ISO.name):
            self._fitting.append(_ISO)
        self._seen: set[str] = set()
        # Form -> the first and the last day that it reads.
        self._spans: dict[str, tuple[int, int]] = {}
        # Two forms -> the first text that they read differently, and its line.
        self._differing: dict[tuple[str, str], tuple[str, int]] = {}

    def add(self, text: str, line: int) -> None:
        """Add a trimmed text. Raises ImportRefused if no form fits this and all earlier texts."""
        if text in self._seen:
            return
        if not text:
            raise ImportRefused(clause(Topic.DATE_EMPTY), line)
        days = ((form, form.read(text)) for form in self._fitting)
        read = [(form, day) for form, day in days if day is not None and day < self._end]
        if not read:
            choices = _every_reading(text) if self._named else ()
            raise ImportRefused(self._misfit(text), line, choices=choices)
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen.add(text)
        self._fitting = [form for form, _ in read]
        for form, day in read if len(read) > 1 else ():
            first, last = self._spans.get(form.name, (day, day))
            self._spans[form.name] = min(first, day), max(last, day)
        for (form, day), (other, other_day) in combinations(read, 2):
            if day != other_day:
                self._differing.setdefault((form.name, other.name), (text, line))

    def fits(self, text: str) -> bool:
        """Return whether any form that fits all texts so far also fits this text."""
        return any(form.read(text) is not None for form in self._fitting)

    def _misfit(self, text: str) -> Clause | str:
        if self._is_sheet and self._seen and (_ISO.read(text) or self._fitting == [_ISO]):
            fault = f"{quoted(text)} and the dates above it are partly text and partly dates: a "
            fault += "program may have swapped days and months; use the file as the bank made it"
            return fault
        if self._named:
            return clause(Topic.NOT_IN_FORM, text=text, form=self._fitting[0].name)
        years = [each for form in CANDIDATES if (each := form.year_of(text)) is not None]
        if years and not any(FIRST_YEAR <= year <= self._last_year for year in years):
            limits = {"first_year": FIRST_YEAR, "last_year": self._last_year}
            return clause(Topic.YEAR_OUTSIDE, text=text, year=f"{years[0]:04}", **limits)
        if _YEARLESS.fullmatch(text):
            return clause(Topic.NO_YEAR, text=text)
        if not self._seen:
            return clause(Topic.NOT_A_DATE, text=text)
        forms = tuple(form.name for form in self._fitting)
        return clause(Topic.OTHER_FORM, text=text, forms=forms)

    def readings(self) -> list[DateForm]:
        """Return the forms that fit all texts; of forms that read all texts alike, only one.

        A form that spreads the days over years is left out if they are close in another: it takes
        the days for years.
        """
        ends = {name: last - first for name, (first, last) in self._spans.items()}
        are_close = any(ends.get(form.name, _YEARS) < _YEARS // 2 for form in self._fitting)
        fitting = [f for f in self._fitting if not are_close or ends.get(f.name, 0) < _YEARS]
        different = fitting[:1]
        for form in fitting[1:]:
            if all((other.name, form.name) in self._differing for other in different):
                different.append(form)
        return different

    def decide(self, questions: Questions, beside: DateForm | None = None) -> DateForm:
        """Return the form that fits; ask if several fit and read different days.

        beside: for a second column, the form of the rows' dates, which is used if it fits.
        """
        different = self.readings()
        first = different[0]
        if beside is not None and any(form.name == beside.name for form in self._fitting):
            return beside
        if len(different) > 1:
            text, line = self._differing[first.name, different[1].name]
            read = [(form, day) for form in different if (day := form.read(text)) is not None]
            days = tuple(clause(Says.DAY_AS, day=Day(day), form=form.name) for form, day in read)
            fact = clause(Topic.DATE_FORM, text=text, days=days)
            choices = [_choice(form, text, day) for form, day in read]
            if beside is not None:
                fact = clause(Topic.VALUE_DATE_FORM, text=text, days=days, form=beside.name)
                choices = [Choice({"columns": {"valueDate": ("",)}})]
            questions.ask(fact, *choices, line=line)
        return first


def is_of_other_era(text: str) -> bool:
    """Return whether a text seems to be a day of the Persian or the Islamic calendar."""
    years = (form.year_of(text) for form in CANDIDATES if form.name.startswith("YYYY"))
    return any(1300 <= (year or 0) < 1500 for year in years)


def _every_reading(text: str) -> tuple[Choice, ...]:
    days: dict[int, DateForm] = {}
    for form in CANDIDATES:
        if (day := form.read(text)) is not None:
            days.setdefault(day, form)
    return tuple(_choice(form, text, day) for day, form in days.items())


def _choice(form: DateForm, text: str, day: int) -> Choice:
    return Choice({"date_format": form.name}, clause(Says.DATE_IS, text=text, day=Day(day)))


class DateReader:
    """Reads texts of one form. zone: convert to this time zone, from the text's offset or UTC."""

    def __init__(self, form: DateForm, zone: ZoneInfo | None = None) -> None:
        self._form = form
        self._zone = zone
        self._known: dict[str, tuple[int, int | None]] = {}

    def read(self, text: str, line: int) -> int:
        """Return the date, with its time if there is one, in seconds. Raises ImportRefused."""
        return self.read_with_offset(text, line)[0]

    def read_with_offset(self, text: str, line: int) -> tuple[int, int | None]:
        """Return the date like `read`, and its offset from UTC; None if missing or converted."""
        known = self._known.get(text)
        if known is not None:
            return known
        moment = self._form.moment(text)
        if moment is None:
            raise ImportRefused(f"{quoted(text)} is not a date in the form {self._form.name}", line)
        seconds, offset = moment.seconds, moment.offset
        if self._zone is not None:
            if moment.time is None:
                choices = (Choice({"timezone": None}),)
                raise ImportRefused(clause(Topic.NO_TIME, text=text), line, choices)
            try:
                local = datetime.fromtimestamp(seconds - (offset or 0), self._zone)
                seconds, offset = timegm(local.timetuple()), None
            except (OverflowError, ValueError):
                fault = f"the date {quoted(text)} is outside the calendar in {self._zone}"
                raise ImportRefused(fault, line) from None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = seconds, offset
        return seconds, offset
