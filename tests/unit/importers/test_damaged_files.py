"""Damaged files of all formats except spreadsheets are read right, or refused with a reason."""

import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.importers.formats import FORMAT_NAMES
from finance_api.importers.interface import Entry, ImportRefused
from finance_api.importers.native import NativeRow, native_file
from finance_api.values.time import date_text
from support.bank_files import SAMPLE_FILES, is_camt, read_bank_file
from support.csv_files import read as read_csv
from support.damaging import check_refusal, mutations
from support.independent import read_camt, read_mt940
from support.ledger import account, document, record
from support.nightly import count
from support.ofx import read_ofx
from support.qif import read_qif
from support.service import native_line

pytestmark = pytest.mark.nightly
SAMPLES = Path(__file__).parents[2] / "samples"
_MAX_BYTES = 4_096
BOUNDED = settings(
    max_examples=count(40, 10_000), suppress_health_check=[HealthCheck.too_slow], derandomize=True
)

#: The result of reading a file: its entries or rows.
Read = list[Any]


class Format(NamedTuple):
    """files: undamaged. pieces: syntax of the format, to insert where it does not belong. read:
    raises ImportRefused, or AssertionError for wrong data. is_beginning: whether the result of a
    file that was cut off is right, given the whole result and the rest of the file.
    """

    files: Sequence[bytes]
    pieces: Sequence[bytes]
    read: Callable[[bytes], Read]
    is_beginning: Callable[[Read, Read, bytes], bool]


def samples(folder: str, *suffixes: str) -> list[bytes]:
    paths = sorted(path for path in (SAMPLES / folder).iterdir() if path.suffix in suffixes)
    return [path.read_bytes() for path in paths]


def ofx_entries(data: bytes) -> Read:
    return [entry for whole in read_ofx(data) for entry in whole.entries]


def qif_entries(data: bytes) -> Read:
    # Whether a transaction is cleared can depend on later transactions.
    wholes = read_qif(data, account="A")
    return [entry._replace(record_state=None) for whole in wholes for entry in whole.entries]


def csv_entries(data: bytes) -> Read:
    # The first file has a column with its accounts.
    options = {} if data.startswith(b"account;") else {"account": "A", "currency": "EUR"}
    return [entry for found in read_csv(data, **options) for entry in found.entries]


def bank_entries(data: bytes) -> Read:
    """Read camt or MT940; check that the second parser finds the same entries."""
    entries: list[Entry] = [e for whole in read_bank_file(data) for e in whole.entries]
    independent = read_camt(data) if is_camt(data) else read_mt940(data)
    assert sum(entry.amount for entry in entries) == sum(units for _, units in independent.entries)
    if not any(entry.batch for entry in entries):
        days = [date_text(entry.date)[0 if is_camt(data) else 5 :] for entry in entries]
        found = Counter(zip(days, (entry.amount for entry in entries), strict=True))
        assert found == Counter(independent.entries)
    return entries


def native_rows(data: bytes) -> Read:
    with native_file(io.BytesIO(data)) as file:
        parts = (file.documents, file.records)
        rows: list[NativeRow] = [row for part in parts for row in part()]
        assert rows == [row for part in parts for row in part()]
    lines = {number for number, line in enumerate(data.split(b"\n"), 1) if line.strip()}
    assert len(rows) <= len(lines)
    assert {row.line for row in rows} <= lines
    return rows


BANK_FILES = {
    name: [path.read_bytes() for path in SAMPLE_FILES if path.parent.name == name]
    for name in ("camt", "mt940")
}
NATIVE = [
    native_line(row).encode()
    for row in (
        account(1, source="ofx", sourceId="20/100", name="ä\u2028"),
        document("Category", 3),
        document("Label", 5),
        document("Contact", 7, more={"a": [1, 2.5, None, "x"]}),
        record(9, labelIds=["00000005-0000-4000-8000-000000000000"], payee="Café"),
        record(10, amount=5, recordState="cleared"),
        document("Budget", 11, limitAmount=100, categoryIds=[]),
    )
]
#: A file with a profile, one with balances, and one with the headings of an unknown bank.
CSV_FILES = (
    "account;category;currency;amount;ref_currency_amount;type;payment_type;note;date;"
    "transfer;payee;labels\n"
    "Purse;Groceries;EUR;12.40;12.40;Expense;Cash;weekly shop;2026-03-04T17:20:11.000Z;"
    "false;Corner Market;food, home\n"
    "Card;Salary;USD;1000.00;920.00;Income;Cash;;2026-03-05T08:00:00.000Z;false;Employer;\n"
    'Purse;Fun;EUR;7.00;7.00;Expense;Cash;"two\nlines";2026-03-06T08:00:00.000Z;false;;\n',
    '"Date","Status","Type","CheckNumber","Description","Withdrawal","Deposit","RunningBalance"\n'
    '"03/17/2026","Posted","DEPOSIT","","Mobile Banking","","20.00","878.47"\n'
    '"03/14/2026","Posted","ATM","","Corner Market","103.00","","858.47"\n'
    '"03/09/2026","Posted","CHECK","558","Check Paid","1,075.00","","961.47"\n',
    "Umsätze;Giro\n\nTag;Name;Text;Soll;Haben\n31.12.2025;Stadtwerke;Abschlag;89,50;\n"
    "02.01.2026;Müller GmbH;Gehalt;;2.815,00\n05.01.2026;Bäcker;;4,20;\n",
)
FORMATS = {
    "csv": Format(
        [text.encode() for text in CSV_FILES],
        [*b';|,|\n|\r|""|=1|1.234|1,5|$|USD|pending|('.split(b"|")],
        csv_entries,
        # A last line that was cut off looks like a shorter line.
        lambda found, whole, data: found[:-1] == whole[: max(len(found) - 1, 0)],
    ),
    "ofx": Format(
        samples("ofx", ".ofx", ".qfx", ".qbo"),
        [
            *(f"<{n}>".encode() for n in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "DTPOSTED", "A")),
            *(f"</{n}>".encode() for n in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "A")),
            *b"<!-- --> <![CDATA[ ]]> <?a <!DOCTYPE &#0; &#xd800; &amp <CURRENCY>".split(),
            *(b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x81", b"CHARSET:zlib"),
            *(b"1" * 5000, b"1." + b"0" * 5000, b"<LEDGERBAL>", b"ENCODING:UTF-16"),
        ],
        ofx_entries,
        lambda found, whole, data: found == whole and b"</ofx>" in data.lower(),
    ),
    "camt": Format(
        BANK_FILES["camt"],
        [
            *b"<Ntry> </Ntry> <Stmt> </Stmt> <Sts>PDNG</Sts> <TxDtls> </TxDtls> <!-- -->".split(),
            *b"]]> <![CDATA[ &#0; &amp; &x; xmlns=' DBIT CRDT ITBD EUX -1 1e9 true".split(),
            *(b"<Amt Ccy='EUR'>1</Amt>", b"<!DOCTYPE a>", b"9" * 30, b"2026-02-30", b"\x81"),
        ],
        bank_entries,
        lambda found, whole, data: found == whole and data.rstrip().endswith(b"Document>"),
    ),
    "mt940": Format(
        BANK_FILES["mt940"],
        [
            *(b"\n:%s:" % tag for tag in b"61 86 60F 20 25 NS 13D".split()),
            *(b"\n:62F:C260227EUR1,", b"\n:34F:EUR0,", b"\n:90D:1EUR1,", b"\n-\n", b"9" * 20),
            *b"{4: -}{5:} RC D EC , . // NTRF ?20 ?32 /NAME/ SVWZ+ 260230".split(),
            *(b"\x81", b"\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", "٣".encode()),
        ],
        bank_entries,
        # Whole messages are read; the text of the last entry may be incomplete.
        lambda found, whole, data: len(found) <= len(whole),
    ),
    "qif": Format(
        samples("qif", ".qif"),
        b"^\n,\n^,!Type:Bank\n,!Account\n,S,$,T,D,[,],/".split(b","),
        qif_entries,
        lambda found, whole, data: found == whole[: len(found)],
    ),
    "native": Format(
        [b"".join(NATIVE)],
        [
            *rb'{ } [ ] " : , \ \u0000 \ud800 null 1e999999999 NaN -'.split(),
            *(b"\n", b"\xff", b"\0", b"\xef\xbb\xbf", b"[" * 5_000, b"9" * 5_000, NATIVE[0]),
        ],
        native_rows,
        lambda found, whole, data: (
            all(row in whole for row in found)
            and len(found) == data.count(b"\n") + (not data.endswith(b"\n"))
        ),
    ),
}
each_format = pytest.mark.parametrize("name", FORMATS)


def test_every_format_is_damaged_here_or_in_tests_of_its_own() -> None:
    others = {"actual", "beancount", "gnucash", "hledger", "spreadsheet", "ynab"}
    assert {*FORMATS, *others} == set(FORMAT_NAMES)


def outcome(format_: Format, data: bytes) -> Read | None:
    """Return the result of reading the data; None for a refusal."""
    try:
        return format_.read(data)
    except ImportRefused as refused:
        if format_ is not FORMATS["native"]:
            # Except for the native format, whose refusals name keys as they are written.
            check_refusal(refused)
        return None


@each_format
def test_a_changed_file_is_read_right_or_refused(name: str, figures: Callable[[str], None]) -> None:
    tried = FORMATS[name]
    files = [data for data in tried.files if len(data) <= _MAX_BYTES]
    each = count(100, 10_000) // len(files) + 1
    outcomes = [
        outcome(tried, damaged)
        for seed, data in enumerate(files)
        for damaged in mutations(data, each, tried.pieces, seed)
    ]
    # Some files are refused, and some are not.
    assert 0 < outcomes.count(None) < len(outcomes)
    figures(f"{name}: {outcomes.count(None)} of {len(outcomes)} refused")


@each_format
@BOUNDED
@given(st.data())
def test_any_heap_of_pieces_is_read_or_refused(name: str, data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(FORMATS[name].pieces) | st.binary(max_size=4), max_size=60)
    heap = data.draw(pieces.map(b"".join))
    outcome(FORMATS[name], heap)
    outcome(FORMATS["ofx"], b"<OFX>" + heap + b"</OFX>")


@BOUNDED
@given(st.binary(max_size=400))
@example(b"")
@example(b"\xff\xfe\x00")
@example(b"\xff\xfe<\x00O\x00\x00\xd8")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for tried in FORMATS.values():
        outcome(tried, data)


@each_format
def test_a_file_that_is_cut_off_is_never_half_imported(name: str) -> None:
    tried = FORMATS[name]
    by_size = sorted(tried.files, key=len)
    for data in count(by_size[:2], by_size):
        whole = outcome(tried, data)
        assert whole
        for length in range(0, len(data), count(3, 1)):
            found = outcome(tried, data[:length])
            assert found is None or tried.is_beginning(found, whole, data[:length]), length


def test_an_mt940_message_that_is_cut_off_is_refused() -> None:
    """Only the whole messages at the beginning are read from a file that was cut off."""
    data = (SAMPLES / "mt940" / "german.sta").read_bytes()
    found = (outcome(FORMATS["mt940"], data[:end]) for end in range(0, len(data), count(5, 1)))
    assert {len(entries) for entries in found if entries is not None} == {2, 4}


def test_lines_of_a_qif_transaction_are_limited() -> None:
    text = "!Type:Bank\nD2026-01-05\nT-1\n" + "Ax\n" * 100_000 + "^\n"
    with pytest.raises(
        ImportRefused, match=r"line 2: the entry that begins here has more than 100,000"
    ):
        read_qif(text.encode(), account="A")


def test_every_kind_of_native_value_survives_being_kept() -> None:
    rows = native_rows(b"".join(NATIVE))
    assert [row.line for row in rows] == [1, 2, 3, 4, 7, 5, 6]
    for row in rows:
        for field in row.resource.native_fields:
            if field.kind.is_list and row.values.get(field.name) is not None:
                assert isinstance(row.values[field.name], tuple)
    assert rows[3].values["extra"] == '{"more":{"a":[1,2.5,null,"x"]}}'
