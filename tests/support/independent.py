"""Second parsers for camt, MT940 and OFX, to compare with: only days, amounts and balances.

ElementTree parses camt; regular expressions find the lines of MT940 and OFX. None detects damage.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

from finance_api.values.number import to_units

Found = tuple[str, int]


class Independent(NamedTuple):
    """entries: day and signed amount of each booked entry, in the order of the file.

    balances: opening and closing balance of each statement that has both.
    """

    entries: list[Found]
    balances: list[tuple[int, int]]


def _local(element: ET.Element) -> str:
    return element.tag.rpartition(":")[2]


def _all(element: ET.Element, *path: str) -> Iterator[ET.Element]:
    for child in element:
        if _local(child) == path[0]:
            if len(path) == 1:
                yield child
            else:
                yield from _all(child, *path[1:])


def _text(element: ET.Element, *path: str) -> str:
    return next((e.text or "" for e in _all(element, *path)), "").strip()


def _signed(element: ET.Element) -> int:
    sign = -1 if _text(element, "CdtDbtInd") == "DBIT" else 1
    return sign * to_units(Decimal(_text(element, "Amt")))


def _tree(data: bytes) -> ET.Element:
    """Parse XML without namespaces. Tries other charsets if the declared one fails."""
    for charset in (None, "utf-8", "windows-1252"):
        builder = ET.TreeBuilder()
        parser = expat.ParserCreate(charset)
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, LookupError, ValueError):
            continue
        return builder.close()
    raise AssertionError("is read, and is not well-formed")


def read_camt(data: bytes) -> Independent:
    root = _tree(data)
    found = Independent([], [])
    for statement in root.iter():
        if _local(statement) not in ("Rpt", "Stmt", "Ntfctn"):
            continue
        for entry in _all(statement, "Ntry"):
            status = _text(entry, "Sts", "Cd") or _text(entry, "Sts")
            if status == "BOOK":
                day = (
                    _text(entry, "BookgDt", "Dt")
                    or _text(entry, "BookgDt", "DtTm")
                    or _text(entry, "ValDt", "Dt")
                    or _text(entry, "ValDt", "DtTm")
                )
                found.entries.append((day[:10], _signed(entry)))
        balances = {}
        for balance in _all(statement, "Bal"):
            code = _text(balance, "Tp", "CdOrPrtry", "Cd") or _text(balance, "Tp", "Cd")
            if code in ("OPBD", "PRCD", "CLBD"):
                balances.setdefault("OPBD" if code == "PRCD" else code, _signed(balance))
        if {"OPBD", "CLBD"} <= balances.keys():
            found.balances.append((balances["OPBD"], balances["CLBD"]))
    return found


_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FIELD = re.compile(
    rb"^(?:\xef\xbb\xbf|\{.*\{4:)?(?:"
    rb":61[A-Z]?:([0-9]{6})([0-9]{4}| {4})?((?i:R?[CD]))[A-Za-z]?[ \n]?([0-9]+,?[0-9]*)"
    rb"|:6([02])[A-Z]?:([CDcd])[0-9]{6}[A-Za-z]{3}([0-9]+,?[0-9]*))",
    re.MULTILINE,
)


def _units(mark: bytes, number: bytes) -> int:
    sign = -1 if mark.upper() in (b"D", b"RC") else 1
    whole, _, part = number.decode().partition(",")
    return sign * to_units(Decimal(f"{whole}.{part or '0'}"))


def read_mt940(data: bytes) -> Independent:
    """Parse MT940. Days are MM-DD: of the entry date, or else of the value date."""
    found = Independent([], [])
    opening = None
    lines = _CONTROLS.sub(b"", data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    for field in _FIELD.finditer(lines):
        value, entry, mark, number, which, balance_mark, balance = field.groups()
        if value:
            month_and_day = value[2:]
            if entry and entry.strip(b" 0"):
                month_and_day = entry
            elif month_and_day in (b"0229", b"0230"):
                # Some banks write February 30, because their months have 30 days.
                month_and_day = b"0229" if int(value[:2]) % 4 == 0 else b"0228"
            day = f"{int(month_and_day[:2]):02}-{int(month_and_day[2:]):02}"
            found.entries.append((day, _units(mark, number)))
        elif which == b"0":
            opening = _units(balance_mark, balance)
        elif opening is not None:
            found.balances.append((opening, _units(balance_mark, balance)))
            opening = None
    return found


_TRADES = "BUY[A-Z]+|SELL[A-Z]+|INCOME|INVEXPENSE|MARGININTEREST|RETOFCAP"
_TRANSACTION = re.compile(
    rf"<STMTTRN>(?P<bank>.*?)(?=<STMTTRN>|</(?:STMTTRN|BANKTRANLIST|STMTRS)>)"
    rf"|<(?P<trade>{_TRADES})>(?P<invested>.*?)</(?P=trade)>",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_LEDGER_BALANCE = re.compile(r"<LEDGERBAL>\s*<BALAMT>([-+0-9.,]+)", re.IGNORECASE)


def search_ofx(data: bytes) -> Independent:
    """Parse OFX, which has closing balances only."""
    text = _COMMENT.sub("", data.decode("utf-8", "replace"))
    found = Independent([], [(0, _ofx_units(each)) for each in _LEDGER_BALANCE.findall(text)])
    for each in _TRANSACTION.finditer(text):
        day, amount = ("DTPOSTED", "TRNAMT") if each["bank"] else ("DTTRADE", "TOTAL")
        fields = each["bank"] or each["invested"]
        (date,) = re.findall(f"<{day}>([0-9]{{8}})", fields, re.IGNORECASE)
        (number,) = re.findall(f"<{amount}>([-+0-9.,]+)", fields, re.IGNORECASE)
        units = _ofx_units(number)
        if each["invested"]:
            way = re.match("<(BUY|SELL)", each[0], re.IGNORECASE)
            units = units if way is None else abs(units) * (1 if way[1].upper() == "SELL" else -1)
        if units or each["bank"]:
            found.entries.append((f"{date[:4]}-{date[4:6]}-{date[6:]}", units))
    return found


def _ofx_units(number: str) -> int:
    return to_units(Decimal(number.replace(",", ".")))
