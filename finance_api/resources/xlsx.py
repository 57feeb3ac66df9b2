"""Rows as an Office Open XML workbook (ECMA-376), which spreadsheets open in every locale.

XlsxWriter makes the workbook. This module writes the rows while they are sent, with the same
result as XlsxWriter in a tenth of the time.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name

from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import objects_of
from finance_api.values.time import DAY_SECONDS, parse_date, parse_time

#: Maximum number of rows of a sheet, without its header row.
MAX_ROWS = 1_048_575
#: Maximum number of characters of a cell. A longer text is cut and ends in an ellipsis.
_LONGEST_TEXT = 32_767
#: Number formats and column widths by kind. Spreadsheets have no days before `_FIRST_DAY`.
_DATES = {Kind.DATE: ("yyyy-mm-dd", 11), Kind.DATETIME: ("yyyy-mm-dd hh:mm:ss", 19)}
_FIRST_DAY = parse_date("1900-03-01")
#: The serial number of 1970-01-01.
_EPOCH = 25_569
#: A fixed time, so that the same rows give the same bytes.
_CREATED = datetime(1980, 1, 1)
#: The same level as for gzip.
_LEVEL = 3
#: A sheet with more rows may be too long for a part of a zip file without extensions, which a few
#: old programs do not know.
_MOST_ROWS_OF_SHORT_PART = 200_000

_SHEET = "xl/worksheets/sheet1.xml"

#: Characters that XML cannot hold or changes, and text that programs read as an escape.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)")
_BLANK_END = re.compile(r"\s|.*\s\Z", re.DOTALL)


def xlsx_chunks(fields: Sequence[Field], pages: Iterable[bytes], count: int) -> Iterator[bytes]:
    """Yield the workbook: a header row and the rows, with numbers and dates as such, text as text.

    pages: JSON objects, one on each line; ``count`` in all, at most `MAX_ROWS`. Times are in UTC.
    Spreadsheets keep 15 digits of a number.
    """
    sink = _Sink()
    with (
        ZipFile(_frame(fields, count)) as frame,
        ZipFile(sink, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as parts,
    ):
        # The sheet comes last, so that a program reading from the beginning knows its styles.
        for info in frame.infolist():
            if info.filename != _SHEET:
                parts.writestr(info, frame.read(info))
        head, _, rest = frame.read(_SHEET).partition(b"</row>")
        long = count > _MOST_ROWS_OF_SHORT_PART
        with parts.open(_SHEET, "w", force_zip64=long) as sheet:
            sheet.write(head + b"</row>")
            yield sink.taken()
            columns, number = _columns(fields), 2
            for page in pages:
                rows = objects_of(page)
                sheet.write(_rows(columns, rows, number))
                number += len(rows)
                # The compressor holds output back until it has enough.
                if taken := sink.taken():
                    yield taken
            sheet.write(rest[rest.index(b"</sheetData>") :])
    yield sink.taken()


class _Sink:
    """A file without seeking; `taken` removes and returns what was written so far."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def taken(self) -> bytes:
        taken, self._written = b"".join(self._written), []
        return taken


def _frame(fields: Sequence[Field], count: int) -> BytesIO:
    """Make the workbook with its header row, and a value in the last cell to set its size."""
    stream = BytesIO()
    workbook = Workbook(stream, {"constant_memory": True})
    workbook.set_properties({"created": _CREATED})
    sheet = workbook.add_worksheet()
    formats = {kind: workbook.add_format({"num_format": f}) for kind, (f, _) in _DATES.items()}
    for column, field in enumerate(fields):
        if field.kind in _DATES:
            sheet.set_column(column, column, _DATES[field.kind][1], formats[field.kind])
        sheet.write_string(0, column, field.name)
    sheet.freeze_panes(1, 0)
    if count:
        sheet.write_number(count, len(fields) - 1, 0)
    workbook.close()
    stream.seek(0)
    return stream


class _Column(NamedTuple):
    """name: the field's. begin: starts each cell. write: makes its rest; "" without a value."""

    name: str
    begin: str
    write: Callable[[Any], str]


def _columns(fields: Sequence[Field]) -> list[_Column]:
    # Formats are numbered as columns first use them.
    kinds = dict.fromkeys(field.kind for field in fields if field.kind in _DATES)
    styles = {kind: number for number, kind in enumerate(kinds, start=1)}
    return [
        _Column(f.name, f'<c r="{xl_col_to_name(at)}', _writer(f, styles.get(f.kind)))
        for at, f in enumerate(fields)
    ]


def _rows(columns: Sequence[_Column], rows: Sequence[dict[str, Any]], first: int) -> bytes:
    """Write the rows as XML. first: the number of the first row."""
    cells = [map(each.write, [row[each.name] for row in rows]) for each in columns]
    begins = [each.begin for each in columns]
    written = []
    for number, rests in enumerate(zip(*cells, strict=True), start=first):
        written.append(f'<row r="{number}">')
        written += [f"{a}{number}{b}" for a, b in zip(begins, rests, strict=True) if b]
        written.append("</row>")
    return "".join(written).encode()


def _writer(field: Field, style: int | None) -> Callable[[Any], str]:
    """`_Column.write`."""
    if field.kind is Kind.NUMBER:
        return _number
    if field.kind is Kind.BOOLEAN:
        return _boolean
    if field.kind.is_list:
        return lambda values: _text(";".join(values))
    if style is not None:
        return lambda value: _moment(value, style)
    return _text


def _number(value: str | None) -> str:
    return "" if value is None else f'"><v>{value}</v></c>'


def _boolean(value: bool | None) -> str:
    return "" if value is None else f'" t="b"><v>{value:d}</v></c>'


def _moment(value: str | None, style: int) -> str:
    seconds = _FIRST_DAY if value is None else parse_time(value)
    if value is None or seconds < _FIRST_DAY:
        return _text(value)
    return f'" s="{style}"><v>{_EPOCH + seconds / DAY_SECONDS:.16G}</v></c>'


def _text(value: str | None) -> str:
    if not value:
        return ""
    if len(value) > _LONGEST_TEXT:
        value = value[: _LONGEST_TEXT - 1] + "…"
    value = _ESCAPED.sub(_escape, value)
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    space = ' xml:space="preserve"' if _BLANK_END.match(value) else ""
    return f'" t="inlineStr"><is><t{space}>{value}</t></is></c>'


def _escape(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"
