"""A piece of text, repeated 300,000 times in any field: read or refused as said, in linear time.

By day there are a sixth as many, and all lines of an MT940 file have one width. The limits are many
times the usual time, and far below quadratic time.
"""

import io
import json
import sys
import time
import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.importers.camt.importer import CamtImporter
from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.csv.table import MAX_CELL
from finance_api.importers.interface import ImportRefused
from finance_api.importers.mt940.importer import Mt940Importer
from finance_api.importers.native import native_file
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.importers.qif import QifImporter
from finance_api.resources import ACCOUNTS
from finance_api.values.text import clean
from support.bank_files import (
    IBAN,
    camt,
    camt_balance,
    camt_entry,
    camt_part,
    camt_statement,
    mt940,
    mt940_entry,
)
from support.ledger import Person, an_id
from support.nightly import count

pytestmark = pytest.mark.nightly

LENGTH = count(50_000, 300_000)
#: While coverage is measured everything takes longer.
_SLOWER = 1 if sys.gettrace() is None else 10
_FUSE_SECONDS = 25 * _SLOWER
_FUSE_OF_A_TEXT = count(6, 25) * _SLOWER
#: Combining marks that Unicode normalization has to reorder.
MARKS = "\u0301" * (LENGTH // 4) + "\u0316" * (LENGTH // 4)
PIECES = {
    "blanks": " " * LENGTH,
    "tabs": "\t" * LENGTH,
    "lines": "\n " * (LENGTH // 2),
    "digits": "1" * LENGTH,
    "grouped": "1,1." * (LENGTH // 4),
    "quotes": '"' * LENGTH,
    "commas": "," * LENGTH,
    "signs": "-" * LENGTH,
    "entities": "&#1" * (LENGTH // 3),
    "marks": MARKS,
    "composed": "\u0f73" * (LENGTH // 3),
}
pieces = pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)


def read(importer, text, refused=None, fuse=_FUSE_OF_A_TEXT):
    """Read a file, or see it refused. refused: a part of the reason; None if it is read."""
    began = time.process_time()
    try:
        entries = list(importer(io.BytesIO(text.encode())))
    except ImportRefused as error:
        assert refused is not None and refused in str(error), str(error)
        assert len(str(error)) < 1_000
    else:
        assert entries and refused is None
    assert time.process_time() - began < fuse


@pieces
@pytest.mark.parametrize(
    "field", ["NAME", "MEMO", "TRNAMT", "DTPOSTED", "FITID", "CURDEF", "ACCTID"]
)
def test_a_long_text_in_an_ofx_file_takes_linear_time(piece, field):
    values = {"NAME": "n", "TRNAMT": "1", "DTPOSTED": "20260101", "FITID": "1", "MEMO": "m"}
    values |= {"CURDEF": "EUR", "ACCTID": "1"}
    values[field] = f"x{piece}x"
    entry = "".join(f"<{n}>{values[n]}" for n in ("DTPOSTED", "TRNAMT", "FITID", "NAME", "MEMO"))
    read(
        lambda stream: list(OfxImporter().read(stream)),
        f"OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>{values['CURDEF']}"
        f"<BANKACCTFROM><ACCTID>{values['ACCTID']}</BANKACCTFROM>"
        f"<BANKTRANLIST><STMTTRN>{entry}</STMTTRN></BANKTRANLIST></STMTRS></OFX>",
        None if field in ("NAME", "MEMO") else f"<{field}> 'x",
    )


#: A text of the file -> what a refusal names if a piece follows it; None if that is read.
PLACES = {
    # Behind a day there may be a time or a zone; more digits are refused, see below.
    **dict.fromkeys(("NAME", "NOTE", "2026-01-05", "R1", IBAN, "OPBD", "<Ntry>")),
    ">1": "<Amt>",
    "EUR": "<Amt>",
    "BOOK": "<Sts>",
}


@pieces
@pytest.mark.parametrize(("old", "refused"), PLACES.items(), ids=PLACES)
def test_a_long_text_in_a_camt_file_takes_linear_time(piece, old, refused):
    part = camt_part(name="NAME", note="NOTE")
    balance = camt_balance("OPBD", "1", "2026-01-05")
    entry = camt_entry("2026-01-05", "-1", ref="R1", details=part)
    data = camt(camt_statement([entry], balances=[balance]))
    # An entity that does not end, and a quote in an attribute, are no XML.
    if piece == PIECES["entities"] or (old == "EUR" and piece == PIECES["quotes"]):
        refused = "not well-formed"
    elif old == "2026-01-05" and piece[:1].isdigit():
        refused = "is not a date in the form YYYY-MM-DD"
    assert old in data
    read(CamtImporter("camt.053").read, data.replace(old, f"{old}{piece}x", 3), refused)


WIDTHS = (1, 60, 300_000)
TAGS = ("25", "60F", "61", "86", "62F", "20")


@pytest.mark.parametrize(
    ("tag", "width", "piece"),
    [
        pytest.param(tag, width, piece, id=f"{tag}-{width}-{name}")
        for place, ((name, piece), tag) in enumerate(product(PIECES.items(), TAGS))
        for width in count((WIDTHS[(place + place // 6) % 3],), WIDTHS)
    ],
)
def test_a_long_text_in_an_mt940_file_takes_linear_time(piece, tag, width):
    entry = mt940_entry("2026-01-05", "-1", details="166?20SVWZ+")
    data = mt940([entry], opening=("1", "2026-01-05"), closing=("0", "2026-01-05"))
    lines = (piece[i : i + width] for i in range(0, min(len(piece), 99_000), width))
    text = "\n".join(line.replace("\n", " ") for line in lines)
    importer = Mt940Importer("mt940").read
    refused = f":{tag}: " if tag in ("60F", "61", "62F") else None
    read(importer, data.replace(f":{tag}:", f":{tag}:{text[:99_000]}"), refused)
    # The text ends the field before, which is the opening balance for :61:.
    refused = "" if tag == "61" and not piece.isspace() else None
    read(importer, data.replace(f"\n:{tag}:", f"{text[:90_000]}\n:{tag}:"), refused)


@pytest.mark.parametrize(
    ("place", "name", "piece"),
    [
        pytest.param(place, name, piece, id=f"{place}-{name}")
        for number, (name, piece) in enumerate(PIECES.items())
        for place in count(((1, 4), (3, 5))[number % 2], range(6))
    ],
)
def test_a_long_text_in_a_csv_file_takes_linear_time(place, name, piece):
    cells = ["date", "amount", "payee", "2026-01-01", "1", "x"]
    cells[place] = f"x{piece}x"
    text = ",".join(cells[:3]) + "\n" + ",".join(cells[3:]) + "\n"
    # A column has lost its name, a cell is no date or amount, or there are too many cells.
    broken = {"grouped", "commas", *(("tabs", "lines") if place < 3 else ())}
    is_long = len(piece) > MAX_CELL and name != "lines"
    refused = "" if name in broken or place in (2, 3, 4) or is_long else None
    read(CsvImporter(Mapping(account="A")).read, text, "")
    options = Mapping(account="A", columns={"payee": "Payee"}, positive="in")
    read(CsvImporter(options).read, text, refused)


@pieces
@pytest.mark.parametrize("code", "DTPLS$")
def test_a_long_text_in_a_qif_file_takes_linear_time(piece, code):
    fields = [("D", "2026-01-13"), ("T", "1"), ("S", "a"), ("$", "1")]
    lines = [f"{each}{f'x{piece}x' if each == code else text}" for each, text in fields]
    if code not in "DTS$":
        lines.append(f"{code}x{piece}x")
    for account in (f"!Account\nNx{piece}x\n^\n", ""):
        text = f"{account}!Type:Bank\n" + "\n".join(lines) + "\n^\n"
        refused = "x" if code in "DT$" else None
        read(QifImporter({"account": "A"}).read, text, refused)


@pieces
@pytest.mark.parametrize("field", ["payee", "recordDate", "amount", "id", "extra", "source"])
def test_a_long_text_in_a_native_file_takes_linear_time(piece, field):
    values = {"reserved_model_type": "Record", "id": an_id(1), "accountId": an_id(2)}
    values |= {"amount": 1, "recordDate": "2026-01-01", field: piece}

    def whole(stream):
        with native_file(stream) as file:
            rows = [row for part in (file.documents, file.records) for row in part()]
        assert len(rows) == 1
        return rows

    # Blanks are no source.
    is_read = field == "payee" or (field == "source" and piece.isspace())
    read(whole, json.dumps(values, ensure_ascii=False), None if is_read else field)
    read(whole, "".join(f"{name}:{value}" for name, value in values.items()), "is not JSON")


def test_repeated_identifiers_of_a_csv_file_take_linear_time():
    number = count(15_000, 40_000)
    rows = [f"2026-01-01,1,x#{n},a\n" for n in range(2, number)]
    rows += [f"2026-01-01,1,x,b{n}\n" for n in range(number)]
    text = "date,amount,id,payee\n" + "".join(rows)
    read(CsvImporter(Mapping(account="A", positive="in")).read, text, fuse=_FUSE_SECONDS)


def test_many_new_labels_and_accounts_are_looked_up_by_name(new_backend):
    person = Person(new_backend("memory"))
    labels = ";".join(f"l{n}" for n in range(count(5_000, 15_000)))
    rows = "".join(f"2026-01-01,1,{n},EUR,\n" for n in range(count(1_500, 5_000)))
    began = time.process_time()
    text = f"date,amount,account,currency,labels\n{rows}2026-01-01,1,x,EUR,{labels}\n"
    person.csv(text, positive="in", no_text=True)
    assert len(person.rows(ACCOUNTS)) == count(1_501, 5_001)
    assert time.process_time() - began < _FUSE_SECONDS


@given(st.text("ae\u0301\u0316\u0345\u0f73\u1e69\uac00\u11a8", min_size=201, max_size=400))
def test_marks_are_put_in_their_order_and_composed(text):
    assert clean(text) == unicodedata.normalize("NFC", text)
