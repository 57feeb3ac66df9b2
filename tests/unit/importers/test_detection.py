"""Detects the format of a file by its first bytes."""

import codecs
import gzip
import io
import zipfile
from pkgutil import resolve_name

import pytest

from finance_api.importers.formats import FORMATS, detect_format, format_named
from finance_api.importers.interface import ImportRefused
from finance_api.importers.options import FILE_OPTIONS

PACKAGE = "finance_api.importers"


def detected(data: bytes) -> str:
    return detect_format(io.BytesIO(data)).name


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


#: Beginnings of files, and their formats.
BEGINNINGS = [
    (b"OFXHEADER:100\n", "ofx"),
    *(
        (head, "ofx")
        for head in (
            b"OFXHEADER:100\r\nDATA:OFXSGML",
            b"\n\n \t ofxheader : 100",
            b"OFXHEADER:100DATA:OFXSGML",
            b"DATA:OFXSGML\nENCODING:UTF-8\n<OFX>",
            b'<?OFX OFXHEADER="200"?>',
            b'<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>',
            b'<?xml version="1.0"?><OFX>',
            b"\r\n<OFX>",
            b"<ofx>",
            b'<ofx:OFX xmlns:ofx="http://ofx.net/types/2003/04">',
            codecs.BOM_UTF8 + b"\nOFXHEADER:100",
            codecs.BOM_UTF16_LE + "<OFX>".encode("utf-16-le"),
            codecs.BOM_UTF16_BE + "OFXHEADER:100".encode("utf-16-be"),
            "<?xml?><OFX>".encode("utf-16-le") + b"<",
        )
    ),
    (b"Date,Amount\n2024-01-31,<OFX>", "csv"),
    (b"<OFXX>", "csv"),
    (b"\xff", "csv"),
    (b'{"reserved_model_type":"Account"}', "native"),
    (b'\xef\xbb\xbf\n {"reserved_model_type"', "native"),
    (b"date,amount\n2026-01-01,5\n", "csv"),
    (b"<TICKER>,<PER>,<DATE>\n", "csv"),
    (b'"20:15";:20:\n', "csv"),
    (b"memo\nType: Account!\n", "csv"),
    (b"<?xml version='1.0'?>" + DOCUMENT, "camt"),
    (b"\xef\xbb\xbf\n" + DOCUMENT, "camt"),
    (DOCUMENT, "camt"),
    (("\ufeff<?xml version='1.0'?>" + DOCUMENT.decode()).encode("utf-16"), "camt"),
    (b"<?xml version='1.0'?><Document><BkToCstmrStmt>", "camt"),
    (b"<a:Document xmlns:a='x'><a:BkToCstmrDbtCdtNtfctnV01>", "camt"),
    (b"<BizMsg><AppHdr><MsgDefIdr>camt.052.001.08</MsgDefIdr></AppHdr>", "camt"),
    (b":20:STMT\n:25:1/2\n", "mt940"),
    (b"\xef\xbb\xbf:20:STMT\r\n:25:1/2\r\n", "mt940"),
    (b":61:1409010902DR1,62NTRF", "mt940"),
    (b"{1:F01BANK}{2:I940}{4:\n:20:1", "mt940"),
    (b"\x01{1:F01BANK}{2:I942}{4:\n:20:1", "mt940"),
    (b"ABNANL2A\n940\nABNANL2A\n:20:ABN AMRO\n", "mt940"),
    (b":NS:\n", "mt940"),
    (b"memo\n!Type:Bank\n", "csv"),
    (b"!Type:Bank\nD1/1'26\n", "qif"),
    (b"\xef\xbb\xbf\r\n!type:oth a\r", "qif"),
    (b"# exported\n\n# by\r!Option:AutoSwitch\n", "qif"),
    ("!Account\nNA".encode("utf-16"), "qif"),
    (zipped("thumbnail.png", "[Content_Types].xml", "xl/workbook.xml"), "spreadsheet"),
    (zipped("[Content_Types].xml", "xl/workbook.xml")[:-30], "spreadsheet"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "spreadsheet"),
    (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "spreadsheet"),
    (zipped("db.sqlite", "metadata.json"), "actual"),
    (zipped("db.sqlite", "metadata.json")[:-30], "actual"),
    (b"SQLite format 3\0 CREATE TABLE payee_mapping", "actual"),
    (gzip.compress(b"<?xml version='1.0'?>\n<gnc-v2\n", mtime=0), "gnucash"),
    (b"<?xml version='1.0'?>\n<gnc-v2\n", "gnucash"),
    (b"SQLite format 3\0 CREATE TABLE gnclock", "gnucash"),
    (b'{"data":{"budget":{', "ynab"),
    (b'{\n  "data": {\n    "server_knowledge": 1,', "ynab"),
    (b'{"id":"1","name":"a","last_modified_on":"2026', "ynab"),
    (b'{"data":{"accounts":[', "native"),
    (b'[\n  {\n    "tcode": "",\n    "tcomment": "",\n    "tdescription": "a"', "hledger"),
    (b'assets:bank   ; type: A\nP 2026-01-01 $ 1\n[{"tdescription"', "hledger"),
    (b"account,closed\r\nAssets:Bank,\r\n", "beancount"),
    (b"option,name_assets,Vermoegen\naccount,closed\n", "beancount"),
    (b"id,date,flag,payee,narration,account,number,currency\r\n", "beancount"),
]


def test_every_format_has_a_beginning_here() -> None:
    assert {name for _, name in BEGINNINGS} == {each.name for each in FORMATS}


@pytest.mark.parametrize(("data", "format_name"), BEGINNINGS)
def test_what_is_read_is_distinguished(data: bytes, format_name: str) -> None:
    stream = io.BytesIO(data)
    assert detect_format(stream).name == format_name
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
        (b"mod\ttrans_guid\tsplit_guid\n", "a log of GnuCash: give the book"),
        (b"BZh91AY&SY", "compressed file: unpack"),
        (b"<!doctype html><title>Sign in", "HTML page"),
        (b"\n<HTML><body>", "HTML page"),
        (zipped("[Content_Types].xml", "word/document.xml"), "document that is not a spreadsheet"),
        (b"<?xml version='1.0'?><?mso-application progid='Excel.Sheet'?>", "in one XML file"),
        (b"<?xml version='1.0'?><other/>", "an XML file"),
        (b"<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.060.001.05'>", "an XML file"),
        (b'[{"amount": 1}]', "JSON file: native data"),
        (b'{\n  "amount": 1\n}\n', "JSON file: native data"),
        (b"SQLite format 3\0", "SQLite"),
        (b"\x89PNG\r\n\x1a\n", "an image: download"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "an image: download"),
        (b"{\\rtf1\\ansi Statement}", "a text document: download"),
        (b"Return-Path: <a@b>\nSubject: Statement\n", "an e-mail: save the attached file"),
    ],
)
def test_what_is_not_read_is_named(data: bytes, words: str) -> None:
    assert words in refusal(data)


def test_opendocument_sheet_is_recognised_by_its_type() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    assert detected(stream.getvalue()) == "spreadsheet"


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
def test_the_message_is_recognised_by_its_beginning(data: bytes, source: str) -> None:
    name = detected(data)
    importer = format_named(name).new_importer(io.BytesIO(data), {})
    assert importer is not None and importer.source == source
    other = format_named("mt940" if name == "camt" else "camt")
    with pytest.raises(ImportRefused, match=r"not a camt|MT940 nor MT942"):
        other.new_importer(io.BytesIO(data), {})


def test_the_entry_of_a_format_names_what_there_is() -> None:
    options = {option.name for option in FILE_OPTIONS}
    assert {name for each in FORMATS for name in each.options} == options
    for each in FORMATS:
        names = [each.container, each.importer, each.book]
        assert all(callable(resolve_name(f"{PACKAGE}.{name}")) for name in names if name)
        assert len(set(each.options)) == len(each.options)
