"""Rows of cells as RFC 4180 divides them, and the line of the file where each begins."""

import csv
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from finance_api.importers.csv.cells import is_date
from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.interface import Answer, ImportRefused

#: Longest cell, in characters. It is the default of the csv module, whose own limit
#: (`csv.field_size_limit`) is one for the whole process and therefore left alone.
MAX_CELL = 128 * 1024
#: Most characters of a row, over all its lines: it is held in memory as a whole.
MAX_ROW = 1 << 22
#: Most cells of a row, the empty ones at its end too: a sheet of a spreadsheet has no more columns.
MAX_CELLS = 16_384
#: Most columns, without the empty ones at the end.
MAX_COLUMNS = 1_000

Row = tuple[int, list[str]]


class TooWide(ImportRefused):
    """A row has more cells, or a file more columns, than are read."""


def read_rows(
    lines: Iterable[str], delimiter: str, skipped_lines: int = 0, *, has_lines: bool = False
) -> Iterator[Row]:
    """Each row's first physical line (from 1, skipped lines count) and its cells as written.

    A blank line is a row without cells. Raises ImportRefused where quotes do not fit, TooWide for
    too many cells. has_lines: cells with line breaks are whole, as in a sheet.
    """
    line = size = 0

    def limited() -> Iterator[str]:
        nonlocal size
        for text in lines:
            size += len(text)
            if size > MAX_ROW:
                raise ImportRefused(
                    f"a row is longer than {MAX_ROW:,} characters; is its quote closed?", line
                )
            yield text

    reader = csv.reader(limited(), delimiter=delimiter, strict=True)
    while True:
        before = reader.line_num
        line = skipped_lines + before + 1
        size = 0
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ImportRefused(_fault(str(error)), line) from None
        if cells and max(map(len, cells)) > MAX_CELL:
            raise ImportRefused(_fault("field larger"), line)
        if len(cells) > MAX_CELLS:
            raise TooWide(f"the row has {len(cells):,} cells; at most {MAX_CELLS:,} are read", line)
        if reader.line_num - before > 1 and not has_lines and _swallows(cells, delimiter):
            raise ImportRefused(
                "a quote opens in this row and closes in a later one, so that a cell holds other "
                "rows: remove the quote, or double it",
                line,
            )
        yield line, cells


def _swallows(cells: Sequence[str], delimiter: str) -> bool:
    """Whether a cell of several lines has as many delimiters as whole rows, and a date."""
    for cell in cells:
        breaks = cell.count("\n")
        if breaks and len(cells) > 2 and cell.count(delimiter) >= breaks * (len(cells) - 1):
            pieces = cell.replace("\n", delimiter).split(delimiter)
            if any(is_date(piece.strip(' "\r')) for piece in pieces):
                return True
    return False


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
    skip_last: how many rows at the end, blank ones not counted, are left out.
    missing_cells: how many cells rows may have less than the headings; extra_cells: whether they
    may have more, which are left out. nameless: whether columns without a heading have cells.
    """

    text: TextFile
    delimiter: str
    has_header: bool
    skip_last: int = 0
    missing_cells: int = 0
    extra_cells: bool = False
    nameless: bool = False

    @cached_property
    def _first(self) -> Row:
        for line, cells in self._all_rows():
            if count := filled(cells):
                if count > MAX_COLUMNS:
                    raise TooWide(
                        f"the file has {count:,} columns; at most {MAX_COLUMNS:,} are read: leave "
                        "out those that are not needed",
                        line,
                    )
                return line, cells
        if not self.text.skip_rows:
            raise ImportRefused("the file is empty")
        raise ImportRefused(
            "nothing is left of the file after the rows of --skip-rows",
            answers=(Answer(instead_of=("--skip-rows",)),),
        )

    @property
    def first_line(self) -> int:
        return self._first[0]

    @property
    def width(self) -> int:
        """The number of columns, including nameless ones at the end."""
        return len(self._first[1])

    @property
    def cells(self) -> list[str]:
        """The cells of the first row that is not blank."""
        return self._first[1]

    @cached_property
    def headings(self) -> list[str] | None:
        """The trimmed headings, None if the file has none."""
        return [cell.strip() for cell in self._first[1]] if self.has_header else None

    def rows(
        self,
        skipped: Counter[str] | None = None,
        misfit: Callable[[ImportRefused, list[str]], None] | None = None,
    ) -> Iterator[Row]:
        """The rows below the headings, blank ones left out: line, and exactly `width` cells.

        Empty cells at the end of a row may be more than there are headings, and may be missing
        below columns without a heading. A row of any other length is an ImportRefused, raised
        unless ``misfit`` takes it. A row that repeats the headings is counted in ``skipped``.
        """
        _, first = self._first
        most = len(first)
        least = filled(first) if self.has_header else most
        least -= self.missing_cells
        named = filled(first) if self.has_header and not self.nameless else most
        rows = self._all_rows()
        if self.has_header:
            rows = self._without_headings(rows, first, skipped)
        if self.skip_last:
            rows = _without_last(rows, self.skip_last)
        for line, cells in rows:
            count = len(cells)
            if count != most:
                used = filled(cells)
                if not used:
                    continue
                if (used > most and not self.extra_cells) or count < least:
                    refused = ImportRefused(_ragged(count, most, self.has_header), line)
                    if misfit is None:
                        raise refused
                    misfit(refused, cells)
                    continue
                cells = cells[:most] + [""] * (most - count)
            elif not filled(cells):
                continue
            if named < most and not self.extra_cells and filled(cells) > named:
                refused = ImportRefused(_ragged(filled(cells), named, self.has_header), line)
                if misfit is None:
                    raise refused
                misfit(refused, cells)
                continue
            yield line, cells

    def _all_rows(self) -> Iterator[Row]:
        text = self.text
        return read_rows(text.lines(), self.delimiter, text.skip_rows, has_lines=text.is_sheet)

    def _without_headings(
        self, rows: Iterator[Row], first: list[str], skipped: Counter[str] | None
    ) -> Iterator[Row]:
        repeated = -1
        for row in rows:
            if row[1] == first:
                repeated += 1
            else:
                yield row
        if skipped is not None and repeated > 0:
            skipped["heading"] += repeated


def _without_last(rows: Iterator[Row], count: int) -> Iterator[Row]:
    kept: deque[Row] = deque()
    for row in rows:
        if filled(row[1]):
            kept.append(row)
            if len(kept) > count:
                yield kept.popleft()
    if len(kept) < count:
        raise ImportRefused(
            f"--skip-last {count} leaves out more rows than there are",
            answers=(Answer(instead_of=("--skip-last",)),),
        )


def filled(cells: Sequence[str]) -> int:
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
        "are left out with --skip-rows, rows below the data with --skip-last"
    )
