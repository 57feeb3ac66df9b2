"""Which columns are the dates of a table."""

from collections.abc import Sequence

from finance_api.importers.csv.date_form import EXCEL, DateForm
from finance_api.importers.csv.open_columns import BY_HEADING, ONLY, Column, OpenColumns, best
from finance_api.importers.csv.table import is_date
from finance_api.importers.texts import listed

_DAYS = ("booked", "date", "value")
#: Forms of days without a year.
_YEARLESS = tuple(
    "DD.MM. DD.MM DD/MM MM/DD DD-MM MM-DD".split()
    + ["DD MMM", "DD. MMM", "MMM DD", "DD-MMM", "DD/MMM"]
)

#: So long is a day, before the time.
_DAY_LENGTH = 10


def find_dates(open_: OpenColumns, period: str | None) -> None:
    """period: the days of the statement."""
    dates = [column for column in open_.free if column.is_date]
    if not open_.has("recordDate") and dates:
        _find_record_date(open_, dates)
    values = best("value", [column for column in open_.free if column.is_date])
    if not open_.has("valueDate") and len(values) == 1:
        open_.take("valueDate", values[0], BY_HEADING)
    record = open_.of("recordDate")
    if len(record) == 1:
        _find_time(open_, record[0])
        _find_form(open_, record[0], period)


def _find_record_date(open_: OpenColumns, dates: Sequence[Column]) -> None:
    if len({tuple(text[:_DAY_LENGTH] for text in column.texts) for column in dates}) == 1:
        # They say the same day.
        dates = best("booked", dates)[:1] or best("date", dates)[:1] or dates[:1]
    others = [column for column in dates if column.fit("value") < 2] or dates
    exact = [column for column in others if column.fit("booked") == 2]
    exact = exact or [column for column in others if column.fit("date") == 2]
    if len(dates) == 1:
        by_heading = max(dates[0].fit("booked"), dates[0].fit("date"))
        open_.take("recordDate", dates[0], BY_HEADING if by_heading else ONLY)
    elif len(exact) == 1 or len(others) == 1:
        open_.take("recordDate", (exact or others)[0], BY_HEADING)
    else:
        names = listed(map(open_.name, others))
        open_.ask(
            "recordDate",
            f"the dates are in {names}: name the one that counts with --map recordDate=…",
            [open_.reading(("recordDate", column)) for column in others],
        )


def _find_time(open_: OpenColumns, record: Column) -> None:
    times = [column for column in open_.free if column.is_time and column.fit("time")]
    if len(times) == 1 and all(":" not in text for text in record.filled):
        open_.found.columns["recordDate"] = (record.index, times[0].index)
        open_.free.remove(times[0])


def _find_form(open_: OpenColumns, record: Column, period: str | None) -> None:
    """The form of days that are numbers of Excel, or without a year."""
    texts = record.filled
    if not texts or any(map(is_date, texts)):
        return
    names = [EXCEL] if any(record.fit(role) for role in _DAYS) else []
    names += [f"{form} {period}" for form in _YEARLESS if period]
    read = {
        tuple(days): form.name
        for form in reversed([DateForm.compile(name) for name in names])
        if None not in (days := [form.read(text) for text in texts])
    }
    if len(read) == 1:
        (open_.found.date_format,) = read.values()
        open_.found.reasons.append(f"dates are read as {open_.found.date_format}")
