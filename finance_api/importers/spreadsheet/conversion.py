"""Converts sheets to CSV. `open_workbook` runs this as a program, with limited memory and time.

Each sheet becomes a CSV file named by its number. Rows end in CRLF; line breaks within cells are
LF. A row has all columns of the sheet, or no cells if all are empty. The file INDEX describes the
sheets.
"""

import csv
import json
import re
import resource
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

from python_calamine import PasswordError, SheetTypeEnum, load_workbook

#: Exit codes for a file with a password, and for a file with too many cells. Other codes, except 0,
#: mean a crash or an exceeded limit.
PASSWORD, TOO_MANY_CELLS = 3, 4
#: Maximum number of cells in all sheets together, including empty cells before the last one.
MAX_CELLS = 10_000_000
#: The name of a JSON file with a list of all sheets: null for a sheet without cells, else [name,
#: fault or null, fractions, thousands]. fractions: [column, line of the last decimal number] for
#: each column that has decimal numbers. thousands: the same for texts like 1.234.
INDEX = "sheets"

_MEMORY_BYTES = _FILE_BYTES = 2**30
_SECONDS = 60

_LINE_ENDS = re.compile("\r\n|\r")
#: A number with three digits after a point or comma: thousands or decimals.
_THOUSAND = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}[.,][0-9]{3}(?![0-9.,])")
_HALF_A_SECOND = timedelta(milliseconds=500)

_Lines = list[tuple[int, int]]
Cell = int | float | str | bool | time | date | datetime | timedelta


class TooManyCells(Exception):
    """The sheets have more cells than `MAX_CELLS`."""


def convert(source: str, target: Path) -> None:
    cells_left = MAX_CELLS
    index: list[tuple[str, str | None, _Lines, _Lines] | None] = []
    with load_workbook(source) as workbook:
        for number, about in enumerate(workbook.sheets_metadata):
            sheet = None
            if about.typ is SheetTypeEnum.WorkSheet:
                sheet = workbook.get_sheet_by_index(number)
            if sheet is None or sheet.start is None or sheet.end is None:
                index.append(None)
                continue
            last_row, last_column = sheet.end
            cells_left -= (last_row + 1) * (last_column + 1)
            if cells_left < 0:
                raise TooManyCells
            has_nul = False
            fractions: dict[int, int] = {}
            thousands: dict[int, int] = {}
            with (target / str(number)).open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                before = [""] * sheet.start[1]
                for line, cells in enumerate(sheet.iter_rows(), 1):
                    if cells.count("") == len(cells):
                        file.write("\r\n")
                        continue
                    row = [*before, *map(text_of, cells)]
                    writer.writerow(row)
                    has_nul = has_nul or any("\x00" in text for text in row)
                    for column, cell in enumerate(cells, len(before)):
                        if isinstance(cell, float) and "." in row[column]:
                            fractions[column] = line
                        elif isinstance(cell, str) and _THOUSAND.search(cell):
                            thousands[column] = line
            fault = "a cell has a NUL character" if has_nul else None
            found = (list(fractions.items()), list(thousands.items()))
            index.append((about.name, fault, *found))
    (target / INDEX).write_text(json.dumps(index), encoding="utf-8")


def text_of(cell: Cell) -> str:
    if isinstance(cell, str):
        return _LINE_ENDS.sub("\n", cell) if "\r" in cell else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return number_text(cell)
    if isinstance(cell, datetime):
        # Round to seconds: spreadsheets store times as rounded fractions of a day.
        moment = (cell + _HALF_A_SECOND).replace(microsecond=0)
        return moment.isoformat() if moment.time() != time() else moment.date().isoformat()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return cell.isoformat() if isinstance(cell, date) else cell.isoformat("seconds")


def number_text(number: float) -> str:
    """Return the shortest decimal that equals this number, without an exponent."""
    text = f"{Decimal(repr(number)):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


if __name__ == "__main__":
    limits = {
        resource.RLIMIT_AS: _MEMORY_BYTES,
        resource.RLIMIT_FSIZE: _FILE_BYTES,
        resource.RLIMIT_CPU: _SECONDS,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in limits.items():
        # Keep a lower limit that is already set.
        own = [value, *(n for n in resource.getrlimit(limit) if n != resource.RLIM_INFINITY)]
        resource.setrlimit(limit, (min(own), min(own)))
    try:
        convert(sys.argv[1], Path(sys.argv[2]))
    except PasswordError:
        sys.exit(PASSWORD)
    except TooManyCells:
        sys.exit(TOO_MANY_CELLS)
