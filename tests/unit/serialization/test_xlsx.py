"""The rows of workbooks equal those that XlsxWriter writes."""

import io
import zipfile
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from xlsxwriter import Workbook

from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Kind, Unit
from finance_api.serialization import xlsx
from finance_api.serialization.rows import RowEncoder
from finance_api.serialization.values import readable_first
from finance_api.serialization.xlsx import xlsx_chunks
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
    with zipfile.ZipFile(io.BytesIO(workbook(made))) as parts:
        assert parts.testzip() is None
        return parts.read(SHEET)


def workbook(made, fields=FIELDS):
    lines = pages(RowEncoder(fields).lines(made))
    return b"".join(xlsx_chunks("things", fields, lines, len(made)))


def opened_sheet(made, fields):
    return load_workbook(io.BytesIO(workbook(made, fields)))["things"]


def by_xlsxwriter(made):
    stream = io.BytesIO()
    workbook = Workbook(stream, {"constant_memory": True})
    workbook.set_properties({"created": datetime(1980, 1, 1)})
    worksheet = workbook.add_worksheet()
    bold = workbook.add_format({"bold": True})
    forms = ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "#,##0", "0.0#%", "#,##0.0###", "#,##0.00##")
    date, moment, *_, amount = (workbook.add_format({"num_format": form}) for form in forms)
    for at, each in enumerate((date, moment, *_, amount)):
        worksheet.write_blank(0, len(FIELDS) + at, None, each)
    for column, each in enumerate(FIELDS):
        worksheet.write_string(0, column, each.name, bold)
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
                form = {"datetime": moment, "date": date}.get(name, amount)
                divisor = 10_000 if form is amount else 1
                worksheet.write_number(number, column, value / divisor, form)
    workbook.close()
    with zipfile.ZipFile(stream) as parts:
        return parts.read(SHEET)


def below_headings(xml):
    return xml.partition(b"</row>")[2].partition(b"</sheetData>")[0]


@settings(max_examples=count(30, 1_000))
@given(rows)
def test_rows_are_as_xlsxwriter_writes_them(made):
    assert below_headings(sheet(made)) == below_headings(by_xlsxwriter(made))


def test_the_sheet_says_how_large_it_is():
    row = dict.fromkeys([each.name for each in FIELDS]) | {"text_list": ()}
    assert b'<dimension ref="A1:F8"/>' in sheet([row] * 7)
    # A table must have a row, even if it is empty.
    assert b'<dimension ref="A1:F2"/>' in sheet([])


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_the_rows_are_a_table_with_filters_below_a_frozen_heading(rows):
    row = dict.fromkeys([each.name for each in FIELDS]) | {"text_list": ()}
    found = opened_sheet([row] * rows, FIELDS)
    (table,) = found.tables.values()
    assert (table.name, table.ref, table.autoFilter.ref) == (
        "things",
        f"A1:F{max(rows, 1) + 1}",
        f"A1:F{max(rows, 1) + 1}",
    )
    assert [each.name for each in table.tableColumns] == [each.name for each in FIELDS]
    assert found.freeze_panes == "A2"


def test_amounts_have_the_format_of_their_rows_currency():
    currency = Field("currencyCode", Kind.CHOICE, "", None)
    count, share = (Field(name, Kind.NUMBER, "", None) for name in ("count", "share"))
    fields = [
        replace(field(Kind.NUMBER), name="amount"),
        currency,
        replace(count, decimals=0),
        replace(share, unit=Unit.SHARE),
        replace(share, name="percent", unit=Unit.PERCENT),
    ]
    made = [
        {
            "amount": amount,
            "currencyCode": code,
            "count": 12_345,
            "share": 4_013,
            "percent": 125_000,
        }
        for amount, code in (
            (-12_345_678_900, "EUR"),
            (12_345_000_000, "JPY"),
            (15_000, "JPY"),
            (12_345, "KWD"),
            (10_000, None),
        )
    ]
    found = opened_sheet(made, fields)
    assert [(cell.value, cell.number_format) for (cell,) in found["A2:A6"]] == [
        (-1_234_567.89, "#,##0.00## [$EUR]"),
        (1_234_500, "#,##0 [$JPY]"),
        (1.5, "#,##0.00##"),
        (1.2345, "#,##0.000# [$KWD]"),
        (1, "#,##0.00##"),
    ]
    assert [(cell.value, cell.number_format) for cell in found[2][2:]] == [
        (12_345, "#,##0"),
        (0.4013, "0.0#%"),
        (12.5, "#,##0.0###"),
    ]


def test_columns_are_as_wide_as_their_first_rows_and_headings():
    fields = [field(Kind.TEXT), field(Kind.DATE), replace(field(Kind.TEXT), name="x" * 20)]
    made = [{"text": "y" * n, "date": None, "x" * 20: None} for n in (3, 30)]
    columns = opened_sheet(made, fields).column_dimensions
    assert [columns[letter].width for letter in "ABC"] == [32, 12, 24]
    assert opened_sheet([made[0] | {"text": "y" * 999}], fields).column_dimensions["A"].width == 50


def test_readable_columns_come_first_and_ids_last():
    names = [each.name for each in readable_first(RECORDS.fields)]
    assert names[:6] == ["recordDate", "accountName", "amount", "currencyCode", "category", "payee"]
    ids = ["id", "accountId", "categoryId", "labelIds", "transferId", "splitId", "importId"]
    assert names[-9:] == ["createdAt", "updatedAt", *ids]


@pytest.mark.parametrize("rows", [3, 300_000])
def test_a_part_beyond_two_gigabytes_is_prepared_for(monkeypatch, rows):
    """The size follows the data, in eight bytes if it may be large."""
    asked = []
    open_part = zipfile.ZipFile.open

    def opened(self, *arguments, **options):
        asked.append(options.get("force_zip64"))
        return open_part(self, *arguments, **options)

    monkeypatch.setattr(xlsx.ZipFile, "open", opened)
    lines = RowEncoder(FIELDS[:1]).lines([{"text": "x"}])
    body = b"".join(xlsx_chunks("things", FIELDS[:1], [lines], rows))
    assert asked[-1] is (rows > 200_000)
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        assert parts.testzip() is None


def test_workbooks_that_are_made_at_the_same_time_do_not_mix():
    row = dict.fromkeys([each.name for each in FIELDS]) | {"text_list": ()}
    slow = xlsx_chunks("things", FIELDS, pages(RowEncoder(FIELDS).lines([row])), 1)
    begin = next(slow)
    workbook([row] * 3)
    with zipfile.ZipFile(io.BytesIO(begin + b"".join(slow))) as parts:
        assert parts.testzip() is None
