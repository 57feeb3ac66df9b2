"""Reads files of records that a user has edited: spreadsheets, and CSV saved by a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.spreadsheet.container import looks_like_spreadsheet
from finance_api.importers.spreadsheet.importer import Sheet, open_workbook
from finance_api.values.ids import are_ids
from finance_api.values.text import TextError, clean, shown

ID = "id"
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_NO_HEADINGS = (
    "its first row has no column id: the first row must have the names of the columns, as in "
    "/v1/api/records.csv or /v1/api/records.xlsx"
)


@dataclass(frozen=True)
class FileRow:
    """A row of the file.

    line: the line where the row begins, from 1. id: the id as written. cells: the cells by column;
    if the row is short, the last columns are missing.
    """

    line: int
    id: str
    cells: dict[str, str]


class RecordFile:
    """A file whose headings have been read; `rows` reads the rest.

    columns: the names of the columns, in their order.
    """

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._skipped = 0
        try:
            heading = text.readline()
            if heading.startswith("sep="):
                self._skipped = 1
                heading = text.readline()
        except UnicodeError:
            raise _not_unicode() from None
        # A list of ids, one on each line, has no headings.
        self._has_headings = "," in heading or not are_ids(heading.strip())
        self._delimiter, self.columns = (
            _headings(heading) if self._has_headings else (_DELIMITERS[0], [ID])
        )

    def rows(self) -> Iterator[FileRow]:
        """Yield the rows below the headings, except blank rows; from the first row each time."""
        self._text.seek(0)
        for _ in range(self._skipped):
            self._text.readline()
        reader = csv.reader(self._text, delimiter=self._delimiter, strict=True)
        place = self.columns.index(ID)
        line = self._skipped + 1
        try:
            for cells in reader:
                begin, line = line, self._skipped + reader.line_num + 1
                is_heading = self._has_headings and begin == self._skipped + 1
                if is_heading or not any(cell.strip() for cell in cells):
                    continue
                if any(cell.strip() for cell in cells[len(self.columns) :]):
                    raise ChangeRefused(
                        f"the row has {len(cells)} cells and the first row has "
                        f"{len(self.columns)}: a cell with the delimiter in it needs quotes",
                        begin,
                    )
                cleaned = [clean(cell) for cell in cells]
                named = dict(zip(self.columns, cleaned, strict=False))
                row_id = cleaned[place].strip() if place < len(cleaned) else ""
                yield FileRow(begin, row_id, named)
        except csv.Error as error:
            raise ChangeRefused(f"the row cannot be divided into cells: {error}", line) from None
        except TextError as error:
            raise ChangeRefused(f"a cell {error}", begin) from None
        except UnicodeError:
            raise _not_unicode() from None


@contextmanager
def record_file(stream: BinaryIO) -> Iterator[RecordFile]:
    """Open a file of records. Raises ChangeRefused."""
    if looks_like_spreadsheet(stream):
        with open_workbook(stream) as sheets, ExitStack() as texts:
            yield _of_sheets(sheets, texts)
        return
    start = stream.read(4)
    stream.seek(0)
    encoding = next((name for bom, name in _BOMS if start.startswith(bom)), "utf-8")
    text = io.TextIOWrapper(stream, encoding, newline="")
    try:
        yield RecordFile(text)
    finally:
        text.detach()


def _of_sheets(sheets: Sequence[Sheet], texts: ExitStack) -> RecordFile:
    """Return the only sheet with a column ``id``, as a file. texts: closes the sheets' files."""
    found = []
    for sheet in sheets:
        table = sheet.text
        text = io.TextIOWrapper(table.stream, table.codec, newline=table.line_end)
        texts.enter_context(text)
        try:
            found.append((sheet, RecordFile(text)))
        except ChangeRefused:
            if len(sheets) == 1:
                raise
    if len(found) != 1:
        names = ", ".join(shown(sheet.name) for sheet, _ in found) or "none"
        raise ChangeRefused(f"exactly one sheet must have a column id; sheets with one: {names}")
    sheet, file = found[0]
    if sheet.fault is not None:
        raise ChangeRefused(f"the sheet {shown(sheet.name)}: {sheet.fault}")
    return file


def _not_unicode() -> ChangeRefused:
    return ChangeRefused("is not UTF-8: save it as CSV UTF-8, so that no letter is lost")


def _headings(line: str) -> tuple[str, list[str]]:
    """Return the delimiter, and the names of the columns."""
    for delimiter in _DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [cell.strip() for cell in cells]
        if ID in names:
            repeated = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
            if repeated:
                raise ChangeRefused(f"the column {shown(repeated[0])} appears twice", 1)
            return delimiter, names
    raise ChangeRefused(_NO_HEADINGS)
