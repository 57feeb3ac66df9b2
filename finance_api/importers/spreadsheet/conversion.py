"""Sheets as rows of text. Run as a program, by `workbook`, with limits of memory and time.

Each sheet becomes a file named by its number: CSV, in which only rows end in CR and LF, and have
all columns of the sheet. One more file says what the sheets are.
"""

import csv
import json
import re
import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

from python_calamine import CalamineSheet, PasswordError, SheetTypeEnum, load_workbook

#: The exit code for a file with a password; others are those of crashes and limits.
PASSWORD = 3
#: The file of [name, why it cannot be read or null] for each sheet, null for one without cells.
INDEX = "sheets"

_MEMORY_BYTES = _FILE_BYTES = 2**30
_SECONDS = 60

#: A number that text would have, too, whose thousands a point groups.
_AMBIGUOUS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_LINE_ENDS = re.compile("\r\n|\r")
_HALF_A_SECOND = timedelta(milliseconds=500)

Cell = int | float | str | bool | time | date | datetime | timedelta


def convert(source: str, target: Path, *, amounts: bool) -> None:
    """amounts: numbers are written so that, as amounts of CSV, they are always the same."""
    index: list[tuple[str, str | None] | None] = []
    with load_workbook(source) as workbook:
        for number, about in enumerate(workbook.sheets_metadata):
            sheet = None
            if about.typ is SheetTypeEnum.WorkSheet:
                sheet = workbook.get_sheet_by_index(number)
            if sheet is None or sheet.start is None:
                index.append(None)
                continue
            has_nul = False
            with (target / str(number)).open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                for row in _rows(sheet, amounts=amounts):
                    writer.writerow(row)
                    has_nul = has_nul or any("\x00" in text for text in row)
            index.append((about.name, "a cell has a NUL character" if has_nul else None))
    (target / INDEX).write_text(json.dumps(index), encoding="utf-8")


def _rows(sheet: CalamineSheet, *, amounts: bool) -> Iterator[list[str]]:
    before = [""] * (sheet.start or (0, 0))[1]
    for cells in sheet.iter_rows():
        yield before + [text_of(cell, amounts=amounts) for cell in cells]


def text_of(cell: Cell, *, amounts: bool) -> str:
    if isinstance(cell, str):
        return _LINE_ENDS.sub("\n", cell) if "\r" in cell else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        text = number_text(cell)
        return f"{text}0" if amounts and _AMBIGUOUS.fullmatch(text) else text
    if isinstance(cell, datetime):
        # They are fractions of a day, without all digits.
        moment = (cell + _HALF_A_SECOND).replace(microsecond=0)
        return moment.isoformat() if moment.time() != time() else moment.date().isoformat()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return cell.isoformat() if isinstance(cell, date) else cell.isoformat("seconds")


def number_text(number: float) -> str:
    """The shortest decimal that is this number, without an exponent."""
    text = f"{Decimal(repr(number)):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        convert(sys.argv[1], Path(sys.argv[2]), amounts=sys.argv[3] == "amounts")
    except PasswordError:
        sys.exit(PASSWORD)
