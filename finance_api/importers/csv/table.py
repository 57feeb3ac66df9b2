"""Divides a text into rows of cells by RFC 4180, and tests what a cell looks like."""

import csv
import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import islice, pairwise

from finance_api.importers.clauses import Clause, Says, Topic, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS, number_pattern, plain_number, shape_of
from finance_api.importers.csv.cells import BLANK
from finance_api.importers.csv.dates import CANDIDATES, LONGEST
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.vocabulary import TITLES, folded
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import Choice, ImportRefused, Question
from finance_api.values.text import count_text

#: Longest cell, in characters. It is the default of the csv module, whose own limit
#: (`csv.field_size_limit`) applies to the whole process and is therefore left alone.
MAX_CELL = 128 * 1024
#: Maximum number of characters in a row, over all its lines: a row is held in memory as a whole.
MAX_ROW = 1 << 22
#: Maximum number of cells in a row, including empty cells at its end: no sheet has more columns.
MAX_CELLS = 16_384
#: Maximum number of columns, not counting empty ones at the end.
MAX_COLUMNS = 1_000

#: Part of a message of the csv module -> the fault, in terms of the file.
_FAULTS: Mapping[str, Clause | str] = {
    "larger": f"a cell is longer than {MAX_CELL} characters; is a closing quote missing?",
    "end of data": "the row has a quote that is never closed",
    "expected after": clause(Topic.QUOTE),
    "": "the row cannot be divided into cells",
}

#: Name of rows that repeat the headings, among rows that are skipped.
HEADING = "heading"
_PAGE = "end of a page"
#: A line such as "Page 1 of 2" or "2/3".
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|pagina|página|sida|side|sivu|strona|strana|stránka|oldal)\W{0,3}"
    r"[0-9]{1,4}(?: ?(?:of|von|de|di|da|van|av|af|z|ze|/) ?[0-9]{1,4})?\W*"
    r"|[0-9]{1,3} ?/ ?[0-9]{1,3}",
    re.IGNORECASE,
)

_QUOTES = re.compile('"+')
_COLON = re.compile("[:：]")
#: A text in a formula, and a number or a day behind an apostrophe.
_KEPT_TEXT = re.compile(r"""="(.*)"|'([-+]?[0-9][-0-9.,/: ]*)""", re.DOTALL)
_DIGIT = re.compile("[0-9]")
_WORD = re.compile(r"[^\W\d_]+")
_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}|[0-9*Xx/.\-]{5,34}")

Row = tuple[int, list[str]]
#: A line above the headings: its label (before a colon, or the first cell) and its other texts.
Line = tuple[str, list[str]]
#: Up to this many lines are searched for headings, and up to this many above them are read.
SEARCHED_LINES = 40
#: Columns are inferred from up to this many rows.
_SAMPLED_ROWS = 200


class NextTable(Exception):
    """Raised if further headings show that another table begins. line: its first line, from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class NoTable(ImportRefused):
    """Raised if no delimiter would help: there are too many cells or columns, or no rows."""


def read_rows(
    lines: Iterable[str], delimiter: str, skipped_lines: int = 0, *, has_lines: bool = False
) -> Iterator[Row]:
    """Yield the number of each row's first physical line, and the row's cells as written.

    Lines count from 1, including skipped lines. A blank line is a row without cells. Raises
    ImportRefused for faulty quotes, and NoTable for too many cells. has_lines: whether cells may
    well have line breaks, as in a sheet.
    """
    line = size = width = 0
    text = ""

    def limited() -> Iterator[str]:
        nonlocal size, text
        for text in lines:
            size += len(text)
            if size > MAX_ROW:
                most = count_text(MAX_ROW)
                fault = f"a row is longer than {most} characters; is a closing quote missing?"
                raise ImportRefused(fault, line)
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
            fault = next(fault for part, fault in _FAULTS.items() if part in str(error))
            cells = _divided(text, delimiter) if reader.line_num - before == 1 else []
            if not cells or filled(cells) != width:
                raise ImportRefused(fault, line) from None
        if '="' in text or "'" in text:
            # Some programs write texts such that spreadsheets keep them as they are.
            kept = map(_KEPT_TEXT.fullmatch, cells)
            cells = [
                (match[1] or match[2] or "").replace('""', '"') if match else cell
                for cell, match in zip(cells, kept, strict=True)
            ]
        width = width or filled(cells)
        if cells and max(map(len, cells)) > MAX_CELL:
            raise ImportRefused(_FAULTS["larger"], line)
        if len(cells) > MAX_CELLS:
            count, most = count_text(len(cells)), count_text(MAX_CELLS)
            raise NoTable(f"the row has {count} cells; at most {most} are read", line)
        if reader.line_num - before > 1 and not has_lines and _swallows(cells, delimiter):
            fault = "a quote opens in this row and closes in a later one, so one cell contains "
            raise ImportRefused(f"{fault}other rows: remove the quote, or double it", line)
        yield line, cells


def _divided(line: str, delimiter: str) -> list[str]:
    """Divide a line in which quotes within cells are not doubled: such a quote is not beside a
    delimiter or an end of the line. Return no cells if that does not help.
    """
    text = line.rstrip("\r\n")

    def doubled(quotes: re.Match[str]) -> str:
        opens = quotes.start() == 0 or text[quotes.start() - 1] == delimiter
        closes = quotes.end() == len(text) or text[quotes.end()] == delimiter
        inner = len(quotes[0]) - opens - closes
        return quotes[0] + '"' * (inner % 2 if inner > 0 else 0)

    try:
        return next(csv.reader([_QUOTES.sub(doubled, text)], delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def _swallows(cells: Sequence[str], delimiter: str) -> bool:
    """Return whether a cell of several lines seems to hold rows: enough delimiters, and a date."""
    for cell in cells:
        breaks = cell.count("\n")
        if breaks and len(cells) > 2 and cell.count(delimiter) >= breaks * (len(cells) - 1):
            pieces = cell.replace("\n", delimiter).split(delimiter)
            if any(is_date(piece.strip(' "\r')) for piece in pieces):
                return True
    return False


@dataclass(frozen=True)
class Table:
    """A text divided by one delimiter.

    has_header: whether the first row that is not blank has the headings.
    skip_last: how many rows at the end are left out; blank rows do not count.
    missing_cells: how many cells fewer than headings a row may have. extra_cells: whether rows may
    have more cells, which are dropped. nameless: whether columns without a heading have cells.
    fill_down: groups of columns: where the first one is blank, all repeat the row above.
    own: columns of which each row has a cell; a row without them continues the row above.
    question: whether a row above the table, which is unlike its rows, is one of them.
    """

    text: TextFile
    delimiter: str
    has_header: bool
    skip_last: int = 0
    missing_cells: int = 0
    extra_cells: bool = False
    nameless: bool = False
    fill_down: tuple[tuple[int, ...], ...] = ()
    own: tuple[int, ...] = ()
    question: Question | None = None

    @cached_property
    def _first(self) -> Row:
        for line, cells in self._all_rows():
            if count := filled(cells):
                if count > MAX_COLUMNS:
                    fault = f"the file has {count_text(count)} columns; at most "
                    fault += f"{count_text(MAX_COLUMNS)} are read: "
                    raise NoTable(f"{fault}remove the columns that are not needed", line)
                return line, cells
        if not self.text.skip_rows:
            raise NoTable("the file is empty")
        raise NoTable(clause(Topic.ALL_SKIPPED), choices=(Choice({"skip_rows": None}),))

    @cached_property
    def first_line(self) -> int:
        return self._first[0]

    @cached_property
    def width(self) -> int:
        """The number of columns, including nameless ones at the end."""
        return len(self._first[1])

    @cached_property
    def cells(self) -> list[str]:
        """The cells of the first row that is not blank."""
        return self._first[1]

    @cached_property
    def headings(self) -> list[str] | None:
        """The trimmed headings; None if the file has none."""
        return [cell.strip() for cell in self._first[1]] if self.has_header else None

    @cached_property
    def names(self) -> Headings:
        """The names by which options find the columns."""
        return Headings(self.headings, self.width, self.first_line)

    @cached_property
    def digest(self) -> str:
        return heading_digest(self.headings, self.width)

    @cached_property
    def rows_above(self) -> list[list[str]]:
        """The cells of the first lines above the headings."""
        text = replace(self.text, skip_rows=self.text.start)
        count = min(self.first_line - 1 - text.start, SEARCHED_LINES)
        found = []
        for line in islice(text.lines(), count):
            try:
                found.append(next(csv.reader([line], delimiter=self.delimiter), []))
            except csv.Error:
                found.append([])
        return found

    @cached_property
    def above(self) -> list[Line]:
        """The lines above the headings."""
        return [line_of(cells) for cells in self.rows_above]

    @property
    def first_text(self) -> str:
        """The first text in the first row."""
        return next((cell.strip() for cell in self.cells if is_text(cell)), BLANK)

    @cached_property
    def sample(self) -> list[list[str]]:
        """The cells of the first rows; none if one of them cannot be read."""
        with suppress(ImportRefused):
            return [cells for _, cells in islice(self.fitting_rows(), _SAMPLED_ROWS)]
        return []

    def fitting_rows(self) -> Iterator[Row]:
        """Yield the rows without those of another length."""
        return self.rows(misfit=lambda refused, cells: None)

    def rows(
        self,
        skipped: Counter[str] | None = None,
        misfit: Callable[[ImportRefused, list[str]], None] | None = None,
    ) -> Iterator[Row]:
        """Yield the line and exactly `width` cells of each non-blank row below the headings.

        A row may have further empty cells at its end, and may lack cells in columns without a
        heading. A row of any other length is refused: ``misfit`` gets the ImportRefused; if there
        is no ``misfit``, it is raised. Rows that repeat the headings are counted in ``skipped``,
        and so are rows below a title such as "Pending transactions", by this title.
        """
        rows = self._rows(skipped, misfit)
        return _joined(rows, self.own) if self.own else rows

    def _rows(
        self,
        skipped: Counter[str] | None,
        misfit: Callable[[ImportRefused, list[str]], None] | None,
    ) -> Iterator[Row]:
        _, first = self._first
        most = len(first)
        least = filled(first) if self.has_header else most
        least -= self.missing_cells
        named = filled(first) if self.has_header and not self.nameless else most
        limit = MAX_CELLS if self.extra_cells else named
        above: list[str] = []
        titles = [
            label for label, texts in self.above if not texts and _is_booked(label) is not None
        ]
        title = titles[-1] if titles else ""
        rows = self._all_rows()
        if self.has_header:
            rows = _without_headings(rows, first, skipped)
        if self.skip_last:
            rows = _without_last(rows, self.skip_last)
        for line, cells in rows:
            count, used = len(cells), filled(cells)
            if not used:
                continue
            if used == 1 and _is_booked(cells[0]) is not None:
                title = cells[0].strip()
                continue
            if title and not _is_booked(title):
                if skipped is not None:
                    skipped[title] += 1
                continue
            if count >= least and used <= limit:
                cells = cells if count == most else cells[:most] + [""] * (most - count)
                if self.fill_down:
                    self._fill(cells, above)
                yield line, cells
                continue
            refused = self._ragged(count, most, line)
            if count >= least and used <= most:
                cells = cells[:most] + [""] * (most - count)
                refused = self._ragged(used, named, line)
            if misfit is None:
                raise refused
            misfit(refused, cells)

    def _fill(self, cells: list[str], above: list[str]) -> None:
        for columns in self.fill_down:
            if above and not cells[columns[0]].strip():
                for index in columns:
                    cells[index] = cells[index].strip() or above[index]
        above[:] = cells

    def _ragged(self, count: int, width: int, line: int) -> ImportRefused:
        what = clause(Says.HEADING_ROW if self.has_header else Says.FIRST_ROW)
        why = clause(Says.NEEDS_QUOTES if count > width else Says.CUT_SHORT)
        fact = clause(Topic.WIDTH, count=count, what=what, width=width, why=why)
        return ImportRefused(fact, line)

    def _all_rows(self) -> Iterator[Row]:
        text = self.text
        return read_rows(text.lines(), self.delimiter, text.skip_rows, has_lines=text.is_sheet)


def _continues(cells: Sequence[str], own: Sequence[int]) -> bool:
    """Return whether a row has only texts. own: as in `Table`."""
    texts = [text for cell in cells if (text := cell.strip())]
    are_texts = not any(is_amount(text) and not text.isdigit() for text in texts)
    return bool(texts) and are_texts and not any(cells[index].strip() for index in own)


def are_continued(rows: Sequence[Sequence[str]], own: Sequence[int]) -> bool:
    """Return whether most rows, and at least three, are continued by the rows below them."""
    are_own = [not _continues(cells, own) for cells in rows]
    count = sum(one and not other for one, other in pairwise(are_own))
    return count > 2 and are_own[0] and count * 2 >= sum(are_own)


def _joined(rows: Iterable[Row], own: Sequence[int]) -> Iterator[Row]:
    """Yield the rows, each with the texts of the rows that continue it."""
    above: Row | None = None
    for row in rows:
        if above is not None and _continues(row[1], own):
            pairs = zip(above[1], row[1], strict=True)
            above = above[0], [" ".join(filter(None, map(str.strip, pair))) for pair in pairs]
            continue
        if above is not None:
            yield above
        above = row
    if above is not None:
        yield above


def _is_booked(title: str) -> bool | None:
    """Return whether a title says that the rows below it are booked; None if it is no title."""
    return TITLES.get(folded(title).rstrip(": "))


def _without_headings(
    rows: Iterator[Row], first: list[str], skipped: Counter[str] | None
) -> Iterator[Row]:
    is_first, start = True, first[0].strip()[:1].lower()
    headings = [*map(folded, first[: filled(first)])]
    left_out: Counter[str] = Counter() if skipped is None else skipped
    # A line that numbers a page is left out if the headings follow.
    page: Row | None = None
    for row in rows:
        cells = row[1]
        is_repeated = cells == first or (
            # Most rows begin with another character.
            bool(cells)
            and cells[0].strip()[:1].lower() == start
            and [*map(folded, cells[: filled(cells)])] == headings
        )
        is_page = bool(cells) and not any(cells[1:]) and _PAGE_NUMBER.fullmatch(cells[0].strip())
        if is_repeated and is_first:
            is_first = False
        elif is_repeated:
            left_out.update((HEADING,) if page is None else (HEADING, _PAGE))
        else:
            if page is not None:
                yield page
            if not is_page:
                yield row
        page = row if is_page else None
    if page is not None:
        yield page


def _without_last(rows: Iterator[Row], count: int) -> Iterator[Row]:
    kept: deque[Row] = deque()
    for row in rows:
        if filled(row[1]):
            kept.append(row)
            if len(kept) > count:
                yield kept.popleft()
    if len(kept) < count:
        choices = (Choice({"skip_last": None}),)
        raise ImportRefused(clause(Topic.MORE_SKIPPED, count=count), choices=choices)


def filled(cells: Sequence[str]) -> int:
    """Return the number of cells up to the last one that is not blank."""
    count = len(cells)
    while count and not cells[count - 1].strip():
        count -= 1
    return count


def is_date(text: str) -> bool:
    return len(text) <= LONGEST and _is_date(text)


@lru_cache(4_096)
def _is_date(text: str) -> bool:
    return any(form.read(text) is not None for form in CANDIDATES)


def is_amount(text: str) -> bool:
    """Return whether the text is an amount with one of the decimal marks."""
    written = shape_of(text)
    return written is not None and any(
        plain_number(written.digits, number_pattern(mark, None)) for mark in DECIMAL_MARKS
    )


def is_account(text: str) -> bool:
    """Return whether the text may be an IBAN, or the number of an account or a card."""
    return _ACCOUNT.fullmatch("".join(text.split())) is not None


def is_text(text: str) -> bool:
    """Return whether the text has a letter, and is neither a date nor an amount."""
    return _WORD.search(text) is not None and not is_date(text) and not is_amount(text)


def looks_like_data(cells: Sequence[str]) -> bool:
    """Return whether the row has a date and, in another cell, an amount."""
    texts = [text for cell in cells if (text := cell.strip())]
    dates = [text for text in texts if is_date(text)]
    return bool(dates) and any(is_amount(text) and text not in dates for text in texts)


def looks_like_headings(cells: Sequence[str]) -> bool:
    texts = [text for cell in cells if (text := cell.strip())]
    return 1 < len(texts) <= MAX_COLUMNS and not any(
        is_date(text) or is_amount(text) for text in texts if _DIGIT.search(text)
    )


def line_of(cells: Sequence[str]) -> Line:
    label, *rest = _COLON.split(cells[0], 1) if cells else [""]
    texts = [text for each in (*rest, *cells[1:]) if (text := each.strip())]
    if "".join(rest).strip() and is_amount(whole := ",".join(texts)):
        # The delimiter has divided the number.
        texts = [whole]
    return label.strip(), texts


def heading_digest(headings: Sequence[str] | None, width: int) -> str:
    """Return a digest of the folded heading row without the blanks at its end; for a file without
    headings, of the number of columns.
    """
    content: int | list[str] = width
    if headings is not None:
        content = [folded(heading) for heading in headings[: filled(headings)]]
    return sha256(json.dumps(content).encode()).hexdigest()[:32]
