"""The fields of a transaction, before it has an identity."""

from dataclasses import dataclass

from finance_api.importers.ofx.account import checked_currency
from finance_api.importers.ofx.amount import amount_of
from finance_api.importers.ofx.calendar_date import date_of
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.wording import identifier_of, name_of, note_of

#: TRNTYPE -> payment type, where it is certain. CREDIT, DEBIT, CHECK and the like are not.
_PAYMENT_TYPES = {
    "ATM": "cash",
    "CASH": "cash",
    "POS": "debit_card",
    "XFER": "transfer",
    "DIRECTDEBIT": "transfer",
    "DIRECTDEP": "transfer",
}


@dataclass(frozen=True, slots=True)
class Transaction:
    """As `Entry`, with the bank's id (FITID) in place of the source id."""

    line: int
    date: int
    amount: int
    fitid: str | None
    payee: str | None
    note: str | None
    payment_type: str | None = None


def transaction_of(element: Element, currency: str | None, *, on_card: bool) -> Transaction:
    """The transaction of a STMTTRN.

    The amount's sign is the one that is written; TRNTYPE does not change it.
    """
    correction = element.child("CORRECTFITID")
    if correction:
        raise correction.refused(
            "is corrected by this transaction; corrections of earlier transactions cannot be read"
        )
    check_currency(element, currency)
    # Some programs write the payee as text where the standard has an aggregate.
    payee = element.child("NAME", "PAYEE")
    if payee and payee.name == "PAYEE" and payee.children:
        payee = payee.child("NAME")
    return Transaction(
        line=element.line,
        date=date_of(required(element, "DTPOSTED")),
        amount=amount_of(required(element, "TRNAMT")),
        fitid=identifier_of(element.child("FITID")),
        payee=name_of(payee),
        note=note_of(element.child("MEMO")),
        payment_type=_payment_type(element.child("TRNTYPE"), on_card),
    )


def required(element: Element, *names: str) -> Element:
    """The one leaf below the element of the first name there is; refused if none or several."""
    for name in names:
        found = [leaf for leaf in element.descendants() if leaf.name == name and leaf.text]
        if len(found) > 1:
            raise found[1].refused(
                f"is the second <{name}> of the <{element.name}> of line {element.line}"
            )
        if found:
            return found[0]
    raise element.refused(f"has no <{names[0]}>")


def check_currency(element: Element, currency: str | None) -> None:
    """Refuses a transaction in another currency than the account's.

    CURRENCY says that the amounts are in its CURSYM, to be converted; a converted amount is not
    what the bank booked. ORIGCURRENCY says that they have been converted (OFX 1.6, 5.2).
    """
    marked = element.first("CURRENCY", "CURSYM", closed=("ORIGCURRENCY",))
    symbol = marked if not marked or marked.text else marked.child("CURSYM")
    if symbol and checked_currency(symbol) != currency:
        account = (
            f"the account is in {currency}" if currency else "the file does not say the account's"
        )
        raise symbol.refused(f"is the currency of this transaction, and {account}")


def _payment_type(leaf: Element | None, on_card: bool) -> str | None:
    trntype = leaf.text.upper() if leaf else ""
    return "credit_card" if trntype == "POS" and on_card else _PAYMENT_TYPES.get(trntype)
