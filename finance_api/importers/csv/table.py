"""Rows of cells as RFC 4180 divides them, and the line of the file where each begins."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from finance_api.importers.interface import ImportRefused

#: Longest cell, in characters. It is the default of the csv module, whose own limit
#: (`csv.field_size_limit`) is one for the whole process and therefore left alone.
MAX_CELL = 128 * 1024


def read_rows(text: str, delimiter: str, skip_rows: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Each row's first physical line (from 1, skipped lines count) and its cells as written.

    A blank line is a row without cells. Raises ImportRefused where quotes do not fit.
    """
    lines = io.StringIO(text, newline="")
    for _ in range(skip_rows):
        if not lines.readline():
            return
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = skip_rows + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ImportRefused(_fault(str(error)), line) from None
        if cells and max(map(len, cells)) > MAX_CELL:
            raise ImportRefused(_fault("field larger"), line)
        yield line, cells


def _fault(error: str) -> str:
    """The csv module's message, in terms of the file."""
    if "larger" in error:
        return f"a cell is longer than {MAX_CELL} characters; is its quote closed?"
    if "end of data" in error:
        return "the row has a quote that is never closed"
    if "expected after" in error:
        return (
            "a quote inside a quoted cell is not doubled, or a quoted cell is not followed by "
            "the delimiter (--delimiter)"
        )
    return f"the row cannot be divided into cells: {error}"


@dataclass(frozen=True)
class Table:
    """A text seen through one delimiter.

    has_header: the first row that is not blank holds the headings.
    """

    text: str
    delimiter: str
    skip_rows: int
    has_header: bool

    @cached_property
    def _first(self) -> tuple[int, list[str]]:
        for line, cells in read_rows(self.text, self.delimiter, self.skip_rows):
            if _filled(cells):
                return line, cells
        raise ImportRefused(
            "nothing is left of the file after the rows of --skip-rows"
            if self.skip_rows
            else "the file is empty"
        )

    @property
    def first_line(self) -> int:
        return self._first[0]

    @property
    def width(self) -> int:
        """The number of columns, including nameless ones at the end."""
        return len(self._first[1])

    @property
    def headings(self) -> list[str] | None:
        """The trimmed headings, None if the file has none."""
        return [cell.strip() for cell in self._first[1]] if self.has_header else None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows below the headings, blank ones left out: line, and exactly `width` cells.

        Empty cells at the end of a row may be more than there are columns, and may be missing
        below columns without a heading. Any other length is an ImportRefused.
        """
        first_line, first = self._first
        most = len(first)
        least = _filled(first) if self.has_header else most
        for line, cells in read_rows(self.text, self.delimiter, self.skip_rows):
            if line == first_line and self.has_header:
                continue
            count = len(cells)
            if count != most:
                filled = _filled(cells)
                if not filled:
                    continue
                if filled > most or count < least:
                    raise ImportRefused(_ragged(count, most, self.has_header), line)
                cells = cells[:most] + [""] * (most - count)
            elif not _filled(cells):
                continue
            yield line, cells


def _filled(cells: list[str]) -> int:
    """The number of cells up to the last one that is not blank."""
    count = len(cells)
    while count and not cells[count - 1].strip():
        count -= 1
    return count


def _ragged(count: int, width: int, has_header: bool) -> str:
    what = "the heading row" if has_header else "the first row"
    help_ = (
        "a cell with the delimiter in it needs quotes"
        if count > width
        else "the row is cut short or has another delimiter"
    )
    return (
        f"the row has {count} cells and {what} has {width}: {help_}; rows above the headings "
        "are left out with --skip-rows"
    )
