"""Converts an entry of the file (``Ntry``) to one entry of the account, or one for each part.

The entry's transactions (``TxDtls``) are kept as `Transaction` values until it is complete.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from finance_api.importers.camt.values import (
    Amount,
    Element,
    amount_or_none,
    day_of,
    is_true,
    number_of,
    sign_of,
    signed_amount_of,
    time_of,
)
from finance_api.importers.interface import Entry, joined_key
from finance_api.values.number import decimal_text
from finance_api.values.text import one_line
from finance_api.values.time import date_text

#: Texts that banks write in place of a missing id.
_PLACEHOLDERS = frozenset({"NOTPROVIDED", "NOTAVAILABLE", "NONREF", "UNKNOWN"})
#: Paths of the booked amounts, and of the amount that the payer ordered.
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


_NUMBER = re.compile(r"[0-9]{1,15}")
BOOKED = "BOOK"
#: Sts -> the kind of entry that is counted as skipped.
NOT_BOOKED = {
    "PDNG": "pending transaction",
    "INFO": "information",
    "FUTR": "future transaction",
}


class Party(NamedTuple):
    name: str | None
    account: str | None


class Transaction(NamedTuple):
    """The values of a transaction.

    line: where it begins in the file, from 1.
    amounts: the booked amounts, then the ordered one: without signs, each with its currency.
    sign: 1, -1 or None if it is not stated. end_to_end: the id that the payer gave.
    reference: the creditor's, or a check number. debtor, creditor: who paid and who received.
    note: the payer's text; information: the bank's text.
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
    """Return the text at the path; None if it is missing or only a placeholder for an id."""
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


def status_of(element: Element) -> str:
    """BOOKED, or a key of NOT_BOOKED. Raises ImportRefused."""
    status = element.only("Sts")
    # From version 7 on the status is in a child element.
    status = status.first("Cd", "Prtry") or status
    if status.text != BOOKED and status.text not in NOT_BOOKED:
        raise status.refused(f"is not one of {', '.join((BOOKED, *NOT_BOOKED))}")
    return status.text


def entries_of(element: Element, currency: str, section: int) -> list[Entry]:
    """Return one entry, or a batch's parts if all of them are there. Raises ImportRefused.

    element: a booked ``Ntry``. currency: the account's.
    """
    amount, stated = signed_amount_of(element)
    if stated != currency:
        raise element.refused(f"is in {stated}, but the account is in {currency}")
    date = element.first("BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm")
    if date is None:
        raise element.refused("has neither a booking date nor a value date")
    value_date = element.first("ValDt/Dt", "ValDt/DtTm")
    ordered = amount_or_none(element.first("AmtDtls/InstdAmt/Amt"))
    booking = Entry(
        line=element.line,
        date=day_of(date) + time_of(date),
        amount=amount,
        bank_id=id_of(element, "AcctSvcrRef"),
        note=element.text_of("AddtlNtryInf"),
        payment_type=payment_type_of(element),
        value_date=None if value_date is None else day_of(value_date),
        section=section,
    )
    parts: list[Transaction] = element.parts if _are_all(element) else []
    is_reversal = is_true(element.first("RvslInd"))
    amounts = _amounts_of(parts, amount, currency)
    if len(parts) > 1 and amounts is not None:
        return [
            _with_part(entry, part, currency, is_reversal)
            for entry, part in zip(_batch(booking, parts, amounts), parts, strict=True)
        ]
    if len(parts) != 1:
        return [_with_original(booking, (ordered,), currency)]
    (part,) = parts
    booking = booking._replace(bank_id=booking.bank_id or _id_of(part, booking.date, amount))
    return [_with_part(booking, part, currency, is_reversal, ordered)]


def _are_all(element: Element) -> bool:
    """Return whether the element has as many transactions as it states (NbOfTxs)."""
    counts = [*element.all("Btch", "NbOfTxs"), *element.all("NtryDtls", "Btch", "NbOfTxs")]
    numbers = [int(number.text) for number in counts if _NUMBER.fullmatch(number.text)]
    return not counts or (len(numbers) == len(counts) and sum(numbers) == len(element.parts))


def _amounts_of(parts: list[Transaction], amount: int, currency: str) -> list[int] | None:
    """Return the amounts of a batch's parts, if they sum to the entry's amount; else None."""
    amounts = []
    for part in parts:
        units = next((units for units, stated in part.amounts if stated == currency), None)
        if units is None:
            return None
        amounts.append(units * (part.sign or (-1 if amount < 0 else 1)))
    return amounts if sum(amounts) == amount else None


def _batch(booking: Entry, parts: list[Transaction], amounts: list[int]) -> Iterator[Entry]:
    """Yield the entries of a batch, each with its own amount and id."""
    texts = (date_text(booking.date), decimal_text(booking.amount), str(booking.line))
    batch = joined_key(booking.bank_id or "", *texts)
    ids = [_id_of(part, booking.date, amount) for part, amount in zip(parts, amounts, strict=True)]
    # An id that several parts share identifies none of them.
    times = Counter(ids)
    for part, amount, bank_id in zip(parts, amounts, ids, strict=True):
        bank_id = bank_id if times[bank_id] == 1 else None
        yield booking._replace(line=part.line, amount=amount, bank_id=bank_id, batch=batch)


def _id_of(part: Transaction, date: int, amount: int) -> str | None:
    if part.bank_id is not None or part.end_to_end is None:
        return part.bank_id
    return joined_key(part.end_to_end, date_text(date), decimal_text(amount))


def _with_part(
    entry: Entry,
    part: Transaction,
    currency: str,
    is_reversal: bool,
    ordered: Amount | None = None,
) -> Entry:
    """Return the entry with the values of its transaction.

    ordered: the entry's ordered amount, used if the transaction has none in another currency.
    """
    # A reversal names the sides of the transaction that it reverses.
    sides = [part.debtor, part.creditor]
    if (entry.amount < 0) != is_reversal:
        sides.reverse()
    other = sides[0] if any(sides[0]) or not is_reversal else sides[1]
    entry = entry._replace(
        payee=other.name,
        note=part.note or part.information or entry.note,
        payment_type=part.payment_type or entry.payment_type,
        counterparty_account=other.account,
        reference=part.end_to_end or part.reference,
    )
    return _with_original(entry, (*part.amounts, ordered), currency)


def _with_original(entry: Entry, amounts: Iterable[Amount | None], currency: str) -> Entry:
    """Set the original amount to the first of the amounts in another currency."""
    for amount in amounts:
        if amount is not None and amount[1] != currency:
            units = amount[0] * (-1 if entry.amount < 0 else 1)
            return entry._replace(original_amount=units, original_currency=amount[1])
    return entry
