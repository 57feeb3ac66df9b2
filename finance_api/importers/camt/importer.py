"""Reads camt files: the statements with their accounts and balances, and their entries."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.camt.entry import (
    BOOKED,
    NOT_BOOKED,
    Element,
    amount_of,
    amount_or_none,
    day_of,
    entries_of,
    is_true,
    moment_of,
    number_of,
    sign_of,
    signed_amount_of,
    status_of,
    time_of,
)
from finance_api.importers.camt.markup import STATEMENTS, Found, entries_in
from finance_api.importers.decoding import opening_text
from finance_api.importers.interface import (
    HEAD_BYTES,
    BankBalance,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    StatementAccount,
    joined_key,
    nothing_remembered,
)
from finance_api.importers.sections import Section, Sections, StatedTotal, Totals
from finance_api.resources.currencies import CODES, current_code
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import counted, is_iban
from finance_api.values.time import DAY_SECONDS

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


#: Totals in a statement's summary -> the ways of their entries.
_SUMMARIES = {"TtlNtries": (1, -1), "TtlCdtNtries": (1,), "TtlDbtNtries": (-1,)}
_NUMBER = re.compile(r"[0-9]{1,9}")
#: The net sum in ``TtlNtries``.
_NET = "TtlNetNtry/Amt", "TtlNetNtryAmt"


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


#: At most about this many reversals of a statement wait for its balances.
_MOST_REVERSALS = 1_000


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

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        # Reports of a day repeat the entries of earlier reports; notifications repeat nothing.
        sections = Sections(repeat=self.source != _NOTIFICATIONS)
        section = message = None
        reversals: list[Entry] = []
        for found in entries_in(stream):
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
