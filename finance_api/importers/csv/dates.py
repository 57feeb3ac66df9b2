"""A column of dates: read under the form that is named, or the only one that fits."""

from collections.abc import Mapping

from finance_api.importers.csv.date_form import DateForm
from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text

# YY-MM-DD is the short form of ISO 8601:1988 and still written with hyphens; no bank is known
# to begin with a year of two digits before / or a full stop.
_YEAR_FIRST = (
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "YYYY.MM.DD",
    "YYYYMMDD",
    "YY-MM-DD",
    "YYYY-MMM-DD",
    "YYYY MMM DD",
)
_BEFORE_YEAR = (
    *(f"{day_month}{by}" for by in "/.-" for day_month in (f"DD{by}MM", f"MM{by}DD")),
    *(f"DD{by}MMM{by}" for by in "/.- "),
    "DD. MMM ",
    "MMM DD, ",
    "MMM DD ",
)
_YEAR_LAST = tuple(form + year for form in _BEFORE_YEAR for year in ("YYYY", "YY"))

#: The forms that are tried when none is named.
CANDIDATES = tuple(DateForm.compile(name) for name in _YEAR_FIRST + _YEAR_LAST)


def read_dates(cells: Mapping[str, int], date_format: str | None) -> dict[str, int]:
    """Each text of the column as the seconds of its midnight.

    cells: the trimmed texts, each with the line of its first appearance, in their order.
    Without ``date_format`` exactly one candidate has to fit them all, or those that fit have
    to mean the same days; else ImportRefused with both readings.
    """
    if date_format is not None:
        return _read_as(DateForm.compile(date_format), cells)
    fitting = _fitting(cells)
    read = _read_as(fitting[0], cells)
    for other in fitting[1:]:
        for text, seconds in read.items():
            second = other.read(text)
            if second is not None and second != seconds:
                raise ImportRefused(
                    f"the date {quoted(text)} is {date_text(seconds)} as {fitting[0].name} and "
                    f"{date_text(second)} as {other.name}; name the form with --date-format",
                    cells[text],
                )
    return read


def _read_as(form: DateForm, cells: Mapping[str, int]) -> dict[str, int]:
    read: dict[str, int] = {}
    for text, line in cells.items():
        seconds = form.read(text)
        if seconds is None:
            raise ImportRefused(
                f"{quoted(text)} is not a date of the form {form.name} (--date-format)", line
            )
        read[text] = seconds
    return read


def _fitting(cells: Mapping[str, int]) -> list[DateForm]:
    """The candidates that read every cell, one at least."""
    fitting = list(CANDIDATES)
    for text, line in cells.items():
        still = [form for form in fitting if form.read(text) is not None]
        if not still:
            raise ImportRefused(_misfit(text, fitting), line)
        fitting = still
    return fitting


def _misfit(text: str, before: list[DateForm]) -> str:
    if len(before) == len(CANDIDATES):
        return f"{quoted(text)} is not a date in a known form; name its form with --date-format"
    forms = " or ".join(form.name for form in before)
    return (
        f"{quoted(text)} is not a date of the form of the rows above ({forms}); name the form "
        "with --date-format"
    )
