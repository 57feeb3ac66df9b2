"""The entries of the account that an entry of the file (``Ntry``) is: itself, or its parts."""

import re
from collections import Counter

from finance_api.importers.camt.element import Element
from finance_api.importers.camt.transaction import (
    NOTHING_SAID,
    Transaction,
    id_of,
    payment_type_of,
)
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


def entries_of(element: Element, currency: str) -> list[Entry]:
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
    entry = Entry(
        line=element.line,
        date=day_of(date) + time_of(date),
        amount=amount,
        bank_id=id_of(element, "AcctSvcrRef"),
        note=element.text_of("AddtlNtryInf"),
        value_date=None if value_date is None else day_of(value_date),
        payment_type=payment_type_of(element),
    )
    transactions: list[Transaction] = element.parts
    is_reversal = is_true(element.first("RvslInd"))
    if not _are_all(element, transactions):
        transactions = []
    amounts = _amounts_of(transactions, amount, currency)
    if len(transactions) > 1 and amounts is not None:
        return _parts_of(entry, transactions, amounts, currency, is_reversal)
    only = transactions[0] if len(transactions) == 1 else NOTHING_SAID
    ordered = amount_or_none(element.first("AmtDtls/InstdAmt/Amt"))
    if ordered is not None:
        only = only._replace(amounts=(*only.amounts, ordered))
    return [_with(entry, only, currency, is_reversal)]


def _are_all(element: Element, transactions: list[Transaction]) -> bool:
    """Whether the transactions are as many as the entry says that it has."""
    told = [*element.all("Btch", "NbOfTxs"), *element.all("NtryDtls", "Btch", "NbOfTxs")]
    numbers = [int(number.text) for number in told if _NUMBER.fullmatch(number.text)]
    return not told or (len(numbers) == len(told) and sum(numbers) == len(transactions))


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
    whole: Entry,
    transactions: list[Transaction],
    amounts: list[int],
    currency: str,
    is_reversal: bool,
) -> list[Entry]:
    batch = joined_key(
        whole.bank_id or "", date_text(whole.date), decimal_text(whole.amount), str(whole.line)
    )
    parts = [
        _with(
            whole._replace(line=transaction.line, amount=amount, bank_id=None, batch=batch),
            transaction,
            currency,
            is_reversal,
        )
        for transaction, amount in zip(transactions, amounts, strict=True)
    ]
    # What several parts have is the id of none.
    times = Counter(part.bank_id for part in parts)
    return [part if times[part.bank_id] == 1 else part._replace(bank_id=None) for part in parts]


def _with(entry: Entry, said: Transaction, currency: str, is_reversal: bool) -> Entry:
    """The entry with what a transaction says of it."""
    # A reversal names the sides of what it takes back.
    sides = [said.debtor, said.creditor]
    if (entry.amount < 0) != is_reversal:
        sides.reverse()
    other = sides[0] if any(sides[0]) or not is_reversal else sides[1]
    original = next((each for each in said.amounts if each[1] != currency), None)
    sign = -1 if entry.amount < 0 else 1
    bank_id = entry.bank_id or said.bank_id
    if bank_id is None and said.end_to_end is not None:
        day, amount = date_text(entry.date), decimal_text(entry.amount)
        bank_id = joined_key(said.end_to_end, day, amount)
    return entry._replace(
        bank_id=bank_id,
        payee=other.name,
        note=said.note or said.information or entry.note,
        payment_type=said.payment_type or entry.payment_type,
        counterparty_account=other.account,
        reference=said.end_to_end or said.reference,
        original_amount=None if original is None else sign * original[0],
        original_currency=None if original is None else original[1],
    )
