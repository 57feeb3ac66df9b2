"""The entries of the account that an entry of the file (``Ntry``) is: itself, or its parts."""

import re
from collections import Counter
from typing import NamedTuple

from finance_api.importers.camt.element import Element
from finance_api.importers.camt.transaction import NOTHING_SAID, Transaction, id_of, payment_type_of
from finance_api.importers.camt.values import (
    amount_or_none,
    day_of,
    is_true,
    signed_amount_of,
    time_of,
)
from finance_api.importers.interface import Entry, joined_key
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

_NUMBER = re.compile(r"[0-9]{1,15}")
BOOKED = "BOOK"
#: Sts -> what is counted as skipped.
NOT_BOOKED = {
    "PDNG": "pending transaction",
    "INFO": "information",
    "FUTR": "future transaction",
}


def status_of(element: Element) -> str:
    """BOOKED, or a key of NOT_BOOKED. Raises ImportRefused."""
    status = element.only("Sts")
    # From version 7 on it is one of several elements.
    status = status.first("Cd", "Prtry") or status
    if status.text != BOOKED and status.text not in NOT_BOOKED:
        raise status.refused(f"is none of {', '.join((BOOKED, *NOT_BOOKED))}")
    return status.text


class _Booking(NamedTuple):
    """What an entry says of itself, and the currency of its account."""

    line: int
    date: int
    amount: int
    currency: str
    bank_id: str | None
    note: str | None
    value_date: int | None
    payment_type: str | None
    is_reversal: bool
    section: int


def entries_of(element: Element, currency: str, section: int) -> list[Entry]:
    """One, or the parts of a batch if these are all there. Raises ImportRefused.

    element: booked. currency: of the account.
    """
    amount, of = signed_amount_of(element)
    if of != currency:
        raise element.refused(f"is in {of}, but the account is in {currency}")
    date = element.first("BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm")
    if date is None:
        raise element.refused("has neither a booking date nor a value date")
    value_date = element.first("ValDt/Dt", "ValDt/DtTm")
    booking = _Booking(
        line=element.line,
        date=day_of(date) + time_of(date),
        amount=amount,
        currency=currency,
        bank_id=id_of(element, "AcctSvcrRef"),
        note=element.text_of("AddtlNtryInf"),
        value_date=None if value_date is None else day_of(value_date),
        payment_type=payment_type_of(element),
        is_reversal=is_true(element.first("RvslInd")),
        section=section,
    )
    transactions: list[Transaction] = element.parts if _are_all(element) else []
    amounts = _amounts_of(transactions, amount, currency)
    if len(transactions) > 1 and amounts is not None:
        return _parts_of(booking, transactions, amounts)
    said = transactions[0] if len(transactions) == 1 else NOTHING_SAID
    bank_id = booking.bank_id or _id_of(said, booking.date, amount)
    ordered = amount_or_none(element.first("AmtDtls/InstdAmt/Amt"))
    return [_entry(booking, said, amount, bank_id, booking.line, ordered=ordered)]


def _are_all(element: Element) -> bool:
    """Whether there are as many transactions as the entry says that it has."""
    told = [*element.all("Btch", "NbOfTxs"), *element.all("NtryDtls", "Btch", "NbOfTxs")]
    numbers = [int(number.text) for number in told if _NUMBER.fullmatch(number.text)]
    return not told or (len(numbers) == len(told) and sum(numbers) == len(element.parts))


def _amounts_of(transactions: list[Transaction], amount: int, currency: str) -> list[int] | None:
    """The amounts of the parts of a batch, if they sum to that of the entry."""
    amounts = []
    for each in transactions:
        part = next((units for units, of in each.amounts if of == currency), None)
        if part is None:
            return None
        amounts.append(part * (each.sign or (-1 if amount < 0 else 1)))
    return amounts if sum(amounts) == amount else None


def _parts_of(
    booking: _Booking, transactions: list[Transaction], amounts: list[int]
) -> list[Entry]:
    batch = joined_key(
        booking.bank_id or "",
        date_text(booking.date),
        decimal_text(booking.amount),
        str(booking.line),
    )
    parts = list(zip(transactions, amounts, strict=True))
    ids = [_id_of(said, booking.date, amount) for said, amount in parts]
    # What several parts have is the id of none.
    times = Counter(ids)
    return [
        _entry(booking, said, amount, bank_id if times[bank_id] == 1 else None, said.line, batch)
        for (said, amount), bank_id in zip(parts, ids, strict=True)
    ]


def _id_of(said: Transaction, date: int, amount: int) -> str | None:
    if said.bank_id is not None or said.end_to_end is None:
        return said.bank_id
    return joined_key(said.end_to_end, date_text(date), decimal_text(amount))


def _entry(
    booking: _Booking,
    said: Transaction,
    amount: int,
    bank_id: str | None,
    line: int,
    batch: str | None = None,
    ordered: tuple[int, str] | None = None,
) -> Entry:
    """The entry of an amount, with what a transaction says of it.

    ordered: an amount in another currency, where the transaction does not say one.
    """
    # A reversal names the sides of what it takes back.
    sides = [said.debtor, said.creditor]
    if (amount < 0) != booking.is_reversal:
        sides.reverse()
    other = sides[0] if any(sides[0]) or not booking.is_reversal else sides[1]
    told = (*said.amounts, *([ordered] if ordered else []))
    original = next((each for each in told if each[1] != booking.currency), None)
    return Entry(
        line=line,
        date=booking.date,
        amount=amount,
        bank_id=bank_id,
        payee=other.name,
        note=said.note or said.information or booking.note,
        payment_type=said.payment_type or booking.payment_type,
        value_date=booking.value_date,
        counterparty_account=other.account,
        reference=said.end_to_end or said.reference,
        original_amount=None if original is None else original[0] * (-1 if amount < 0 else 1),
        original_currency=None if original is None else original[1],
        batch=batch,
        section=booking.section,
    )
