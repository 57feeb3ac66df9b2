"""The rows of workbooks equal those that XlsxWriter writes."""

import io
import zipfile
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xlsxwriter import Workbook

from finance_api.resources import xlsx
from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import RowEncoder
from finance_api.resources.xlsx import xlsx_chunks
from finance_api.values.time import parse_date
from support.nightly import count

SHEET = "xl/worksheets/sheet1.xml"


def field(kind):
    return Field(name=kind.name.lower(), kind=kind, meaning="", example=None)


FIELDS = [
    field(kind)
    for kind in (Kind.TEXT, Kind.NUMBER, Kind.DATETIME, Kind.BOOLEAN, Kind.DATE, Kind.TEXT_LIST)
]
ODD = "a<>&\"'_x0041_ \t\n\r\x00\x01\x1f\x85\ufffe\uffff\u2028é😀="
texts = st.text(ODD, min_size=1, max_size=12)
days = st.integers(parse_date("1900-03-01"), parse_date("9999-12-31"))
rows = st.lists(
    st.fixed_dictionaries(
        {
            "text": texts,
            # Quarters: XlsxWriter writes -8.53 as -8.529999999999999.
            "number": st.none() | st.integers(-(10**9), 10**9).map(lambda n: n * 2_500),
            "datetime": st.none() | days,
            "boolean": st.none() | st.booleans(),
            "date": st.none() | days.map(lambda n: n // 86_400 * 86_400),
            "text_list": st.lists(texts.filter(lambda t: ";" not in t), max_size=2).map(tuple),
        }
    ),
    max_size=5,
)


def pages(lines, size=2):
    found = lines.split(b"\n") if lines else []
    return [b"\n".join(found[n : n + size]) for n in range(0, len(found), size)]


def sheet(made):
    """The rows below the header."""
    body = b"".join(xlsx_chunks(FIELDS, pages(RowEncoder(FIELDS).lines(made)), len(made)))
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        assert parts.testzip() is None
        return parts.read(SHEET)


def by_xlsxwriter(made):
    stream = io.BytesIO()
    workbook = Workbook(stream, {"constant_memory": True})
    workbook.set_properties({"created": datetime(1980, 1, 1)})
    worksheet = workbook.add_worksheet()
    date = workbook.add_format({"num_format": "yyyy-mm-dd"})
    moment = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    worksheet.set_column(2, 2, 19, moment)
    worksheet.set_column(4, 4, 11, date)
    worksheet.freeze_panes(1, 0)
    for column, each in enumerate(FIELDS):
        worksheet.write_string(0, column, each.name)
    for number, row in enumerate(made, start=1):
        days = {k: row[k] for k in ("datetime", "date") if row[k] is not None}
        serial = {k: 25_569 + v / 86_400 for k, v in days.items()}
        for column, name in enumerate(each.name for each in FIELDS):
            value = {**row, **serial}[name]
            if value is None or value == ():
                continue
            if name in ("text", "text_list"):
                text = value if name == "text" else ";".join(value)
                worksheet.write_string(number, column, text)
            elif name == "boolean":
                worksheet.write_boolean(number, column, value)
            else:
                form = {"datetime": moment, "date": date}.get(name)
                worksheet.write_number(number, column, value / (1 if form else 10_000), form)
    workbook.close()
    with zipfile.ZipFile(stream) as parts:
        return parts.read(SHEET)


def without_size(xml):
    """Where nothing is in the last cell, XlsxWriter tells of a smaller sheet."""
    before, _, after = xml.partition(b"<dimension")
    return before + after.partition(b"/>")[2]


@settings(max_examples=count(30, 1_000))
@given(rows)
def test_rows_are_as_xlsxwriter_writes_them(made):
    assert without_size(sheet(made)) == without_size(by_xlsxwriter(made))


def test_the_sheet_says_how_large_it_is():
    row = dict.fromkeys([each.name for each in FIELDS]) | {"text_list": ()}
    assert b'<dimension ref="A1:F8"/>' in sheet([row] * 7)
    assert b'<dimension ref="A1:F1"/>' in sheet([])


@pytest.mark.parametrize("rows", [3, 300_000])
def test_a_part_beyond_two_gigabytes_is_prepared_for(monkeypatch, rows):
    """The first of its sizes is told afterwards, in eight bytes where it may be long."""
    asked = []
    open_part = zipfile.ZipFile.open

    def opened(self, *arguments, **options):
        asked.append(options.get("force_zip64"))
        return open_part(self, *arguments, **options)

    monkeypatch.setattr(xlsx.ZipFile, "open", opened)
    lines = RowEncoder(FIELDS[:1]).lines([{"text": "x"}])
    body = b"".join(xlsx_chunks(FIELDS[:1], [lines], rows))
    assert asked[-1] is (rows > 200_000)
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        assert parts.testzip() is None
