"""A column of dates: read under the form that is named, or the only one that fits."""

import re
from datetime import date, datetime
from itertools import combinations
from zoneinfo import ZoneInfo

from finance_api.importers.csv.date_form import FIRST_YEAR, DateForm
from finance_api.importers.interface import Answer, ImportRefused, nothing_remembered
from finance_api.importers.questions import Questions
from finance_api.importers.texts import quoted
from finance_api.values.time import date_text, from_date

# YY-MM-DD is the short form of ISO 8601:1988, and written with slashes, too; no bank is known to
# begin with a year of two digits before a full stop.
_YEAR_FIRST = (
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "YYYY.MM.DD",
    "YYYY.MM.DD.",
    "YYYY. MM. DD.",
    "YYYY. MMM DD.",
    "YYYYMMDD",
    "YY-MM-DD",
    "YY/MM/DD",
    "YYYY-MMM-DD",
    "YYYY MMM DD",
    "DDMMMYYYY",
)
# No bank is known to write the month first with full stops.
_BEFORE_YEAR = (
    "DD/MM/",
    "MM/DD/",
    "DD.MM.",
    "DD. MM. ",
    "DD-MM-",
    "MM-DD-",
    *(f"DD{by}MMM{by}" for by in "/.- "),
    "DD. MMM ",
    "DD de MMM de ",
    "MMM DD, ",
    "MMM DD ",
)
_YEAR_LAST = tuple(form + year for form in _BEFORE_YEAR for year in ("YYYY", "YY"))

#: The forms that are tried when none is named.
CANDIDATES = tuple(DateForm.compile(name) for name in _YEAR_FIRST + _YEAR_LAST)

_ISO = CANDIDATES[0]

_YEARLESS = re.compile(r"[0-3]?[0-9]([-/.]| ?[.]? )([01]?[0-9]|[^\W\d_]{3,12})[.]?")

#: At most this many different texts are remembered at a time.
_REMEMBERED = 50_000


class DateColumn:
    """Takes the texts of a column one by one, then says what they mean.

    date_format: the form, if it is named. likely: tried before the known ones. order: "DMY" or
    "MDY" for dates that do not begin with a year of four digits, where that is known. is_sheet:
    some cells are dates of the spreadsheet, always in ISO 8601. last_year: the latest year that is
    accepted. Memory does not grow with the number of texts.
    """

    def __init__(
        self,
        date_format: str | None,
        order: str = "",
        *,
        likely: str | None = None,
        is_sheet: bool = False,
        last_year: int = nothing_remembered.last_year,
    ) -> None:
        self._last_year = last_year
        self._end = from_date(date(last_year + 1, 1, 1))
        self._named = date_format is not None
        self._is_sheet = is_sheet
        self._fitting = (
            [form for form in CANDIDATES if not order or form.name.startswith(("YYYY", order[0]))]
            if date_format is None
            else [DateForm.compile(date_format)]
        )
        if likely is not None:
            self._fitting = [DateForm.compile(likely), *self._fitting]
        if is_sheet and date_format not in (None, _ISO.name):
            self._fitting.append(_ISO)
        self._candidates = len(self._fitting)
        self._seen: set[str] = set()
        # The first text that a pair of forms reads differently, and its line.
        self._differing: dict[tuple[str, str], tuple[str, int]] = {}

    def add(self, text: str, line: int) -> None:
        """A trimmed text of the column; ImportRefused if no form that fits those before fits it."""
        if text in self._seen:
            return
        if not text:
            raise ImportRefused(
                "the date is empty; rows that are no data are left out with --only or --skip-last",
                line,
            )
        read = [
            (form, day)
            for form in self._fitting
            if (day := form.read(text)) is not None and day < self._end
        ]
        if not read:
            raise ImportRefused(
                self._misfit(text),
                line,
                answers=self._other_forms(text) if self._named else (),
            )
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen.add(text)
        self._fitting = [form for form, _ in read]
        for (form, day), (other, other_day) in combinations(read, 2):
            if day != other_day:
                self._differing.setdefault((form.name, other.name), (text, line))

    def _other_forms(self, text: str) -> tuple[Answer, ...]:
        names: dict[int, str] = {}
        for form in CANDIDATES:
            day = form.read(text)
            if day is not None:
                names.setdefault(day, form.name)
        return tuple(_answer(name, text, day) for day, name in names.items())

    def fits(self, text: str) -> bool:
        """Whether a form that fits those before reads the text."""
        return any(form.read(text) is not None for form in self._fitting)

    def _misfit(self, text: str) -> str:
        if self._is_sheet and self._seen and (_ISO.read(text) or self._fitting == [_ISO]):
            return (
                f"{quoted(text)} and the dates above it are not all text, or all dates: a program "
                "may have taken days for months; use the file as the bank made it"
            )
        if self._named:
            return (
                f"{quoted(text)} is not a date of the form {self._fitting[0].name} (--date-format)"
            )
        years = [each for form in CANDIDATES if (each := form.year_of(text)) is not None]
        if years and not any(FIRST_YEAR <= year <= self._last_year for year in years):
            return (
                f"{quoted(text)} is of the year {years[0]:04}, and dates are from {FIRST_YEAR} to "
                f"{self._last_year}: correct it in the file, or name its form with --date-format"
            )
        if _YEARLESS.fullmatch(text):
            return (
                f"{quoted(text)} has no year: name the days of the file with --date-format, as in "
                "'DD.MM. 2026-01-01..2026-01-31'"
            )
        if len(self._fitting) == self._candidates:
            return f"{quoted(text)} is not a date in a known form; name its form with --date-format"
        forms = " or ".join(form.name for form in self._fitting)
        return (
            f"{quoted(text)} is not a date of the form of the rows above ({forms}); name the form "
            "with --date-format"
        )

    def readings(self) -> list[DateForm]:
        """The forms that fit all texts and mean other days, one of those that mean the same."""
        first, *others = self._fitting
        different = [first]
        for form in others:
            if all((other.name, form.name) in self._differing for other in different):
                different.append(form)
        return different

    def decide(self, questions: Questions, beside: DateForm | None = None) -> DateForm:
        """The only form that fits, or one of several that mean the same days.

        beside: of the dates of the rows, for a second column; it decides if it fits.
        """
        different = self.readings()
        first = different[0]
        if beside is not None and any(form.name == beside.name for form in self._fitting):
            return beside
        if len(different) > 1:
            text, line = self._differing[first.name, different[1].name]
            read = [(form, day) for form in different if (day := form.read(text)) is not None]
            days = " and ".join(f"{date_text(day)} as {form.name}" for form, day in read)
            help_ = "name the form with --date-format"
            answers = tuple(_answer(form.name, text, day) for form, day in read)
            if beside is not None:
                help_ = f"others are {beside.name}: leave its column out with --map valueDate="
                answers = (Answer(("--map", "valueDate=")),)
            questions.ask(f"the date {quoted(text)} is {days}; {help_}", *answers, line=line)
        return first


def _answer(form: str, text: str, day: int) -> Answer:
    meaning = f"{quoted(text)} is {date_text(day)}"
    return Answer(("--date-format", form), ("--date-format",), meaning)


class DateReader:
    """Reader of texts under one form. zone: convert texts, which are UTC instants, to this one."""

    def __init__(self, form: DateForm, zone: ZoneInfo | None = None) -> None:
        self._form = form
        self._zone = zone
        self._known: dict[str, tuple[int, int | None]] = {}

    def read(self, text: str, line: int) -> int:
        """Seconds of the day, and of the time where there is one; ImportRefused."""
        return self.read_with_offset(text, line)[0]

    def read_with_offset(self, text: str, line: int) -> tuple[int, int | None]:
        """Also the seconds by which the time is ahead of UTC, where the text alone says so."""
        known = self._known.get(text)
        if known is not None:
            return known
        moment = self._form.moment(text)
        if moment is None:
            raise ImportRefused(f"{quoted(text)} is not a date of the form {self._form.name}", line)
        day, time, offset = moment
        seconds = day + (time or 0)
        if self._zone is not None:
            if time is None:
                raise ImportRefused(
                    f"the date {quoted(text)} has no time, so that --timezone cannot move it",
                    line,
                    answers=(Answer(instead_of=("--timezone",)),),
                )
            try:
                seconds, offset = _local(seconds - (offset or 0), self._zone), None
            except (OverflowError, ValueError):
                raise ImportRefused(
                    f"the date {quoted(text)} is beyond the calendar in {self._zone}", line
                ) from None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = seconds, offset
        return seconds, offset


def _local(instant: int, zone: ZoneInfo) -> int:
    """The day and time in the zone, in seconds as written there."""
    shift = datetime.fromtimestamp(instant, zone).utcoffset()
    assert shift is not None
    return instant + int(shift.total_seconds())
