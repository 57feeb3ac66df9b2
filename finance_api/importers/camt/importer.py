"""Reads camt files: the statements with their accounts and balances, and their entries."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.camt.markup import STATEMENTS, Element, Found, entries_in
from finance_api.importers.decoding import opening_text
from finance_api.importers.interface import (
    HEAD_BYTES,
    BankBalance,
    Entries,
    Entry,
    ImportRefused,
    Remembered,
    StatementAccount,
    joined_key,
    nothing_remembered,
    quoted,
)
from finance_api.importers.sections import Section, Sections, StatedTotal, Totals
from finance_api.resources.currencies import CODES, current_code
from finance_api.values.number import NumberError, decimal_text, parse_decimal, to_units
from finance_api.values.text import compact, counted, is_iban, one_line
from finance_api.values.time import DAY_SECONDS, TimeError, date_text, parse_date, parse_time

_SERVICERS = ("BIC", "BICFI", "ClrSysMmbId/MmbId", "Othr/Id")
#: Tp/Cd -> account type, and the first words of a new account's name.
_TYPES = {
    "CACC": ("CurrentAccount", "Checking"),
    "TRAN": ("CurrentAccount", "Checking"),
    "SVGS": ("SavingAccount", "Savings"),
    "LLSV": ("SavingAccount", "Savings"),
    "LOAN": ("Loan", "Loan"),
    "CARD": ("CreditCard", "Credit card"),
}
#: Codes of booked balances, best first; the other codes are available or expected balances.
_CODES = "Tp/CdOrPrtry/Cd", "Tp/Cd"
_OPENING, _CLOSING, _INTERIM = ("OPBD", "PRCD"), "CLBD", "ITBD"
_NOTIFICATIONS = "camt.054"
_MESSAGES = {"AcctRpt": "camt.052", "Stmt": "camt.053", "DbtCdtNtfctn": _NOTIFICATIONS}
_ELEMENT = re.compile(rf"<(?:[\w.-]++:)?+BkToCstmr({'|'.join(_MESSAGES)})(?:V[0-9]+)?[\s>/]")
_NAMESPACE = re.compile(r"\b(camt\.05[234])\.001\.[0-9]{2}\b")
#: Totals in a statement's summary -> the ways of their entries.
_SUMMARIES = {"TtlNtries": (1, -1), "TtlCdtNtries": (1,), "TtlDbtNtries": (-1,)}
#: The net sum in ``TtlNtries``.
_NET = "TtlNetNtry/Amt", "TtlNetNtryAmt"
#: At most about this many reversals of a statement wait for its balances.
_MOST_REVERSALS = 1_000
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


def account_of(statement: Element, currency: str | None) -> StatementAccount:
    """Return the account that the statement names. currency: used if the account has no Ccy."""
    number = number_of(statement, "Acct")
    account_type, word = _TYPES.get(statement.text_of("Acct/Tp/Cd") or "", ("General", "Account"))
    stated = statement.first("Acct/Ccy")
    if stated is not None and stated.text not in CODES:
        raise stated.refused("is not an ISO 4217 currency code")
    currency = current_code(stated.text) if stated is not None else currency
    if number is None:
        return StatementAccount(None, None, account_type, currency)
    word = statement.text_of("Acct/Nm") or word
    bank = None
    if not is_iban(number):
        # The number is unique only within the bank.
        bank = statement.text_of(*(f"Acct/Svcr/FinInstnId/{name}" for name in _SERVICERS))
    return StatementAccount(
        key=joined_key(*filter(None, (bank, number, currency))),
        name=f"{word} {number}",
        account_type=account_type,
        currency=currency,
        number=number,
    )


class Balances(NamedTuple):
    """The balances before the first entry and after the last, each None if it is not stated.

    currency: the currency of both. is_own: whether neither includes a line of credit.
    """

    opening: BankBalance | None = None
    closing: BankBalance | None = None
    currency: str | None = None
    is_own: bool = True


def balances_of(statement: Element) -> Balances:
    """Return the booked balances of a statement. Raises ImportRefused.

    Interim balances (ITBD) connect the pages of a statement. Reports of an unfinished day
    (camt.052) have them too, but there they are ignored: they say how much money there was at one
    moment, while the report may have only the entries since the last report.
    """
    stated: dict[str, list[tuple[BankBalance, str]]] = {}
    is_own = True
    for balance in statement.all("Bal"):
        code = balance.text_of(*_CODES)
        if code in (*_OPENING, _CLOSING, _INTERIM):
            units, currency = signed_amount_of(balance)
            date = balance.first("Dt/Dt", "Dt/DtTm")
            if date is None:
                raise balance.refused("has no date")
            stated.setdefault(code, []).append((BankBalance(units, day_of(date)), currency))
            is_own = is_own and not any(
                is_true(line.first("Incl")) and amount_of(amount)[0]
                for line in balance.all("CdtLine")
                if (amount := line.first("Amt")) is not None
            )
    if statement.name != "Stmt":
        stated.pop(_INTERIM, None)
    interim = stated.get(_INTERIM, [])
    opening = next((stated[code][0] for code in _OPENING if code in stated), None)
    closing = stated.get(_CLOSING, [None])[-1]
    if opening is None and interim and (closing is not None or len(interim) > 1):
        opening = interim[0]
    if closing is None and interim and (opening is not interim[0] or len(interim) > 1):
        closing = interim[-1]
    currencies = {currency for each in (opening, closing) if each for currency in each[1:]}
    if len(currencies) > 1:
        raise ImportRefused(
            f"the balances of the statement are in different currencies: "
            f"{', '.join(sorted(currencies))}; download it again, or in another format",
            statement.line,
        )
    return Balances(
        opening and opening[0], closing and closing[0], next(iter(currencies), None), is_own
    )


def days_of(statement: Element) -> tuple[int | None, int | None]:
    """Return the first and last day that the statement claims to cover."""
    begin = statement.first("FrToDt/FrDtTm", "FrToDt/FrDt")
    end = statement.first("FrToDt/ToDtTm", "FrToDt/ToDt")
    if begin is None or end is None:
        return None, None
    first, last = day_of(begin), day_of(end)
    if last > first and end.name == "ToDtTm" and not time_of(end):
        # The end is the midnight after the last day.
        last -= DAY_SECONDS
    return (first, last) if first <= last else (None, None)


def totals_of(statement: Element) -> Iterator[StatedTotal]:
    """Yield the numbers and sums of entries that a whole statement states in ``TxsSummry``."""
    pages = next((each for each in statement.children if each.name.endswith("Pgntn")), None)
    if pages and (pages.text_of("PgNb") != "1" or not is_true(pages.first("LastPgInd"))):
        return
    for name, ways in _SUMMARIES.items():
        for total in statement.all("TxsSummry", name):
            text = total.text_of("NbOfNtries") or ""
            number = int(text) if _NUMBER.fullmatch(text) else None
            for path in ("Sum", *_NET):
                units = _units_of(total.text_of(path))
                if number is not None or units is not None:
                    yield StatedTotal(ways, number, units, total.line)


def _units_of(text: str | None) -> int | None:
    try:
        return None if text is None else abs(to_units(parse_decimal(text)))
    except NumberError:
        return None


def _add(totals: Totals, entry: Element) -> None:
    way, amount = sign_of(entry.first("CdtDbtInd")), amount_or_none(entry.first("Amt"))
    if way is not None and amount is not None:
        is_reversal = is_true(entry.first("RvslInd"))
        is_booked = status_of(entry) == BOOKED
        parts = len(entry.parts) or 1
        totals.add(way, amount[0], parts=parts, booked=is_booked, reversal=is_reversal)


class CamtImporter:
    """Reads the messages of one file, which are all of one kind.

    source: the kind of message: camt.052, camt.053 or camt.054.
    """

    def __init__(self, source: str) -> None:
        self.source = source

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "CamtImporter":
        """Return the importer for a file; ``stream`` is at its start. Raises ImportRefused."""
        text = opening_text(stream.read(HEAD_BYTES))
        stream.seek(0)
        if element := _ELEMENT.search(text):
            return cls(_MESSAGES[element[1]])
        if namespace := _NAMESPACE.search(text):
            return cls(namespace[1])
        raise ImportRefused("the file is not a camt.052, camt.053 or camt.054 file")

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        # Reports of a day repeat the entries of earlier reports; notifications repeat nothing.
        sections = Sections(repeat=self.source != _NOTIFICATIONS)
        section = message = None
        reversals: list[Entry] = []
        for found in entries_in(stream, transaction_of):
            if section is None:
                account = self._account_of(found)
                opening = balances_of(found.statement).opening
                section, is_new = sections.begin(account, opening)
                totals = Totals()
                if self.source == _NOTIFICATIONS:
                    message = str(found.statement.line)
                if is_new:
                    yield section.statement, None
            if found.entry is None:
                for entry in _directed(reversals, section, balances_of(found.statement)):
                    section.take(entry)
                    yield section.statement, entry._replace(message=message)
                reversals.clear()
                totals.check(totals_of(found.statement))
                _end(section, found)
                section = None
                continue
            _add(totals, found.entry)
            if (status := status_of(found.entry)) != BOOKED:
                section.statement.skipped[NOT_BOOKED[status]] += 1
            else:
                assert account.currency is not None
                entries = entries_of(found.entry, account.currency, section.number)
                if is_true(found.entry.first("RvslInd")) and len(reversals) < _MOST_REVERSALS:
                    # The balances may show which way they go.
                    reversals += entries
                    continue
                for entry in entries:
                    section.take(entry)
                    yield section.statement, entry._replace(message=message)
        if sections.is_empty:
            raise ImportRefused(
                f"the {self.source} file contains no statement: download another period"
            )

    def _account_of(self, found: Found) -> StatementAccount:
        """Return the account of a statement. Raises ImportRefused.

        found: the statement with its first entry, or without one if it has no entries.
        """
        statement = found.statement
        if STATEMENTS[statement.name] != self.source:
            raise statement.refused(f"does not belong in a {self.source} file")
        currency = balances_of(statement).currency
        if currency is None and found.entry is not None:
            currency = signed_amount_of(found.entry)[1]
        account = account_of(statement, currency)
        if currency not in (None, account.currency):
            raise statement.refused(
                f"is for an account in {account.currency}, but its amounts are in {currency}"
            )
        return account


def _directed(reversals: list[Entry], section: Section, balances: Balances) -> list[Entry]:
    """Return the reversals of a statement, turned round if its balances fit only then: some banks
    state the direction of what is reversed.
    """
    total = sum(entry.amount for entry in reversals)
    if balances.opening is None or balances.closing is None or len(reversals) >= _MOST_REVERSALS:
        return reversals
    if not total or balances.closing.amount - balances.opening.amount != section.total - total:
        return reversals
    which = counted(len(reversals), "reversal")
    section.statement.remarks.append(
        f"turned round {which}, whose direction is that of what is reversed: the balances show it"
    )
    return [entry._replace(amount=-entry.amount) for entry in reversals]


def _end(section: Section, found: Found) -> None:
    statement = found.statement
    balances = balances_of(statement)
    codes = [each.text_of(*_CODES, "Tp/CdOrPrtry/Prtry") or "Bal" for each in statement.all("Bal")]
    section.end(
        balances.opening,
        balances.closing,
        days=days_of(statement),
        as_of=moment_of(statement.first("CreDtTm") or found.message.first("GrpHdr/CreDtTm")),
        line=statement.line,
        others=codes,
    )
    if not balances.is_own:
        section.statement.opening = section.statement.closing = None
        section.statement.name_unused(codes)


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
