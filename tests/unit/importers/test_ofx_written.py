"""The importer reads all OFX that a generator writes."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import to_units
from finance_api.values.text import clean_or_none
from finance_api.values.time import parse_date
from support.nightly import count
from support.ofx import read_ofx

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


@pytest.mark.nightly
@settings(
    max_examples=count(40, 10_000), suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
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
    with pytest.raises(ImportRefused):
        read_ofx(whole[:cut])
