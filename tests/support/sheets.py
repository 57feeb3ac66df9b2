"""Makes spreadsheets with libraries other than the one that reads them."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Any

import pytest
import xlsxwriter
import xlwt
from odf import opendocument, table, text

from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.interface import Entry, ImportRefused, nothing_remembered
from finance_api.importers.spreadsheet.importer import SpreadsheetImporter
from support.whole import Whole, read_whole

Rows = Sequence[Sequence[Any]]

_DATES = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm:ss"}


def xlsx(_only: Rows | None = None, **sheets: Rows) -> bytes:
    """Make a workbook. None is an empty cell; "=…" is a formula without a computed value."""
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        forms = {kind: book.add_format({"num_format": form}) for kind, form in _DATES.items()}
        for name, rows in _named(_only, sheets):
            sheet = book.add_worksheet(name)
            for row, column, value in _cells(rows):
                if type(value) in forms:
                    sheet.write_datetime(row, column, value, forms[type(value)])
                else:
                    sheet.write(row, column, value)
    return stream.getvalue()


def xls(_only: Rows | None = None, **sheets: Rows) -> bytes:
    book = xlwt.Workbook()
    forms = {kind: xlwt.easyxf(num_format_str=form) for kind, form in _DATES.items()}
    plain = xlwt.easyxf()
    for name, rows in _named(_only, sheets):
        sheet = book.add_sheet(name)
        for row, column, value in _cells(rows):
            sheet.write(row, column, value, forms.get(type(value), plain))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def ods(_only: Rows | None = None, **sheets: Rows) -> bytes:
    book = opendocument.OpenDocumentSpreadsheet()
    for name, rows in _named(_only, sheets):
        sheet = table.Table(name=name)
        book.spreadsheet.addElement(sheet)
        for row in rows:
            line = table.TableRow()
            sheet.addElement(line)
            for value in row:
                line.addElement(_ods_cell(value))
    stream = io.BytesIO()
    book.write(stream)
    return stream.getvalue()


def _ods_cell(value: Any) -> table.TableCell:
    if value is None:
        return table.TableCell()
    if isinstance(value, bool):
        kind = {"valuetype": "boolean", "booleanvalue": str(value).lower()}
    elif isinstance(value, int | float):
        kind = {"valuetype": "float", "value": repr(value)}
    elif isinstance(value, date):
        kind = {"valuetype": "date", "datevalue": value.isoformat()}
    elif isinstance(value, time):
        kind = {"valuetype": "time", "timevalue": f"{value:PT%HH%MM%SS}"}
    else:
        kind = {"valuetype": "string"}
    cell = table.TableCell(**kind)
    for line in str(value).splitlines():
        cell.addElement(text.P(text=line))
    return cell


KINDS = {"xlsx": xlsx, "xls": xls, "ods": ods}


def _named(only: Rows | None, sheets: dict[str, Rows]) -> Iterable[tuple[str, Rows]]:
    return sheets.items() if only is None else [("Sheet1", only)]


def _cells(rows: Rows) -> Iterable[tuple[int, int, Any]]:
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if value is not None:
                yield number, column, value


def read_sheet(
    data: bytes, *sheets: str, remembered=nothing_remembered, **options: Any
) -> list[Whole]:
    """Return the statements in the order of their first rows. Raises ImportRefused."""
    importer = SpreadsheetImporter(CsvImporter(Mapping(**options)), sheets)
    return read_whole(importer, data, remembered)


HEADINGS = ["Date", "Payee", "Amount"]
ROWS: Rows = [
    HEADINGS,
    [date(2026, 1, 5), "Corner Shop", -12.5],
    [date(2026, 1, 6), "Employer\nLtd", 2500],
]
kinds = pytest.mark.parametrize("kind", KINDS)


def the_entries(data: bytes, *sheets: str, **options) -> list[Entry]:
    (statement,) = read_sheet(data, *sheets, **{"account": "A", **options})
    return statement.entries


def refusal(data: bytes, *sheets: str, **options) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read_sheet(data, *sheets, **{"account": "A", **options})
    return refused.value


def member(data: bytes, name: str, change) -> bytes:
    """Return the ZIP file with one part changed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        assert name in old.namelist()
        for each in old.namelist():
            content = old.read(each)
            new.writestr(each, change(content) if each == name else content)
    return stream.getvalue()
