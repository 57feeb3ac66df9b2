"""Rows as a workbook of Office Open XML (ECMA-376), as spreadsheets open it in every locale."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import text_writer
from finance_api.values import Row
from finance_api.values.spreadsheet import in_cell
from finance_api.values.time import DAY_SECONDS, parse_date

#: Number formats and widths by kind; spreadsheets have no days before this one.
_DATES = {Kind.DATE: ("yyyy-mm-dd", 11), Kind.DATETIME: ("yyyy-mm-dd hh:mm:ss", 19)}
_FIRST_DAY = parse_date("1900-03-01")
#: The serial number of 1970-01-01.
_EPOCH = 25_569
#: So that the same rows give the same bytes.
_CREATED = datetime(1980, 1, 1)


def xlsx_body(fields: Sequence[Field], rows: Iterable[Row]) -> bytes:
    """A header row and the rows: numbers and dates as such, and all text as text.

    Times are in UTC. A number keeps the 15 digits that spreadsheets have.
    """
    stream = BytesIO()
    workbook = Workbook(stream, {"constant_memory": True})
    workbook.set_properties({"created": _CREATED})
    formats = {kind: workbook.add_format({"num_format": f}) for kind, (f, _) in _DATES.items()}
    sheet = workbook.add_worksheet()
    for column, field in enumerate(fields):
        if field.kind in _DATES:
            sheet.set_column(column, column, _DATES[field.kind][1])
        sheet.write_string(0, column, field.name)
    sheet.freeze_panes(1, 0)
    for number, row in enumerate(rows, start=1):
        for column, field in enumerate(fields):
            value = row[field.name]
            if value is not None:
                _write(sheet, number, column, field, value, formats.get(field.kind))
    workbook.close()
    return stream.getvalue()


def _write(
    sheet: Worksheet, row: int, column: int, field: Field, value: Any, form: Format | None
) -> None:
    if field.kind is Kind.NUMBER:
        sheet.write_number(row, column, value / 10**field.decimals)
    elif field.kind is Kind.BOOLEAN:
        sheet.write_boolean(row, column, value)
    elif form is not None and value >= _FIRST_DAY:
        whole = value - value % DAY_SECONDS if field.kind is Kind.DATE else value
        sheet.write_number(row, column, _EPOCH + whole / DAY_SECONDS, form)
    else:
        sheet.write_string(row, column, in_cell(text_writer(field)(value)))
