"""Statements as different banks write them: every version, envelope and dialect that is usual.

The statements are written by hand. Their balances prove that their amounts are right.
"""

import pytest

from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.bank_files import camt, camt_balance, camt_entry, camt_statement, read_bank_file

CAMT = camt(
    camt_statement(
        [camt_entry("2026-03-04", "-12.40")],
        balances=[
            camt_balance("OPBD", "100.00", "2026-03-03"),
            camt_balance("CLBD", "87.60", "2026-03-04"),
        ],
    ),
    version="08",
)
_DECLARATION, _DOCUMENT = CAMT.split("\n", 1)
_HEADER = '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr/></AppHdr>'
_PREFIXED = _DOCUMENT.replace("</", "</ns2:").replace("<", "<ns2:").replace("<ns2:/ns2:", "</ns2:")


def found(data: str | bytes) -> list[str]:
    """``day amount`` of each entry."""
    entries = [entry for whole in read_bank_file(data) for entry in whole.entries]
    return [f"{date_text(entry.date)} {decimal_text(entry.amount)}" for entry in entries]


@pytest.mark.parametrize(
    "data",
    [
        *(CAMT.replace(".001.08", f".001.{version:02}") for version in range(1, 14)),
        _DOCUMENT,
        f"{_DECLARATION}\n{_PREFIXED.replace('xmlns=', 'xmlns:ns2=')}",
        f'{_DECLARATION}<BizMsgEnvlp xmlns="urn:x">{_HEADER}{_DOCUMENT}</BizMsgEnvlp>',
        f'{_DECLARATION}<Saa:DataPDU xmlns:Saa="urn:swift:saa:xsd:saa.2.0"><Saa:Body>{_HEADER}'
        f"{_DOCUMENT}</Saa:Body></Saa:DataPDU>",
        CAMT.replace("UTF-8", "UTF-16").encode("utf-16"),
        CAMT.replace("<Sts>BOOK</Sts>", "<Sts><Cd>BOOK</Cd></Sts>"),
        CAMT.replace("BookgDt><Dt>2026-03-04</Dt>", "BookgDt><DtTm>2026-03-04T23:59:59Z</DtTm>"),
        CAMT.replace("OPBD", "PRCD"),
    ],
)  # fmt: skip
def test_a_statement_in_any_version_and_envelope(data: str | bytes) -> None:
    assert found(data) == ["2026-03-04 -12.4"]


DIALECTS = {
    "ABN AMRO": (
        "ABNANL2A\n940\nABNANL2A\n:20:ABN AMRO BANK NV\n:25:517852257\n:28:19321/1\n"
        ":60F:C110522EUR3236,28\n:61:1105240524D9,00N192NONREF\n:86:GIRO   428428 DIGITENNE\n52\n"
        ":61:1105210523C11,59N426NONREF\n:86:BEA   NR:XXX1234   21.05.11/12.54\n"
        ":62F:C110523EUR3238,87\n-\n",
        ["2011-05-24 -9", "2011-05-23 11.59"],
    ),
    "ING": (
        "{1:F01INGBNL2ABXXX0000000000}\n{2:I940INGBNL2AXXXN}\n{4:\n:20:INGEB\n:25:0001234567\n"
        ":28C:100\n:60F:C100722EUR0,00\n:61:100722D25,03NOV NONREF\n:86:RC AFREKENING\n"
        ":61:1007220722C3,68NDIVNONREF\n:86:0111111111 V. DE JONG\n:62F:D100722EUR21,35\n"
        ":64:D100722EUR21,35\n:65:D100724EUR21,35\n:86:D000001C000001D25,03C3,68\n-}\n",
        ["2010-07-22 -25.03", "2010-07-22 3.68"],
    ),
    "Rabobank": (
        ":940:\n:20:940S110615\n:25:1203.12.345 EUR\n:28C:0\n:60F:C110614EUR000000001147,55\n"
        ":61:110615C000000000500,00N500NONREF\n:86:VOORSCHOT\n"
        ":61:110615D000000000025,03N541EREF//8D4B\nNL12RABO0123456789\n:86:/EREF/ABC/BENM//NAME/T\n"
        ":62F:C110615EUR000000001622,52\n:940:\n:20:940S110616\n:25:1203.12.345 EUR\n:28C:0\n"
        ":60F:C110615EUR000000001622,52\n:62F:C110616EUR000000001622,52\n",
        ["2011-06-15 500", "2011-06-15 -25.03"],
    ),
    "PostFinance": (
        ":20:0909090909\n:25:/CH0309000000250097798\n:28C:00012/1\n:60F:C140223CHF1000,00\n"
        ":61:1402240224CF50,00NMSC1234567//REFA\nGutschrift\n:86:GUTSCHRIFT\n"
        ":61:1402240224DF25,00NTRFNONREF//REFB\n:62F:C140224CHF1025,00\n",
        ["2014-02-24 50", "2014-02-24 -25"],
    ),
    "Sparkasse": (
        ":20:STARTUMSE\n:25:10010010/1111111111\n:28C:00001/001\n:60F:C120131EUR8349,00\n"
        ":61:1202020202DR60,00N033NONREF\n:86:077?00Überweisung?20RECHNUNG?32MARTHA\nMUELLER\n"
        ":61:1202030203CR20,00N062NONREF\n:86:166?00GUTSCHRIFT?20EREF+123?21SVWZ+Danke\n"
        ":61:1202030203RC5,00N062NONREF\n:86:166?00STORNO GUTSCHRIFT\n"
        ":61:1202030203RD7,50N062NONREF\n:62F:C120203EUR8311,50\n-\n",
        ["2012-02-02 -60", "2012-02-03 20", "2012-02-03 -5", "2012-02-03 7.5"],
    ),
    "PKO BP": (
        ":20:MT940\n:25:/PL08000000000000000000000000\n:28C:00035\n:60F:C110510PLN10000,00\n"
        ":61:1105110511DN100,50S073NONREF//BR11131033000001\n073 0\n:86:073~00VE02\n"
        "~20Zapłata za fakturę~21nr 7/2011\n~32JAN KOWALSKI~33UL. DŁUGA\n"
        ":62F:C110511PLN9899,50\n:64:C110511PLN9899,50\n-\n",
        ["2011-05-11 -100.5"],
    ),
    "entry dates beside the turn of a year": (
        ":20:X\n:25:12345678/100\n:28C:1/1\n:60F:C251230EUR100,00\n"
        ":61:2512310102D10,00NTRFNONREF//A1\n:62M:C260102EUR90,00\n-\n:20:X\n:25:12345678/100\n"
        ":28C:1/2\n:60M:C260102EUR90,00\n:61:2601021231C5,00NTRFNONREF//A2\n"
        ":62F:C260102EUR95,00\n-\n",
        ["2026-01-02 -10", "2025-12-31 5"],
    ),
}


@pytest.mark.parametrize(("data", "expected"), DIALECTS.values(), ids=DIALECTS)
def test_an_mt940_statement_in_the_dialect_of_a_bank(data: str, expected: list[str]) -> None:
    assert found(data) == expected
    assert found(data.replace("\n", "\r\n").encode("utf-16")) == expected
