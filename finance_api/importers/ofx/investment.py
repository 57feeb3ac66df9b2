"""The cash movements of an investment statement.

Records hold money, not securities: what changes the cash of the account comes in, what only
moves or values securities is counted.
"""

from collections import Counter

from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.transaction import Movement, id_of, required, stated_currency
from finance_api.importers.ofx.values import (
    amount_of,
    date_of,
    date_or_none_of,
    identifier_of,
    name_of,
    note_of,
)

#: Unique id of a security -> its name.
Securities = dict[str, str]

_CASHLESS = {
    "CLOSUREOPT": "closed option",
    # From one subaccount of the account to another.
    "JRNLFUND": "transfer between subaccounts",
    "JRNLSEC": "transfer of securities",
    # Income and the purchase with it, in one.
    "REINVEST": "reinvestment",
    "SPLIT": "stock split",
    "TRANSFER": "transfer of securities",
}
_LISTS = {"INVPOSLIST": "position", "INVOOLIST": "open order"}


def securities_of(file: Element) -> Securities:
    """The names in the file's list of securities."""
    names: Securities = {}
    for info in file.descendants():
        if info.name == "SECINFO":
            key, name = info.first("UNIQUEID"), name_of(info.first("SECNAME"))
            if key and name:
                names.setdefault(key.text, name)
    return names


def investment_movement_of(element: Element) -> Movement | str:
    """The movement of cash that an investment transaction is; what it is, if it is none.

    What is bought takes money out and what is sold brings it in, whatever the sign of TOTAL; of
    others the sign is that of TOTAL.
    """
    if element.name in _CASHLESS:
        return _CASHLESS[element.name]
    below = element.descendants()
    amount = amount_of(required(element, below, "TOTAL"))
    if not amount:
        return "transaction without cash"
    if element.name.startswith(("BUY", "SELL")):
        # Some programs write TOTAL without a sign.
        amount = abs(amount) if element.name.startswith("SELL") else -abs(amount)
    day = required(element, below, "DTTRADE", "DTSETTLE")
    return Movement(
        line=element.line,
        date=date_of(day),
        amount=amount,
        bank_id=id_of(element.first("FITID")),
        payee=None,
        note=note_of(element.first("MEMO")),
        value_date=None if day.name == "DTSETTLE" else date_or_none_of(element.first("DTSETTLE")),
        security=identifier_of(element.first("UNIQUEID")),
        currency=stated_currency(element),
    )


def count_holdings(statement: Element, skipped: Counter[str]) -> None:
    """Counts the positions, open orders and balances of the statement."""
    for element in statement.descendants(closed=_LISTS.keys()):
        if element.name in _LISTS:
            number = sum(1 for child in element.children if child.children)
            skipped[_LISTS[element.name]] += number
        elif element.name == "INV401KBAL":
            skipped["401(k) balance"] += 1
