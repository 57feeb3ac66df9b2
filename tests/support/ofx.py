"""Reads whole OFX files."""

import io
from typing import Any

import pytest

from finance_api.importers.decoding import opening_text
from finance_api.importers.formats import format_named
from finance_api.importers.interface import Entry, ImportRefused
from finance_api.importers.ofx.importer import OfxImporter
from support.whole import Whole, read_whole


def read_ofx(data: str | bytes, currency: str | None = None, **options: Any) -> list[Whole]:
    """Return the statements in the order of the file. Raises ImportRefused."""
    return read_whole(OfxImporter({"currency": currency, **options}), data)


def looks_like_ofx(head: bytes) -> bool:
    return format_named("ofx").recognises(opening_text(head), io.BytesIO())


ACCOUNT = "<CURDEF>EUR<BANKACCTFROM><BANKID>B<ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM>"
CARD = "<CURDEF>EUR<CCACCTFROM><ACCTID>9</CCACCTFROM>"


def read(body: str, currency: str | None = None) -> list[Whole]:
    return read_ofx(f"<OFX>{body}</OFX>", currency)


def refusal(body: str, currency: str | None = None) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read(body, currency)
    return refused.value


def statement(*transactions: str, account: str = ACCOUNT) -> str:
    return f"<STMTRS>{account}<BANKTRANLIST>{''.join(transactions)}</BANKTRANLIST></STMTRS>"


def transaction(
    fitid: str = "", amount: str = "-1", date: str = "20240131", fields: str = ""
) -> str:
    return (
        f"<STMTTRN><DTPOSTED>{date}<TRNAMT>{amount}"
        f"{'<FITID>' if fitid else ''}{fitid}{fields}</STMTTRN>\n"
    )


def entries(body: str) -> list[Entry]:
    return [entry for found in read(body) for entry in found.entries]
