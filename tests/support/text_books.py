"""What hledger and beancount print of books that tests make."""

import json
from decimal import Decimal
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A transaction. legs: accounts and amounts, such as ``assets:bank -5 EUR``."""

    legs: tuple[str, ...]
    day: str = "2026-01-02"
    payee: str = "Shop"


def printed_by_beancount(*entries: Entry) -> bytes:
    """Return what bean-query prints of transactions."""
    lines = ["id,date,flag,payee,narration,account,number,currency,value,value_currency,tags,links"]
    lines[0] += ",posting_flag"
    for number, entry in enumerate(entries, 1):
        for leg in entry.legs:
            path, *money = leg.split()
            cells = [str(number), entry.day, "*", entry.payee, "", path, *money * 2, "", "", ""]
            lines.append(",".join(cells))
    return "\n".join([*lines, ""]).encode()


def printed_by_hledger(*entries: Entry) -> bytes:
    """Return what hledger prints of transactions."""
    rows = [
        {
            "tdate": entry.day,
            "tdescription": entry.payee,
            "tcomment": "",
            "tcode": "",
            "tstatus": "Unmarked",
            "ttags": [],
            "tindex": number,
            "tpostings": [_posting(*leg.split(" ")) for leg in entry.legs],
        }
        for number, entry in enumerate(entries, 1)
    ]
    return json.dumps(rows).encode()


def _posting(path: str, quantity: str, commodity: str) -> dict[str, Any]:
    amount = {
        "acommodity": commodity,
        "astyle": {"asprecision": 2},
        "aprice": None,
        "aquantity": {"decimalMantissa": int(Decimal(quantity) * 100), "decimalPlaces": 2},
    }
    return {
        "paccount": path,
        "pamount": [amount],
        "ptype": "RegularPosting",
        "pstatus": "Unmarked",
        "pdate": None,
        "pcomment": "",
        "ptags": [],
        "pbalanceassertion": None,
    }
