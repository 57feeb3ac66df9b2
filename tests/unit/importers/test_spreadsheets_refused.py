"""Spreadsheets with cells that have no value, and files that cannot be opened."""

import io
import re
import struct
import zipfile
from datetime import date

import olefile
import pytest
import xlsxwriter
import xlwt

from finance_api.importers.formats import detect_format
from support.sheets import (
    HEADINGS,
    KINDS,
    ROWS,
    kinds,
    member,
    ods,
    refusal,
    the_entries,
    xls,
    xlsx,
)


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
    assert "C2 is a formula without a stored result" in refusal(xlsx(rows)).reason

    def without(result: bytes, kind: bytes = b""):
        def change(xml: bytes) -> bytes:
            cell = re.compile(rb'(<c r="C2"[^>]*)>(<f>.*?</f>)<v>0</v>')
            assert cell.search(xml)
            return cell.sub(rb"\1" + kind + rb">\2" + result, xml)

        data = member(xlsx(rows), "xl/worksheets/sheet1.xml", change)
        return member(data, "xl/workbook.xml", lambda xml: xml.replace(b"fullCalc", b"x"))

    for result in (b"", b"<v/>", b"<v></v>"):
        assert "C2 is a formula without a stored result" in refusal(without(result)).reason
    assert len(the_entries(without(b"<v>2</v>"), positive="in")) == 1
    # The result is an empty text.
    assert "amount is empty" in refusal(without(b"<v></v>", b' t="str"')).reason

    def without_value(xml: bytes) -> bytes:
        value = b' office:value-type="float" office:value="-12.5"'
        return xml.replace(value, b' table:formula="of:=1+1"')

    assert (
        "C2 is a formula without" in refusal(member(ods(ROWS), "content.xml", without_value)).reason
    )


def test_nul_is_refused() -> None:
    assert "NUL character" in refusal(xls([*ROWS, ["2026-01-07", "a\0b", 1]])).reason


def test_what_unpacks_to_more_than_100_mb_is_refused_before_it_is_opened(monkeypatch) -> None:
    monkeypatch.setattr("subprocess.run", None)
    stream = io.BytesIO(xlsx(ROWS))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b" " * 100_000_000)
    assert stream.tell() < 200_000
    assert (
        "unpacks to 100.0 MB, but at most 100 MB are allowed" in refusal(stream.getvalue()).reason
    )


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
    assert "say with --sheet which ones have the statement" in refusal(KINDS[kind](**sheets)).reason


def test_sheets_that_name_one_part_are_refused() -> None:
    data = member(
        xlsx(A=ROWS, B=ROWS),
        "xl/_rels/workbook.xml.rels",
        lambda xml: xml.replace(b"sheet2.xml", b"sheet1.xml"),
    )
    assert "two of its sheets share one part of the file" in refusal(data).reason


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
    """Return an OLE file with one stream of this name."""
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
    # Turn the record about the window's protection into one about encryption.
    data = stream.getvalue().replace(b"\x19\0\2\0", b"\x2f\0\2\0", 1)
    assert "protected by a password" in refusal(data).reason


@pytest.mark.parametrize(
    "data", [in_container("WordDocument"), b"PK\3\4", b"date,amount\n", b""], ids=len
)
def test_what_is_no_spreadsheet_is_refused(data: bytes) -> None:
    assert re.search("xlsx, xls or ods|damaged", refusal(data).reason)


def test_binary_workbook_is_refused() -> None:
    data = member(xlsx(ROWS), "xl/workbook.xml", lambda xml: xml).replace(
        b"xl/workbook.xml", b"xl/workbook.bin"
    )
    assert detect_format(io.BytesIO(data)).name == "spreadsheet"
    assert "not an xlsx, xls or ods spreadsheet" in refusal(data).reason
