"""Reads whole camt and MT940 files, and makes small ones for tests."""

import io
import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from finance_api.importers.camt.importer import CamtImporter
from finance_api.importers.decoding import opening_text
from finance_api.importers.formats import format_named
from finance_api.importers.interface import HEAD_BYTES
from finance_api.importers.mt940.importer import Mt940Importer
from support.whole import Whole, read_whole

IBAN = "DE02120300000000202051"
SAMPLES = Path(__file__).parents[1] / "samples"
#: The samples of both formats. The expected content is in a JSON file beside each.
SAMPLE_FILES = sorted(
    path
    for folder in ("camt", "mt940")
    for path in (SAMPLES / folder).iterdir()
    if path.suffix != ".json"
)


def is_camt(data: bytes) -> bool:
    return format_named("camt").recognises(opening_text(data[:HEAD_BYTES]), io.BytesIO())


def reader_of(data: bytes) -> CamtImporter | Mt940Importer:
    importer = CamtImporter if is_camt(data) else Mt940Importer
    return importer.of(io.BytesIO(data), {}, "")


def read_bank_file(data: str | bytes) -> list[Whole]:
    """Return the statements in the order of the file. Raises ImportRefused."""
    data = data.encode() if isinstance(data, str) else data
    return read_whole(reader_of(data), data)


def signed(amount: str, currency: str = "EUR") -> str:
    """Return ``-12.50`` as camt's elements for an amount."""
    direction = "DBIT" if amount.startswith("-") else "CRDT"
    size = amount.lstrip("-")
    return f'<Amt Ccy="{currency}">{size}</Amt><CdtDbtInd>{direction}</CdtDbtInd>'


def camt_entry(
    day: str,
    amount: str,
    *,
    ref: str | None = None,
    details: str = "",
    status: str = "BOOK",
    further: str = "",
    currency: str = "EUR",
) -> str:
    """details: the entry's transactions. further: more elements of the entry."""
    reference = f"<AcctSvcrRef>{ref}</AcctSvcrRef>" if ref else ""
    return (
        f"<Ntry>{signed(amount, currency)}<Sts>{status}</Sts><BookgDt><Dt>{day}</Dt></BookgDt>"
        f"<ValDt><Dt>{day}</Dt></ValDt>{reference}{further}<NtryDtls>{details}</NtryDtls></Ntry>\n"
    )


def camt_part(amount: str = "", *, name: str = "", note: str = "", ref: str = "") -> str:
    """Return a transaction with a creditor. ``amount`` has a sign."""
    return (
        f"<TxDtls><Refs><AcctSvcrRef>{ref}</AcctSvcrRef></Refs>{signed(amount) if amount else ''}"
        f"<RltdPties><Cdtr><Nm>{name}</Nm></Cdtr></RltdPties>"
        f"<RmtInf><Ustrd>{note}</Ustrd></RmtInf></TxDtls>"
    )


def camt_balance(code: str, amount: str, day: str, currency: str = "EUR", further: str = "") -> str:
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>{further}{signed(amount, currency)}"
        f"<Dt><Dt>{day}</Dt></Dt></Bal>"
    )


def camt_statement(
    entries: Iterable[str] = (),
    *,
    balances: Iterable[str] = (),
    number: str = f"<IBAN>{IBAN}</IBAN>",
    currency: str = "EUR",
    further: str = "",
) -> str:
    """further: elements before the account."""
    ccy = f"<Ccy>{currency}</Ccy>" if currency else ""
    return f"{further}<Acct><Id>{number}</Id>{ccy}</Acct>\n{''.join(balances)}{''.join(entries)}"


_MESSAGES = {
    "camt.052": ("BkToCstmrAcctRpt", "Rpt"),
    "camt.053": ("BkToCstmrStmt", "Stmt"),
    "camt.054": ("BkToCstmrDbtCdtNtfctn", "Ntfctn"),
}


def camt(*statements: str, message: str = "camt.053", version: str = "02") -> str:
    """statements: made by `camt_statement`."""
    root, name = _MESSAGES[message]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:{message}.001.{version}"><{root}>'
        "<GrpHdr><MsgId>1</MsgId></GrpHdr>"
        + "".join(f"<{name}>{statement}</{name}>\n" for statement in statements)
        + f"</{root}></Document>\n"
    )


def mt940_amount(amount: str) -> tuple[str, str]:
    """Return ``-12.5`` as ``D`` and ``12,5``."""
    whole, _, part = amount.lstrip("-").partition(".")
    return ("D" if amount.startswith("-") else "C"), f"{whole},{part}"


def mt940_entry(day: str, amount: str, *, ref: str | None = None, details: str = "") -> str:
    mark, number = mt940_amount(amount)
    date = day[2:].replace("-", "")
    reference = f"//{ref}" if ref else ""
    text = f":86:{details}\n" if details else ""
    return f":61:{date}{date[2:]}{mark}{number}NTRFNONREF{reference}\n{text}"


def mt940(
    entries: Iterable[str] = (),
    *,
    opening: tuple[str, str] | None = None,
    closing: tuple[str, str] | None = None,
    account: str = IBAN,
    currency: str = "EUR",
    kind: str = "F",
) -> str:
    """Return a message. opening, closing: amount and day of the balance."""

    def balance(tag: str, told: tuple[str, str] | None) -> str:
        if told is None:
            return ""
        mark, number = mt940_amount(told[0])
        return f":{tag}{kind}:{mark}{told[1][2:].replace('-', '')}{currency}{number}\n"

    return (
        f":20:START\n:25:{account}\n:28C:1/1\n{balance('60', opening)}{''.join(entries)}"
        f"{balance('62', closing)}-\n"
    )


def mt942(entries: Iterable[str], *, account: str = IBAN, currency: str = "EUR") -> str:
    lines = "".join(entries)
    totals = "".join(mt942_total(lines, mark, currency) for mark in "DC")
    return f":20:DAY\n:25:{account}\n:34F:{currency}0,\n{lines}{totals}-\n"


def mt942_total(entries: str, mark: str, currency: str = "EUR") -> str:
    """Return the field with number and sum of the entries with this mark."""
    found = re.findall(rf":61:[0-9]*(?:E?{mark}|R{'DC'[mark == 'D']})([0-9]+),([0-9]*)", entries)
    total = str(sum(Decimal(f"{whole}.{part or 0}") for whole, part in found))
    return f":90{mark}:{len(found)}{currency}{total.replace('.', ',')}{',' * ('.' not in total)}\n"
