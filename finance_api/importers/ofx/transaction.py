"""The fields of a transaction, before its account is known."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.values import (
    amount_of,
    currency_of,
    date_of,
    date_or_none_of,
    identifier_of,
    name_of,
    note_of,
)

#: Text that stands in for an id or number that the bank does not have.
_PLACEHOLDER = re.compile("0+")


class Movement(NamedTuple):
    """A transaction as it is kept until the whole file is read: every value is JSON.

    bank_id, payee and so on: as in `Entry`. type: TRNTYPE.
    security: the unique id of the security that it is about.
    currency: the tag, text and line of what says that the amount is in a currency.
    corrects: CORRECTFITID, and whether it deletes.
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


def movement_of(element: Element) -> Movement:
    """The movement of a STMTTRN.

    The amount's sign is the one that is written; TRNTYPE does not change it. OFX has no amount in
    the original currency: ORIGCURRENCY gives the rate only, by which it could be guessed.
    """
    below = element.descendants()
    child = element.by_name().get
    # Some programs write the payee as text where the standard has an aggregate.
    payee = child("NAME") or child("PAYEE")
    if payee and payee.children:
        payee = payee.child("NAME")
    trntype = child("TRNTYPE")
    other_account = child("BANKACCTTO") or child("CCACCTTO")
    bank_id = id_of(child("FITID"))
    number = note_of(other_account.child("ACCTID")) if other_account else None
    return Movement(
        line=element.line,
        date=date_of(required(element, below, "DTPOSTED")),
        amount=amount_of(required(element, below, "TRNAMT")),
        bank_id=bank_id,
        payee=name_of(payee),
        note=note_of(child("MEMO")),
        value_date=date_or_none_of(child("DTAVAIL")),
        type=trntype.text.upper() if trntype else None,
        reference=id_of(child("CHECKNUM")) or id_of(child("REFNUM")),
        counterparty_account="".join(number.split()) if number else None,
        currency=stated_currency(element),
        corrects=_correction_of(bank_id, child("CORRECTFITID"), child("CORRECTACTION")),
    )


def required(element: Element, below: Sequence[Element], *names: str) -> Element:
    """The one leaf below the element of the first name there is; refused if none or several."""
    for name in names:
        found = [leaf for leaf in below if leaf.name == name and leaf.text]
        if len(found) > 1:
            raise found[1].refused(
                f"is the second <{name}> of the <{element.name}> of line {element.line}"
            )
        if found:
            return found[0]
    raise element.refused(f"has no <{names[0]}>")


def id_of(leaf: Element | None) -> str | None:
    """The leaf's text, None if it stands in for an id that the bank does not have."""
    identifier = identifier_of(leaf)
    return None if identifier is None or _PLACEHOLDER.fullmatch(identifier) else identifier


def stated_currency(element: Element) -> tuple[str, str, int] | None:
    """The tag, text and line of what says that the transaction's amount is in a currency.

    CURRENCY says that the amounts are in its CURSYM, to be converted; a converted amount is not
    what the bank booked. ORIGCURRENCY says that they have been converted (OFX 1.6, 5.2).
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
    bank_id = id_of(corrected)
    if corrected is None or bank_id is None:
        return None
    word = action.text.upper() if action else ""
    if word not in ("REPLACE", "DELETE") and bank_id != own_id:
        raise corrected.refused(
            "is corrected by this transaction, and no <CORRECTACTION> says REPLACE or DELETE"
        )
    return bank_id, word == "DELETE"
