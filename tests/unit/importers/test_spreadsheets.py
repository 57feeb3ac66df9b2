"""Spreadsheets: which sheet, what its cells say, and what is refused."""

import io
import re
import struct
import zipfile
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path

import olefile
import pytest
import xlsxwriter
import xlwt
from hypothesis import example, given, settings
from hypothesis import strategies as st

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import Entry, ImportRefused
from finance_api.importers.spreadsheet.conversion import number_text
from finance_api.importers.spreadsheet.importer import open_workbook
from finance_api.values.number import decimal_text
from finance_api.values.text import clean
from finance_api.values.time import date_text, instant_text
from support import csv_files
from support.csv_files import answers
from support.nightly import count
from support.sheets import KINDS, Rows, ods, read_sheet, xls, xlsx

HEADINGS = ["Date", "Payee", "Amount"]
ROWS: Rows = [
    HEADINGS,
    [date(2026, 1, 5), "Corner Shop", -12.5],
    [date(2026, 1, 6), "Employer\nLtd", 2500],
]
kinds = pytest.mark.parametrize("kind", KINDS)


def the_entries(data: bytes, sheet: str | None = None, **options) -> list[Entry]:
    (statement,) = read_sheet(data, sheet, **{"account": "A", **options})
    return statement.entries


def refusal(data: bytes, sheet: str | None = None, **options) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read_sheet(data, sheet, **{"account": "A", **options})
    return refused.value


def with_amounts(*amounts: object, headings: Rows = (HEADINGS,)) -> Rows:
    return [*headings, *([date(2026, 1, 5), "x", amount] for amount in amounts)]


def member(data: bytes, name: str, change) -> bytes:
    """The ZIP file with one part changed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        assert name in old.namelist()
        for each in old.namelist():
            content = old.read(each)
            new.writestr(each, change(content) if each == name else content)
    return stream.getvalue()


# -- what the cells say


@kinds
def test_sheet_is_read_as_the_same_rows_of_csv_are(kind: str) -> None:
    text = (
        'Date,Payee,Amount\r\n2026-01-05,Corner Shop,-12.5\r\n2026-01-06,"Employer\nLtd",2500\r\n'
    )
    (csv,) = csv_files.read(text, account="A")
    (sheet,) = read_sheet(KINDS[kind](ROWS), account="A")
    assert sheet.entries == csv.entries
    assert sheet.statement == replace(csv.statement, encoding=None)
    assert detect_format(io.BytesIO(KINDS[kind](ROWS))).name == "spreadsheet"


@kinds
def test_cells_of_each_type_become_text(kind: str) -> None:
    cells = [1, 0.1, -12.345, 1.1, 1e22, True, "x", "007", date(2026, 1, 5), time(13, 5)]
    cells += [datetime(2026, 1, 5, 13, 45, 28), "a\r\nb"]
    rows = [["Date", "Amount", *map(str, range(len(cells)))], [date(2026, 1, 5), 1, *cells]]
    with open_workbook(io.BytesIO(KINDS[kind](rows))) as (sheet,):
        _, line = sheet.text.lines()
    assert line.split(",", 2)[2] == (
        "1,0.1,-12.345,1.1,10000000000000000000000,true,x,007,2026-01-05,13:05:00,"
        '2026-01-05T13:45:28,"a\nb"\r\n'
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(5e-324)
def test_number_is_the_shortest_decimal_that_is_the_same(number: float) -> None:
    text = number_text(number)
    assert re.fullmatch(r"0|-?(?:[1-9][0-9]*|0)(?:\.[0-9]*[1-9])?", text)
    assert float(text) == number
    digits = text.replace("-", "").replace(".", "").strip("0")
    for fewer in range(1, len(digits)):
        assert float(f"{number:.{fewer - 1}e}") != number


WRITTEN = st.tuples(
    st.dates(date(1970, 1, 1), date(2027, 12, 31)),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=12),
    st.integers(-10_000_000, 10_000_000).map(lambda units: units / 10_000),
)


@pytest.mark.nightly
@settings(max_examples=count(10, 300))
@given(st.lists(WRITTEN, min_size=1, max_size=20), st.sampled_from(list(KINDS)))
def test_whatever_is_written_is_read(rows: list[tuple], kind: str) -> None:
    found = the_entries(KINDS[kind]([HEADINGS, *rows]), positive="in")
    assert [(date_text(e.date), e.payee, e.amount) for e in found] == [
        (str(day), clean(payee).strip() or None, round(amount * 10_000))
        for day, payee, amount in rows
    ]


def test_days_counted_from_1904_are_read() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"date_1904": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row("A1", HEADINGS)
        sheet.write_datetime("A2", date(2026, 1, 5), book.add_format({"num_format": "d/m/yy"}))
        sheet.write_row("B2", ["x", -1])
    assert [date_text(entry.date) for entry in the_entries(stream.getvalue())] == ["2026-01-05"]


def test_number_with_more_decimals_than_money_has_is_refused() -> None:
    assert "more than 4 decimal places" in refusal(xlsx(with_amounts(0.30004, -1.00001))).reason


@kinds
def test_times_of_a_day_come_with_it(kind: str) -> None:
    rows = [HEADINGS, [datetime(2026, 1, 5, 23, 59, 59), "x", -1]]
    (entry,) = the_entries(KINDS[kind](rows))
    assert instant_text(entry.date) == "2026-01-05T23:59:59Z"
    apart = [["Date", "Time", "Payee", "Amount"], [date(2026, 1, 5), time(8, 30), "x", -1]]
    (entry,) = the_entries(KINDS[kind](apart), columns={"recordDate": ["Date", "Time"]})
    assert instant_text(entry.date) == "2026-01-05T08:30:00Z"


@pytest.mark.parametrize("options", [{}, {"decimal": ","}, {"thousands": "."}, {"decimal": "."}])
def test_numbers_have_a_point_whatever_is_said_of_text(options: dict[str, str]) -> None:
    found = the_entries(xlsx(with_amounts(1.234, -1234, -12.5, 999.999)), **options)
    assert [decimal_text(e.amount) for e in found] == ["1.234", "-1234", "-12.5", "999.999"]


def test_amounts_of_text_are_read_as_those_of_csv() -> None:
    found = the_entries(xlsx(with_amounts("1.234,50", "-12,5", -7)))
    assert [decimal_text(e.amount) for e in found] == ["1234.5", "-12.5", "-7"]
    assert "--decimal" in refusal(xlsx(with_amounts("1.234", "-5"))).reason


@pytest.mark.parametrize("text", ["1.234", "-1,234 €"])
def test_amounts_of_text_beside_numbers_that_do_not_say_what_they_mean_are_refused(
    text: str,
) -> None:
    rows = [("date", "note", "debit", "credit"), (date(2026, 1, 5), "a 1.234", text, None)]
    sides = {"debit": "debit", "credit": "credit"}
    refused = refusal(xlsx([*rows, (date(2026, 1, 6), "b", None, 12.5)]), **sides)
    assert refused.line == 2
    assert "two ways" in refused.reason


def test_amounts_of_text_beside_numbers_of_another_mark_are_refused() -> None:
    for amounts in ((1.234, "-12,50"), ("-12,50", 1.234)):
        for options in ({}, {"decimal": ","}):
            assert "not an amount" in refusal(xlsx(with_amounts(*amounts)), **options).reason


@pytest.mark.parametrize(
    "options", [{}, {"date_format": "DD/MM/YYYY"}, {"date_format": "%m.%d.%y"}]
)
def test_dates_are_dates_whatever_is_said_of_text(options: dict[str, str]) -> None:
    rows = [HEADINGS, [date(2026, 2, 3), "x", -1], [date(2026, 2, 4), "x", -1]]
    assert [date_text(e.date) for e in the_entries(xlsx(rows), **options)] == [
        "2026-02-03",
        "2026-02-04",
    ]


def test_dates_of_text_are_read_as_those_of_csv() -> None:
    rows = [HEADINGS, ["03/02/2026", "x", -1], ["04/02/2026", "x", -1]]
    assert answers(refusal(xlsx(rows))) == [
        f"--date-format {form} --currency CODE ---date-format"
        for form in ("DD/MM/YYYY", "MM/DD/YYYY")
    ]
    found = the_entries(xlsx(rows), date_format="DD/MM/YYYY")
    assert [date_text(entry.date) for entry in found] == ["2026-02-03", "2026-02-04"]


@pytest.mark.parametrize("options", [{}, {"date_format": "DD/MM/YYYY"}])
@pytest.mark.parametrize("order", [1, -1])
def test_dates_of_which_a_program_took_some_for_others_are_refused(
    options: dict[str, str], order: int
) -> None:
    """02/03/2026 became 2 March where 3 February was meant; 13/02/2026 stayed text."""
    dates = [date(2026, 3, 2), "13/02/2026"][::order]
    rows = [HEADINGS, *([day, "x", -1] for day in dates)]
    assert "may have taken days for months" in refusal(xlsx(rows), **options).reason


# -- where the table is


@kinds
def test_titles_and_blank_rows_and_columns_before_the_table_are_passed_over(kind: str) -> None:
    rows = [[None], [None, "Statement of January", None, None], [None]]
    rows += [[None, *row] for row in ROWS]
    (found,) = read_sheet(KINDS[kind](rows), account="A")
    assert [entry.line for entry in found.entries] == [5, 6]
    said = "lines before the headings were passed over: --skip-rows 3"
    assert found.statement.remarks[0] == said
    by_number = {"recordDate": "2", "amount": "4", "payee": "3"}
    assert the_entries(KINDS[kind](rows), columns=by_number, skip_rows=3) == found.entries


def test_merged_cells_are_their_first_one() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet()
        sheet.merge_range("A1:C1", "Statement")
        sheet.write_row("A2", HEADINGS)
        sheet.write_row("A3", ["2026-01-05", "x", -1])
        sheet.merge_range("A4:A5", "2026-01-06")
        sheet.write_row("B4", ["y", -1])
        sheet.write_row("B5", ["z", -1])
    refused = refusal(stream.getvalue())
    assert (refused.line, "date is empty" in refused.reason) == (5, True)


@kinds
def test_headings_of_a_profile_select_it(kind: str) -> None:
    """Its decimal comma is for text; these cells are numbers."""
    rows = [["Umsätze Girokonto", "Zeitraum", "30 Tage", "", "", "", "alle"], [None]]
    rows += [["Buchungstag", "Wertstellung (Valuta)", "Vorgang", "Buchungstext", "Umsatz in EUR"]]
    rows += [[date(2026, 1, 5), date(2026, 1, 6), "Lastschrift", "Strom", -1.234]]
    rows += [["offen", date(2026, 1, 7), "Karte", "Laden", -5]]
    (found,) = read_sheet(KINDS[kind](rows), account="A")
    (entry,) = found.entries
    assert (found.statement.profile, found.statement.account.currency) == ("comdirect", "EUR")
    assert (date_text(entry.date), date_text(entry.value_date)) == ("2026-01-05", "2026-01-06")
    assert (entry.amount, entry.note) == (-12_340, "Lastschrift Strom")


@kinds
def test_rows_below_the_table_are_asked_about(kind: str) -> None:
    data = KINDS[kind]([*ROWS, ["Page", None, -2487.5]])
    assert answers(refusal(data)) == ["--skip-last 1 --currency CODE ---skip-last"]
    assert len(the_entries(data, skip_last=1)) == 2


@kinds
def test_only_sheet_whose_headings_fit_is_read_and_the_others_named(kind: str) -> None:
    data = KINDS[kind](Info=[["Printed", "on"], ["by", "the bank"]], Empty=[], Data=ROWS)
    (found,) = read_sheet(data, account="A")
    assert len(found.entries) == 2
    assert found.statement.remarks[-1] == "the sheet 'Data' was read, and not 'Info'"


@kinds
def test_several_sheets_that_fit_are_asked_about(kind: str) -> None:
    data = KINDS[kind](January=ROWS, February=[HEADINGS, [date(2026, 2, 1), "x", -1]])
    refused = refusal(data)
    assert "'January', 'February': name the one with the statement with --sheet" in refused.reason
    assert answers(refused) == ["--sheet January", "--sheet February"]
    assert len(the_entries(data, "february")) == 1
    refused = refusal(data, "March")
    assert "no sheet that has cells is called 'March': there are 'January', 'Feb" in refused.reason


def test_only_sheet_that_could_be_a_statement_is_asked_about() -> None:
    rows = [["Buchungstag", "Empfänger", "Betrag"], *ROWS[1:]]
    data = xlsx(Info=[["Printed", "on"], ["by", "the bank"]], Umsatz=rows)
    (found,) = read_sheet(data, account="A")
    assert [entry.payee for entry in found.entries] == [row[1] for row in ROWS[1:]]
    neither = xlsx(Info=[["Printed", "on"]], More=[["by", "the bank"]])
    assert answers(refusal(neither)) == ["--sheet Info", "--sheet More"]


def test_charts_are_no_sheets() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet("Data")
        sheet.write_row("A1", HEADINGS)
        sheet.write_row("A2", ["2026-01-05", "x", -1])
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Data!$C$2:$C$2"})
        book.add_chartsheet("Chart").set_chart(chart)
    assert len(the_entries(stream.getvalue())) == 1


def test_sheet_without_cells_is_refused() -> None:
    assert "spreadsheet is empty" in refusal(xlsx(One=[], Two=[])).reason


# -- values that are none


def test_error_in_xlsx_is_refused_with_its_place() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        for name in ("Good", "Bad"):
            sheet = book.add_worksheet(name)
            sheet.write_row("A1", [*HEADINGS, "Rate"])
            sheet.write_row("A2", ["2026-01-05", "x", -1, 1])
        sheet.write_formula("D3", "=1/0", None, "#DIV/0!")
    data = member(stream.getvalue(), "xl/workbook.xml", lambda xml: xml.replace(b"fullCalc", b"x"))
    assert "the sheet 'Bad': D3 is an error of a formula" in refusal(data, "Bad").reason
    assert len(the_entries(data, "Good")) == 1


def test_error_in_xls_is_refused_with_its_place() -> None:
    book = xlwt.Workbook()
    for name in ("Good", "Bad"):
        sheet = book.add_sheet(name)
        for column, heading in enumerate(HEADINGS):
            sheet.write(0, column, heading)
            sheet.write(1, column, ["2026-01-05", "x", -1][column])
    sheet.row(2).set_cell_error(28, "#DIV/0!")
    stream = io.BytesIO()
    book.save(stream)
    assert (
        "the sheet 'Bad': AC3 is an error of a formula" in refusal(stream.getvalue(), "Bad").reason
    )
    assert len(the_entries(stream.getvalue(), "Good")) == 1


def test_formula_in_xls_that_gives_an_error_is_refused_with_its_place() -> None:
    book = xlwt.Workbook()
    book.add_sheet("A").write(3, 1, xlwt.Formula("1/0"))
    stream = io.BytesIO()
    book.save(stream)
    blank, error = b"\3\0\0\0\0\0\xff\xff", b"\2\0\7\0\0\0\xff\xff"
    assert stream.getvalue().count(blank) == 1
    assert "B4 is an error" in refusal(stream.getvalue().replace(blank, error)).reason


def test_error_in_ods_is_refused_with_its_place() -> None:
    def spoilt(xml: bytes) -> bytes:
        cell = b'<table:table-cell office:value-type="float" office:value="-12.5">'
        before = b'<table:table-row table:number-rows-repeated="3"/><table:table-row>'
        formula = (
            b'<table:table-cell xmlns:calcext="urn:x" table:formula="of:=1/0" '
            b'office:value-type="string" office:string-value="" calcext:value-type="error">'
        )
        assert cell in xml
        row = b'<table:table-row><table:table-cell office:value-type="date"'
        xml = xml.replace(row, before + row[17:], 1)
        return xml.replace(cell, formula)

    data = member(ods(Good=ROWS[:1], Bad=ROWS), "content.xml", spoilt)
    assert "the sheet 'Bad': C5 is an error of a formula" in refusal(data, "Bad").reason


def test_formula_without_its_result_is_refused_with_its_place() -> None:
    rows = [HEADINGS, [date(2026, 1, 5), "x", "=1+1"]]
    assert "C2 is a formula whose result the file does not have" in refusal(xlsx(rows)).reason

    def without(result: bytes, kind: bytes = b""):
        def change(xml: bytes) -> bytes:
            cell = re.compile(rb'(<c r="C2"[^>]*)>(<f>.*?</f>)<v>0</v>')
            assert cell.search(xml)
            return cell.sub(rb"\1" + kind + rb">\2" + result, xml)

        data = member(xlsx(rows), "xl/worksheets/sheet1.xml", change)
        return member(data, "xl/workbook.xml", lambda xml: xml.replace(b"fullCalc", b"x"))

    for result in (b"", b"<v/>", b"<v></v>"):
        assert "C2 is a formula whose result" in refusal(without(result)).reason
    assert len(the_entries(without(b"<v>2</v>"), positive="in")) == 1
    # The result is an empty text.
    assert "amount is empty" in refusal(without(b"<v></v>", b' t="str"')).reason

    def without_value(xml: bytes) -> bytes:
        value = b' office:value-type="float" office:value="-12.5"'
        return xml.replace(value, b' table:formula="of:=1+1"')

    assert (
        "C2 is a formula whose" in refusal(member(ods(ROWS), "content.xml", without_value)).reason
    )


def test_nul_is_refused() -> None:
    assert "NUL character" in refusal(xls([*ROWS, ["2026-01-07", "a\0b", 1]])).reason


# -- what is no spreadsheet, or none that can be opened


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<html><table><tr><td>Date", "an HTML page"),
        (b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>', "in one XML file"),
    ],
)
def test_what_only_has_the_name_of_a_spreadsheet_is_named(data: bytes, words: str) -> None:
    with pytest.raises(ImportRefused, match=words):
        detect_format(io.BytesIO(data))


def test_csv_under_the_name_of_a_spreadsheet_is_csv(tmp_path: Path) -> None:
    path = tmp_path / "statement.xls"
    path.write_bytes(b"Date\tPayee\tAmount\n2026-01-05\tx\t-1\n")
    with path.open("rb") as stream:
        assert detect_format(stream).name == "csv"


def test_what_unpacks_to_more_than_100_mb_is_refused_before_it_is_opened(monkeypatch) -> None:
    monkeypatch.setattr("subprocess.run", None)
    stream = io.BytesIO(xlsx(ROWS))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b" " * 100_000_000)
    assert stream.tell() < 200_000
    assert "unpacks to 100.0 MB, and at most 100 MB are read" in refusal(stream.getvalue()).reason


def test_what_says_to_be_smaller_than_it_is_is_refused() -> None:
    stream = io.BytesIO(xlsx(ROWS))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb", b" " * 200_000_000)
    data = stream.getvalue().replace(struct.pack("<I", 200_000_000), struct.pack("<I", 1000))
    assert "damaged" in refusal(data).reason


def test_cells_too_far_apart_are_refused() -> None:
    far = xlsx([["a"]])
    cell = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    data = member(far, "xl/worksheets/sheet1.xml", lambda x: x.replace(b"</sheetData>", cell))
    assert "spread too far" in refusal(data).reason


def test_cells_that_are_repeated_without_end_are_refused() -> None:
    repeated = b'<table:table-cell table:number-columns-repeated="16384"'
    rows = b'<table:table-row table:number-rows-repeated="1048576"'

    def change(xml: bytes) -> bytes:
        return xml.replace(b"<table:table-cell", repeated).replace(b"<table:table-row", rows)

    assert "spread too far" in refusal(member(ods(ROWS), "content.xml", change)).reason


def test_cells_of_all_sheets_are_limited_with_the_empty_ones_between_them() -> None:
    cell = b'<row r="100001"><c r="AX100001"><v>1</v></c></row></sheetData>'
    data = xlsx(A=[["a"]], B=[["a"]])
    for number in (1, 2):
        assert "cells" not in refusal(data, "A").reason
        part = f"xl/worksheets/sheet{number}.xml"
        data = member(data, part, lambda xml: xml.replace(b"</sheetData>", cell))
    assert "has more than 10,000,000 cells from its first one" in refusal(data, "A").reason


@kinds
def test_sheets_are_limited(kind: str) -> None:
    sheets = {f"s{number}": [["a"]] for number in range(257)}
    assert "has more than 256 sheets, which is the limit" in refusal(KINDS[kind](**sheets)).reason
    del sheets["s256"]
    assert "name the one with the statement" in refusal(KINDS[kind](**sheets)).reason


def test_sheets_that_name_one_part_are_refused() -> None:
    data = member(
        xlsx(A=ROWS, B=ROWS),
        "xl/_rels/workbook.xml.rels",
        lambda xml: xml.replace(b"sheet2.xml", b"sheet1.xml"),
    )
    assert "two of its sheets are one part of it" in refusal(data).reason


def test_part_that_is_there_twice_is_refused() -> None:
    stream = io.BytesIO(xlsx(ROWS))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("xl/worksheets/SHEET1.xml", "")
    assert "its part 'xl/worksheets/SHEET1.xml' is there twice" in refusal(stream.getvalue()).reason


@pytest.mark.parametrize("data", [xlsx(ROWS), ods(ROWS)], ids=["xlsx", "ods"])
def test_member_with_a_password_is_refused(data: bytes) -> None:
    encrypted = bytearray(data)
    for signature, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        for found in re.finditer(re.escape(signature), data):
            encrypted[found.start() + place] |= 1
    assert "protected by a password" in refusal(bytes(encrypted)).reason


def test_ods_with_a_password_is_refused() -> None:
    key = b'media-type="text/xml"><manifest:encryption-data/></manifest:file-entry>'
    data = member(
        ods(ROWS), "META-INF/manifest.xml", lambda x: x.replace(b'media-type="text/xml"/>', key)
    )
    assert "protected by a password" in refusal(data).reason


def in_container(name: str) -> bytes:
    """An OLE file that has one stream of this name."""
    data = xls(ROWS)
    old, new = ("Workbook".encode("utf-16-le"), name.encode("utf-16-le"))
    at = data.index(old.ljust(64, b"\0"))
    entry = new.ljust(64, b"\0") + struct.pack("<H", len(new) + 2)
    return data[:at] + entry + data[at + 66 :]


def test_xlsx_with_a_password_is_refused() -> None:
    assert olefile.isOleFile(in_container("EncryptedPackage"))
    assert "protected by a password" in refusal(in_container("EncryptedPackage")).reason


def test_xls_with_a_password_is_refused() -> None:
    book = xlwt.Workbook()
    book.add_sheet("A").write(0, 0, "x")
    stream = io.BytesIO()
    book.save(stream)
    # The record of the window's protection becomes the one of encryption.
    data = stream.getvalue().replace(b"\x19\0\2\0", b"\x2f\0\2\0", 1)
    assert "protected by a password" in refusal(data).reason


@pytest.mark.parametrize(
    "data", [in_container("WordDocument"), b"PK\3\4", b"date,amount\n", b""], ids=len
)
def test_what_is_no_spreadsheet_is_refused(data: bytes) -> None:
    assert re.search("no spreadsheet|damaged", refusal(data).reason)


def test_binary_workbook_is_refused() -> None:
    data = member(xlsx(ROWS), "xl/workbook.xml", lambda xml: xml).replace(
        b"xl/workbook.xml", b"xl/workbook.bin"
    )
    assert detect_format(io.BytesIO(data)).name == "spreadsheet"
    assert "no spreadsheet of the kinds xlsx, xls and ods" in refusal(data).reason


def test_other_documents_are_named() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("word/document.xml", "")
    stream.seek(0)
    with pytest.raises(ImportRefused, match="a document that is no spreadsheet"):
        detect_format(stream)
