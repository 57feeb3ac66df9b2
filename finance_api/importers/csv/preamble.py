"""Read the lines above the headings."""

import csv
import dataclasses
import re
from itertools import islice

from finance_api.importers.csv.dates import CANDIDATES
from finance_api.importers.csv.heading_words import role_fit
from finance_api.importers.csv.number_form import shape_of
from finance_api.importers.csv.profile import Profile
from finance_api.importers.csv.table import Table
from finance_api.importers.csv.vocabulary import CLOSING, TOTAL, kind_of
from finance_api.importers.marks import mark_of
from finance_api.values.time import DAY_SECONDS, date_text

#: At most this many lines are read.
_LINES = 40
_DATE = re.compile(r"(?<![0-9])[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4}(?![0-9])")
#: A statement of a bank has no more days.
_LONGEST_DAYS = 400


def lines_above(table: Table) -> list[list[str]]:
    """The cells of the lines above the headings, trimmed."""
    above = dataclasses.replace(table.text, skip_rows=0).lines()
    count = min(table.first_line - 1, _LINES)
    return [_cells(line, table.delimiter) for line in list(islice(above, count))]


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _label_and_texts(cells: list[str]) -> tuple[str, list[str]]:
    label, _, rest = cells[0].partition(":") if cells else ("", "", "")
    return label.strip(), [text for text in (rest.strip(), *cells[1:]) if text]


def labelled(lines: list[list[str]], profile: Profile) -> dict[str, str]:
    """Field -> what a line says of it, behind one of the profile's labels."""
    found: dict[str, str] = {}
    for cells in lines:
        label, texts = _label_and_texts(cells)
        for name, labels in profile.preamble.items():
            if label in labels and texts:
                # The name of the account may follow its number, behind a slash.
                found.setdefault(name, texts[0].partition(" / ")[0])
    return found


def currency_above(lines: list[list[str]]) -> str | None:
    """The currency that a line such as "Currency;USD" states."""
    found = set()
    for cells in lines:
        label, texts = _label_and_texts(cells)
        mark = mark_of(texts[0]) if texts and role_fit("currency", label) else None
        if mark is not None and mark.currency is not None:
            found.add(mark.currency)
    return found.pop() if len(found) == 1 else None


def currencies_beside(lines: list[list[str]]) -> set[str]:
    """The currencies that are a cell by themselves, or stand beside an amount."""
    found = set()
    for cells in lines:
        for text in _label_and_texts(cells)[1]:
            written = shape_of(text)
            mark = mark_of(text) if written is None else written.mark
            if mark is not None and mark.currency is not None and not text.islower():
                found.add(mark.currency)
    return found


def balances_above(lines: list[list[str]]) -> list[tuple[int, str]]:
    """The day and the text of each balance, as of "Kontostand vom 31.01.2026:;1.087,60 EUR"."""
    found = []
    for cells in lines:
        label, texts = _label_and_texts(cells)
        if texts and kind_of(label) in (CLOSING, TOTAL):
            for text in _DATE.findall(label):
                days = {day for form in CANDIDATES if (day := form.read(text)) is not None}
                found += [(days.pop(), texts[0])] if len(days) == 1 else []
    return found


def period_above(lines: list[list[str]]) -> str | None:
    """The first and last day of the statement, as in "2026-01-01..2026-01-31"."""
    found = set()
    for cells in lines:
        texts = _DATE.findall(" ".join(cells))
        for form in CANDIDATES if len(texts) == 2 else ():
            first, last = map(form.read, texts)
            if first is None or last is None:
                continue
            if 0 <= last - first <= _LONGEST_DAYS * DAY_SECONDS:
                found.add(f"{date_text(first)}..{date_text(last)}")
    return found.pop() if len(found) == 1 else None
