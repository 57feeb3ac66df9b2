"""Reads transactions as movements of money, before their account is known.

Records are about money, not securities: an investment transaction that changes the account's cash
becomes a movement. Transactions that only move or value securities are skipped and counted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from finance_api.importers.csv.vocabulary import TOTAL, kind_of, states_balance
from finance_api.importers.ofx.tree import (
    Element,
    amount_of,
    currency_of,
    date_of,
    date_or_none_of,
    identifier_of,
    name_of,
    note_of,
)

#: Text that banks write in place of a missing id or number.
_PLACEHOLDER = re.compile("0+")
#: Elements that only transactions have.
_TRANSACTION_PARTS = frozenset({"TRNAMT", "INVTRAN"})
_CASHLESS = {
    "CLOSUREOPT": "closed option",
    # Moves money from one subaccount of the account to another.
    "JRNLFUND": "transfer between subaccounts",
    "JRNLSEC": "transfer of securities",
    # Income and a purchase with all of this income, in one transaction.
    "REINVEST": "reinvestment",
    "SPLIT": "stock split",
    "TRANSFER": "transfer of securities",
}
_LISTS = {"INVPOSLIST": "position", "INVOOLIST": "open order"}


class Movement(NamedTuple):
    """A transaction as it is kept until the whole file is read: JSON can store every value.

    bank_id, payee and so on: as in `Entry`. type: TRNTYPE.
    security: the unique id of the transaction's security.
    currency: the tag, text and line of the element that states the amount's currency.
    corrects: CORRECTFITID, and whether that transaction is deleted.
    """

    line: int
    date: int
    amount: int
    bank_id: str | None
    payee: str | None
    note: str | None
    value_date: int | None
    type: str | None = None
    reference: str | None = None
    counterparty_account: str | None = None
    security: str | None = None
    currency: tuple[str, str, int] | None = None
    corrects: tuple[str, bool] | None = None

    def states(self, balance: int) -> bool:
        """Return whether it only states this balance, under a name such as "Saldo"."""
        texts = (self.payee or "", self.note or "")
        return self.amount == balance and any(kind_of(text) == TOTAL for text in texts)


def read_transaction(element: Element) -> Movement | str | None:
    """Return the transaction's movement, or why it is skipped.

    Returns None for an INVBANKTRAN, which only wraps another transaction.
    """
    if element.name == "STMTTRN":
        movement = _movement(element)
        texts = (movement.payee or "", movement.note or "")
        return "balance" if any(map(states_balance, texts)) else movement
    if element.name == "STMTTRNP":
        return "pending transaction"
    if element.name == "INVBANKTRAN":
        check_parts(element)
        return None
    return _investment_movement(element)


def check_parts(element: Element) -> None:
    """Refuse parts of a transaction below an element that is not a transaction."""
    for part in element.descendants():
        if part.name in _TRANSACTION_PARTS:
            raise part.refused("is outside of a transaction")


def _movement(element: Element) -> Movement:
    """Return the movement of a STMTTRN.

    The amount keeps its written sign, whatever TRNTYPE says. The original amount stays empty: OFX
    states only the exchange rate (ORIGCURRENCY), so the amount could only be estimated.
    """
    below = element.descendants()
    child = element.by_name().get
    # Some programs write PAYEE with text, although the standard says that it is an aggregate.
    payee = child("NAME") or child("PAYEE")
    if payee and payee.children:
        payee = payee.child("NAME")
    trntype = child("TRNTYPE")
    other_account = child("BANKACCTTO") or child("CCACCTTO")
    bank_id = _id_of(child("FITID"))
    number = note_of(other_account.child("ACCTID")) if other_account else None
    return Movement(
        line=element.line,
        date=date_of(_required(element, below, "DTPOSTED")),
        amount=amount_of(_required(element, below, "TRNAMT")),
        bank_id=bank_id,
        payee=name_of(payee),
        note=note_of(child("MEMO")),
        value_date=date_or_none_of(child("DTAVAIL")),
        type=trntype.text.upper() if trntype else None,
        reference=_id_of(child("CHECKNUM")) or _id_of(child("REFNUM")),
        counterparty_account="".join(number.split()) if number else None,
        currency=_stated_currency(element),
        corrects=_correction_of(bank_id, child("CORRECTFITID"), child("CORRECTACTION")),
    )


def _required(element: Element, below: Sequence[Element], *names: str) -> Element:
    """Return the leaf with the first name that occurs. Raises ImportRefused for none or several."""
    for name in names:
        found = [leaf for leaf in below if leaf.name == name and leaf.text]
        if len(found) > 1:
            raise found[1].refused(
                f"is the second <{name}> of the <{element.name}> of line {element.line}"
            )
        if found:
            return found[0]
    raise element.refused(f"has no <{names[0]}>")


def _id_of(leaf: Element | None) -> str | None:
    """Return the leaf's text; None if it is only a placeholder for a missing id."""
    identifier = identifier_of(leaf)
    return None if identifier is None or _PLACEHOLDER.fullmatch(identifier) else identifier


def _stated_currency(element: Element) -> tuple[str, str, int] | None:
    """Return the tag, text and line of the element that states the amount's currency.

    CURRENCY means that the amounts are in the currency CURSYM and not converted yet, so the bank
    booked other amounts. ORIGCURRENCY means that the amounts are converted (OFX 1.6, 5.2).
    """
    marked = element.first("CURRENCY", "CURSYM", closed=("ORIGCURRENCY",))
    symbol = marked if not marked or marked.text else marked.child("CURSYM")
    if symbol is None:
        return None
    currency_of(symbol)
    return symbol.name, symbol.text, symbol.line


def _correction_of(
    own_id: str | None, corrected: Element | None, action: Element | None
) -> tuple[str, bool] | None:
    bank_id = _id_of(corrected)
    if corrected is None or bank_id is None:
        return None
    word = action.text.upper() if action else ""
    if word not in ("REPLACE", "DELETE") and bank_id != own_id:
        raise corrected.refused(
            "is corrected by this transaction, but no <CORRECTACTION> says REPLACE or DELETE"
        )
    return bank_id, word == "DELETE"


def securities_of(file: Element) -> dict[str, str]:
    """Return the names in the file's list of securities, by unique id."""
    names: dict[str, str] = {}
    for info in file.descendants():
        if info.name == "SECINFO":
            key, name = info.first("UNIQUEID"), name_of(info.first("SECNAME"))
            if key and name:
                names.setdefault(key.text, name)
    return names


def _investment_movement(element: Element) -> Movement | str:
    """Return an investment transaction's movement of cash, or why it is skipped.

    Purchases take money out and sales bring it in, whatever the sign of TOTAL. Other transactions
    keep the sign of TOTAL.
    """
    if element.name in _CASHLESS:
        return _CASHLESS[element.name]
    below = element.descendants()
    amount = amount_of(_required(element, below, "TOTAL"))
    if not amount:
        return "transaction without cash"
    if element.name.startswith(("BUY", "SELL")):
        # Some programs write TOTAL without a sign.
        amount = abs(amount) if element.name.startswith("SELL") else -abs(amount)
    day = _required(element, below, "DTTRADE", "DTSETTLE")
    return Movement(
        line=element.line,
        date=date_of(day),
        amount=amount,
        bank_id=_id_of(element.first("FITID")),
        payee=None,
        note=note_of(element.first("MEMO")),
        value_date=None if day.name == "DTSETTLE" else date_or_none_of(element.first("DTSETTLE")),
        security=identifier_of(element.first("UNIQUEID")),
        currency=_stated_currency(element),
    )


def count_holdings(statement: Element, skipped: Counter[str]) -> None:
    """Count the statement's positions, open orders and 401(k) balances as skipped."""
    for element in statement.descendants(closed=_LISTS.keys()):
        if element.name in _LISTS:
            number = sum(1 for child in element.children if child.children)
            skipped[_LISTS[element.name]] += number
        elif element.name == "INV401KBAL":
            skipped["401(k) balance"] += 1
