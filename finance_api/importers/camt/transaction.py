"""The transactions of an entry (``TxDtls``), as they are kept until the entry is complete."""

from typing import NamedTuple

from finance_api.importers.camt.element import Element
from finance_api.importers.camt.values import Amount, amount_or_none, number_of, sign_of
from finance_api.importers.texts import one_line

#: Texts that stand in for an id that nobody gave.
_PLACEHOLDERS = frozenset({"NOTPROVIDED", "NOTAVAILABLE", "NONREF", "UNKNOWN"})
#: Amounts of the booking, and the amount that was ordered.
_BOOKED = ("Amt", "AmtDtls/TxAmt/Amt")
_ORDERED = "AmtDtls/InstdAmt/Amt"

_REFERENCES = ("RmtInf/Strd/CdtrRefInf/Ref", "RmtInf/Strd/CdtrRefInf/CdtrRef", "Refs/ChqNb")

#: Subfamily or family of the bank transaction code -> payment type, where it is certain.
_PAYMENT_TYPES = {
    "CWDL": "cash",
    "CDPT": "cash",
    "POSD": "debit_card",
    "POSC": "credit_card",
    "ICDT": "transfer",
    "RCDT": "transfer",
    "IRCT": "transfer",
    "RRCT": "transfer",
    "IDDT": "transfer",
    "RDDT": "transfer",
}


class Party(NamedTuple):
    name: str | None
    account: str | None


class Transaction(NamedTuple):
    """The values of a transaction.

    line: where it begins in the file, from 1.
    amounts: of the booking, then the ordered one: without signs, each with its currency.
    sign: 1, -1 or None if it does not say. end_to_end: the id that the payer gave.
    reference: of the payment, by whoever asked for it. debtor, creditor: who paid and who got it.
    note: what the payer wrote; information: what the bank adds.
    """

    line: int
    amounts: tuple[Amount, ...]
    sign: int | None
    bank_id: str | None
    end_to_end: str | None
    reference: str | None
    debtor: Party
    creditor: Party
    note: str | None
    information: str | None
    payment_type: str | None


def transaction_of(element: Element) -> Transaction:
    texts = [leaf.text for leaf in element.all("RmtInf", "Ustrd")]
    texts = texts or [leaf.text for leaf in element.all("RmtInf", "Strd", "AddtlRmtInf")]
    found = (amount_or_none(element.first(path)) for path in (*_BOOKED, _ORDERED))
    return Transaction(
        line=element.line,
        amounts=tuple(amount for amount in found if amount is not None),
        sign=sign_of(element.first("CdtDbtInd")),
        bank_id=id_of(element, "Refs/AcctSvcrRef"),
        end_to_end=id_of(element, "Refs/EndToEndId"),
        reference=element.text_of(*_REFERENCES),
        debtor=_party(element, "Dbtr"),
        creditor=_party(element, "Cdtr"),
        note=one_line(*texts),
        information=element.text_of("AddtlTxInf"),
        payment_type=payment_type_of(element),
    )


def id_of(element: Element, path: str) -> str | None:
    """The text there, None if it stands in for an id that nobody gave."""
    text = element.text_of(path)
    return None if text is None or text.upper() in _PLACEHOLDERS or not text.strip("0") else text


def payment_type_of(element: Element) -> str | None:
    family = element.text_of("BkTxCd/Domn/Fmly/Cd") or ""
    subfamily = element.text_of("BkTxCd/Domn/Fmly/SubFmlyCd") or ""
    return _PAYMENT_TYPES.get(subfamily) or _PAYMENT_TYPES.get(family)


def _party(element: Element, role: str) -> Party:
    # From version 8 on a party is a person (Pty) or a bank (Agt).
    paths = ("Nm", "Pty/Nm", "Agt/FinInstnId/Nm")
    return Party(
        element.text_of(
            *(f"RltdPties/{role}/{path}" for path in paths),
            *(f"RltdPties/Ultmt{role}/{path}" for path in paths),
        ),
        number_of(element, f"RltdPties/{role}Acct"),
    )
