"""The balance that a statement ends with."""

import re

from finance_api.importers.interface import LedgerBalance
from finance_api.importers.ofx.amount import amount_of
from finance_api.importers.ofx.calendar_date import date_of
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.tree import TRANSACTIONS

#: Some banks write a date of zeros where they have none.
_NO_DATE = re.compile("0{8,14}")


def ledger_balance_of(statement: Element) -> LedgerBalance | None:
    """The statement's LEDGERBAL; None if it is missing or lacks its amount or its date."""
    balance = statement.first("LEDGERBAL", closed=TRANSACTIONS)
    amount = balance.child("BALAMT") if balance else None
    date = balance.child("DTASOF") if balance else None
    if not amount or not date or _NO_DATE.match(date.text):
        return None
    return LedgerBalance(amount=amount_of(amount), date=date_of(date))
