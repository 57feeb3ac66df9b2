"""Whatever the bytes: statements, or a refusal with a reason."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import to_units
from finance_api.values.text import clean_or_none
from finance_api.values.time import parse_date
from support.damaging import mutations
from support.nightly import count
from support.ofx import looks_like_ofx, read_ofx
from support.whole import Whole

SAMPLES = Path(__file__).parents[2] / "samples" / "ofx"
ORIGINALS = [
    path.read_bytes()
    for path in sorted(SAMPLES.iterdir())
    if path.suffix in (".ofx", ".qfx", ".qbo")
]
FRAGMENTS = [
    *(f"<{name}>".encode() for name in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "DTPOSTED", "A")),
    *(f"</{name}>".encode() for name in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "A")),
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?a", b"<!DOCTYPE", b"&#0;", b"&#xd800;", b"&amp"),
    *(b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x81", b"CHARSET:zlib", b"99999999999"),
    *(b"1" * 5000, b"1." + b"0" * 5000, b"<CURRENCY>", b"<LEDGERBAL>", b"ENCODING:UTF-16"),
]

pytestmark = pytest.mark.nightly
BOUNDED = settings(
    max_examples=count(40, 10_000), suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def outcome(data: bytes) -> list[Whole] | tuple[str, int | None]:
    """The statements, or reason and line of the refusal."""
    try:
        return read_ofx(data)
    except ImportRefused as refused:
        assert refused.reason.strip()
        return refused.reason, refused.line


def reads_or_refuses(data: bytes) -> None:
    looks_like_ofx(data[:4096])
    assert outcome(data)


@pytest.mark.parametrize("original", ORIGINALS, ids=range(len(ORIGINALS)))
def test_damaged_file_is_read_or_refused(original: bytes) -> None:
    for data in mutations(original, count(40, 10_000) // len(ORIGINALS) + 1, FRAGMENTS):
        reads_or_refuses(data)


@BOUNDED
@given(st.binary(max_size=400))
@example(b"")
@example(b"\xff\xfe\x00")
@example(b"\xff\xfe<\x00O\x00\x00\xd8")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    reads_or_refuses(data)


@BOUNDED
@given(st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=4), max_size=60).map(b"".join))
def test_any_heap_of_fragments_is_read_or_refused(data: bytes) -> None:
    reads_or_refuses(b"<OFX>" + data + b"</OFX>")


@pytest.mark.parametrize("original", ORIGINALS, ids=range(len(ORIGINALS)))
def test_file_cut_off_anywhere_is_never_half_imported(original: bytes) -> None:
    whole = outcome(original)
    assert isinstance(whole, list)
    end = original.lower().rindex(b"</ofx>") + len(b"</ofx>")
    for length in range(len(original)):
        if length < end:
            assert isinstance(outcome(original[:length]), tuple), length
        else:
            assert outcome(original[:length]) == whole


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
VALUES = st.fixed_dictionaries(
    {
        "DTPOSTED": st.dates().map(lambda day: f"{day:%Y%m%d}".zfill(8)),
        "TRNAMT": st.decimals(-9_999, 9_999, places=2).map(str),
    },
    optional={
        "FITID": st.from_regex("[a-z0-9]{1,6}", fullmatch=True),
        "NAME": TEXTS,
        "MEMO": TEXTS,
        "CHECKNUM": st.from_regex("[1-9][0-9]{0,5}", fullmatch=True),
    },
)


@BOUNDED
@given(
    st.lists(VALUES, max_size=6),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]),
    st.sampled_from(["\n", "\r\n", "\r", ""]),
    st.data(),
)
def test_every_transaction_that_is_written_is_read(
    rows: list[dict[str, str]], closed: bool, charset: str, line_end: str, data: st.DataObject
) -> None:
    def leaf(name: str, text: str) -> str:
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<{name}>{text}" + (f"</{name}>" if closed else "") + line_end

    body = "".join(
        f"<STMTTRN>{''.join(leaf(*item) for item in row.items())}</STMTTRN>" for row in rows
    )
    whole = (
        f"<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>"
        f"<BANKTRANLIST>{body}</BANKTRANLIST></STMTRS></OFX>"
    ).encode(charset)
    (found,) = read_ofx(whole)
    assert [(e.date, e.amount, e.bank_id, e.reference) for e in found.entries] == [
        (
            parse_date(f"{row['DTPOSTED'][:4]}-{row['DTPOSTED'][4:6]}-{row['DTPOSTED'][6:]}"),
            to_units(Decimal(row["TRNAMT"])),
            row.get("FITID") if row.get("FITID", "").strip("0") else None,
            row.get("CHECKNUM"),
        )
        for row in rows
    ]
    for entry, row in zip(found.entries, rows, strict=True):
        for got, name in ((entry.payee, "NAME"), (entry.note, "MEMO")):
            assert got == (clean_or_none(row.get(name, "").strip()) or None)
    cut = data.draw(st.integers(0, len(whole) - 1))
    assert isinstance(outcome(whole[:cut]), tuple)
