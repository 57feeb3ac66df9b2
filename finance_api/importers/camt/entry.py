"""The elements of a camt file, and the entries that they become.

An entry's transactions (``TxDtls``) are kept as `Transaction` values until the entry is complete.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from finance_api.importers.interface import ANOTHER_FILE, Entry, ImportRefused, joined_key, quoted
from finance_api.resources.currencies import CODES
from finance_api.values.number import NumberError, decimal_text, parse_decimal, to_units
from finance_api.values.text import compact, one_line
from finance_api.values.time import TimeError, date_text, parse_date, parse_time

#: Paths to an account's IBAN, or to its other number, in the different versions.
_NUMBERS = ("Id/IBAN", "Id/Othr/Id", "Id/PrtryAcct/Id", "Id/BBAN", "Id/UPIC")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_CLOCK = re.compile(
    r"T([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?(?:[.,:][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DAY_LENGTH = 10
#: An amount in ten-thousandths, and its currency.
Amount = tuple[int, str]
_SIGNS = {"CRDT": 1, "DBIT": -1}


class Element:
    """One element with its content.

    name: the name without a namespace prefix. text: the text of a leaf, stripped.
    currency: the attribute Ccy. line: where the element begins in the file, from 1.
    parts: an entry's transactions, as `Transaction`s; their elements are not among its children.
    """

    __slots__ = ("children", "currency", "line", "name", "parts", "text")

    def __init__(self, name: str, line: int, currency: str | None = None) -> None:
        self.name = name
        self.line = line
        self.currency = currency
        self.text = ""
        self.children: list[Element] = []
        self.parts: list[Any] = []

    def all(self, *path: str) -> "Iterator[Element]":
        """Yield the non-empty elements at a path of names below this element, in order."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                elif child.text or child.children:
                    yield child

    def first(self, *paths: str) -> "Element | None":
        """Return the first element at the first path (such as ``A/B``) that leads to one."""
        for path in paths:
            found = next(self.all(*path.split("/")), None)
            if found is not None:
                return found
        return None

    def only(self, name: str) -> "Element":
        """Return the only child with this name. Raises ImportRefused for none or several."""
        found = [child for child in self.children if child.name == name]
        if len(found) != 1:
            raise self.refused(f"has {len(found) or 'no'} <{name}>")
        return found[0]

    def text_of(self, *paths: str) -> str | None:
        """Return the text of the element that `first` returns, on one line."""
        found = self.first(*paths)
        return None if found is None else one_line(found.text)

    def refused(self, reason: str) -> ImportRefused:
        """Return a refusal of the file that names this element, its text and the reason."""
        value = f"{quoted(self.text)} " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)


def amount_of(element: Element) -> Amount:
    """Return the amount without a sign, and the currency. Raises ImportRefused."""
    if element.text.startswith("-"):
        raise element.refused(
            "has a sign, but <CdtDbtInd> already says whether money came in or went out"
        )
    try:
        units = to_units(parse_decimal(element.text))
    except NumberError as error:
        raise element.refused(str(error)) from None
    if element.currency not in CODES:
        code = quoted(element.currency or "")
        raise element.refused(f"has the currency {code}, which is not in ISO 4217")
    return units, element.currency


def amount_or_none(element: Element | None) -> Amount | None:
    """Return the amount like `amount_of`, but None if it is missing or invalid."""
    try:
        return None if element is None else amount_of(element)
    except ImportRefused:
        return None


def signed_amount_of(holder: Element) -> Amount:
    """Return the signed amount of an entry or balance, and its currency. Raises ImportRefused."""
    direction = holder.only("CdtDbtInd")
    units, currency = amount_of(holder.only("Amt"))
    sign = sign_of(direction)
    if sign is None:
        raise direction.refused("is not CRDT or DBIT")
    return sign * units, currency


def sign_of(direction: Element | None) -> int | None:
    """Return 1 for money coming in, -1 for money going out, None for an unknown CdtDbtInd.

    This holds for reversals, too: "if the CreditDebitIndicator is CRDT and ReversalIndicator is
    Yes, the original operation was a debit entry" (ISO 20022, ReportEntry).
    """
    return None if direction is None else _SIGNS.get(direction.text)


def is_true(element: Element | None) -> bool:
    return element is not None and element.text in ("true", "1")


def day_of(date: Element) -> int:
    """Return the written day of a date or date-time, in seconds. Raises ImportRefused."""
    day = _DAY.match(date.text)
    if not day:
        raise date.refused("is not a date in the form YYYY-MM-DD")
    try:
        return parse_date(day[0])
    except TimeError as error:
        raise date.refused(str(error)) from None


def time_of(date: Element) -> int:
    """Return the written time of a date-time, in seconds of the day; 0 if it has none."""
    clock = _CLOCK.match(date.text, _DAY_LENGTH)
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3] or 0) if clock else 0


def moment_of(date: Element | None) -> int | None:
    """Return a date-time as seconds since 1970, in UTC if it has no zone; None if unreadable."""
    clock = date and _CLOCK.match(date.text, _DAY_LENGTH)
    if not date or not clock:
        return None
    hour, minute, second, zone = clock.groups()
    try:
        day = date.text[:_DAY_LENGTH]
        return parse_time(f"{day}T{hour}:{minute}:{second or '00'}{zone or 'Z'}")
    except TimeError:
        return None


def number_of(element: Element, account: str) -> str | None:
    """Return the number of the account at the path ``account``; None if no number is stated."""
    number = element.text_of(*(f"{account}/{path}" for path in _NUMBERS))
    return None if number is None else compact(number)


#: Texts that banks write in place of a missing id.
_PLACEHOLDERS = frozenset({"NOTPROVIDED", "NOTAVAILABLE", "NONREF", "UNKNOWN"})
#: Paths to the booked amounts, and to the amount that the payer ordered.
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
#: Status (Sts) -> what entries with this status are called when they are counted as skipped.
NOT_BOOKED = {"PDNG": "pending transaction", "INFO": "information", "FUTR": "future transaction"}


class Party(NamedTuple):
    name: str | None
    account: str | None


class Transaction(NamedTuple):
    """The values of a transaction.

    line: where it begins in the file, from 1.
    amounts: the booked amounts, then the ordered one: without signs, each with its currency.
    sign: 1, -1, or None if it is not stated. end_to_end: the id that the payer gave.
    reference: the creditor's reference, or a check number.
    debtor, creditor: who paid and who received.
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
    # From version 8 on, a party is a person (Pty) or a bank (Agt).
    paths = ("Nm", "Pty/Nm", "Agt/FinInstnId/Nm")
    names = (f"RltdPties/{who}/{path}" for who in (role, f"Ultmt{role}") for path in paths)
    return Party(element.text_of(*names), number_of(element, f"RltdPties/{role}Acct"))


def status_of(element: Element) -> str:
    """Return BOOKED, or a key of NOT_BOOKED. Raises ImportRefused."""
    status = element.only("Sts")
    # From version 7 on, the status is in a child element.
    status = status.first("Cd", "Prtry") or status
    if status.text != BOOKED and status.text not in NOT_BOOKED:
        raise status.refused(f"is not one of {', '.join((BOOKED, *NOT_BOOKED))}")
    return status.text


def entries_of(element: Element, currency: str, section: int) -> list[Entry]:
    """Return one entry, or the parts of a batch if the file has them all. Raises ImportRefused.

    element: a booked ``Ntry``. currency: the account's currency.
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
    entry: Entry, part: Transaction, currency: str, is_reversal: bool, ordered: Amount | None = None
) -> Entry:
    """Return the entry with the values of its transaction.

    ordered: the entry's ordered amount, used if the transaction has no amount in another currency.
    """
    # A reversal names debtor and creditor as the reversed transaction does.
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
    """Set the original amount to the first amount in another currency."""
    for amount in amounts:
        if amount is not None and amount[1] != currency:
            units = amount[0] * (-1 if entry.amount < 0 else 1)
            return entry._replace(original_amount=units, original_currency=amount[1])
    return entry
