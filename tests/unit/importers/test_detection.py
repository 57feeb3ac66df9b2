"""What a file is, by its first bytes."""

import gzip
import io
import zipfile

import pytest

from finance_api.importers import CAMT, CSV, MT940, NATIVE, OFX, QIF, SPREADSHEET
from finance_api.importers.camt.importer import CamtImporter
from finance_api.importers.detection import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.importers.mt940.importer import Mt940Importer


def detected(data: bytes) -> str:
    return detect_format(io.BytesIO(data))


def refusal(data: bytes) -> str:
    with pytest.raises(ImportRefused) as refused:
        detected(data)
    return refused.value.reason


def zipped(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "content")
    return stream.getvalue()


DOCUMENT = b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>'


@pytest.mark.parametrize(
    ("data", "format_name"),
    [
        (b"OFXHEADER:100\n", OFX),
        (b'<?xml version="1.0"?><?OFX OFXHEADER="200"?>', OFX),
        (b'{"reserved_model_type":"Account"}', NATIVE),
        (b'\xef\xbb\xbf\n {"reserved_model_type"', NATIVE),
        (b"date,amount\n2026-01-01,5\n", CSV),
        (b"<TICKER>,<PER>,<DATE>\n", CSV),
        (b'"20:15";:20:\n', CSV),
        (b"memo\nType: Account!\n", CSV),
        (b"<?xml version='1.0'?>" + DOCUMENT, CAMT),
        (b"\xef\xbb\xbf\n" + DOCUMENT, CAMT),
        (DOCUMENT, CAMT),
        (("\ufeff<?xml version='1.0'?>" + DOCUMENT.decode()).encode("utf-16"), CAMT),
        (b"<?xml version='1.0'?><Document><BkToCstmrStmt>", CAMT),
        (b"<a:Document xmlns:a='x'><a:BkToCstmrDbtCdtNtfctnV01>", CAMT),
        (b"<BizMsg><AppHdr><MsgDefIdr>camt.052.001.08</MsgDefIdr></AppHdr>", CAMT),
        (b":20:STMT\n:25:1/2\n", MT940),
        (b"\xef\xbb\xbf:20:STMT\r\n:25:1/2\r\n", MT940),
        (b":61:1409010902DR1,62NTRF", MT940),
        (b"{1:F01BANK}{2:I940}{4:\n:20:1", MT940),
        (b"\x01{1:F01BANK}{2:I942}{4:\n:20:1", MT940),
        (b"ABNANL2A\n940\nABNANL2A\n:20:ABN AMRO\n", MT940),
        (b":NS:\n", MT940),
        (b"memo\n!Type:Bank\n", CSV),
        (b"!Type:Bank\nD1/1'26\n", QIF),
        (b"\xef\xbb\xbf\r\n!type:oth a\r", QIF),
        (b"# exported\n\n# by\r!Option:AutoSwitch\n", QIF),
        ("!Account\nNA".encode("utf-16"), QIF),
        (zipped("thumbnail.png", "[Content_Types].xml", "xl/workbook.xml"), SPREADSHEET),
        (zipped("[Content_Types].xml", "xl/workbook.xml")[:-30], SPREADSHEET),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", SPREADSHEET),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", SPREADSHEET),
    ],
)
def test_what_is_read_is_told_apart(data: bytes, format_name: str) -> None:
    stream = io.BytesIO(data)
    assert detect_format(stream) == format_name
    assert stream.tell() == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"%PDF-1.7", "PDF file: download"),
        (zipped("statement.csv"), "ZIP file: unpack"),
        (zipped(), "ZIP file: unpack"),
        (gzip.compress(b"date,amount", mtime=0), "gzip file: unpack"),
        (b"BZh91AY&SY", "compressed file: unpack"),
        (b"<!doctype html><title>Sign in", "HTML page"),
        (b"\n<HTML><body>", "HTML page"),
        (zipped("[Content_Types].xml", "word/document.xml"), "document that is no spreadsheet"),
        (b"<?xml version='1.0'?><?mso-application progid='Excel.Sheet'?>", "in one XML file"),
        (b"<?xml version='1.0'?><other/>", "an XML file"),
        (b"<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.060.001.05'>", "an XML file"),
        (b'[{"amount": 1}]', "JSON file: native data"),
        (b'{\n  "amount": 1\n}\n', "JSON file: native data"),
        (b"SQLite format 3\0", "SQLite"),
        (b"\x89PNG\r\n\x1a\n", "an image: download"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "an image: download"),
        (b"{\\rtf1\\ansi Statement}", "a text document: download"),
        (b"Return-Path: <a@b>\nSubject: Statement\n", "an e-mail: save the file"),
    ],
)
def test_what_is_not_read_is_named(data: bytes, words: str) -> None:
    assert words in refusal(data)


def test_opendocument_sheet_is_told_by_its_type() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    assert detected(stream.getvalue()) == SPREADSHEET


@pytest.mark.parametrize(
    ("data", "source"),
    [
        (b"<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.052.001.01'>", "camt.052"),
        (b"<?xml version='1.0'?><Document><BkToCstmrAcctRpt>", "camt.052"),
        (DOCUMENT, "camt.053"),
        (b"<Document><BkToCstmrDbtCdtNtfctn>", "camt.054"),
        (b":20:1\n:25:2\n:60F:C260227EUR1,\n:90D:0EUR0,\n", "mt940"),
        (b":20:1\n:25:2\n:34F:EUR0,\n:61:2602270227C3,10NTRF\n", "mt942"),
        (b"{1:F01}{2:O9420000}{4:\n:20:1\n", "mt942"),
    ],
)
def test_the_message_is_told_by_the_beginning(data: bytes, source: str) -> None:
    readers = {CAMT: CamtImporter, MT940: Mt940Importer}
    assert readers[detected(data)].of(io.BytesIO(data)).source == source
    for other in readers.values():
        if other is not readers[detected(data)]:
            with pytest.raises(ImportRefused, match=r"none of camt|MT940 nor MT942"):
                other.of(io.BytesIO(data))
