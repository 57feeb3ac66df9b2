"""What is read of a book of GnuCash, whether it is XML or SQLite."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import MAXYEAR, date, datetime, timedelta
from fractions import Fraction
from typing import IO, NamedTuple

import orjson

from finance_api.importers.books.double_entry.model import (
    Account,
    Kind,
    Leg,
    Transaction,
    imbalance,
)
from finance_api.importers.books.reading import Remarks
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CODES, decimals_of
from finance_api.resources.records import VOID

BUSINESS = "customers, suppliers, invoices and other business objects, not imported"
DAMAGED = "the book is damaged or cut short: open it in GnuCash, and save it again"
_CURRENCIES = ("CURRENCY", "ISO4217")
#: GnuCash's types of accounts of money.
_ACCOUNT_TYPES = {
    "BANK": "CurrentAccount",
    "CHECKING": "CurrentAccount",
    "SAVINGS": "SavingAccount",
    "MONEYMRKT": "SavingAccount",
    "CASH": "Cash",
    "CREDIT": "CreditCard",
    "CREDITLINE": "Overdraft",
    "LIABILITY": "Loan",
    "STOCK": "Investment",
    "MUTUAL": "Investment",
    "ASSET": "General",
    "CURRENCY": "General",
    "RECEIVABLE": "General",
    "PAYABLE": "General",
}
_KINDS = {"INCOME": Kind.INCOME, "EXPENSE": Kind.EXPENSE, "EQUITY": Kind.EQUITY}
_TRADING = "TRADING"
#: States of splits. Those of void transactions have none of their own.
_STATES = {"n": "uncleared", "c": "cleared", "y": "reconciled", "f": "reconciled", "v": None}
#: The features that a book of version 4.13 can need. Newer ones may change what is read.
_FEATURES = {
    "Credit Notes",
    "Number Field Source",
    "Extra data in addresses, jobs or invoice entries",
    "Use a Book-Currency",
    "Account GUID based Bayesian data",
    "Account GUID based bayesian with flat KVP",
    "ISO-8601 formatted date strings in SQLite3 databases.",
    "Register sort and filter settings stored in .gcm file",
    "Use natural signs in budget amounts",
    "Show extra account columns in the Budget View",
    "Use a dedicated opening balance account identified by an 'equity-type' slot",
}
NATURAL_SIGNS = "Use natural signs in budget amounts"
_NUMBER = re.compile(r"(-?[0-9]{1,19})(?:/([1-9][0-9]{0,18}))?")
#: The times of day that GnuCash gives to days.
_TIMES_OF_DAYS = ("00:00", "10:59", "11:00")
#: Slots with links to documents.
_LINKS = {"assoc_uri", "doclink"}


class Recurrence(NamedTuple):
    """kind: such as ``month``. mult: how many of them are between two days."""

    kind: str
    mult: int
    start: date
    weekend: str


class Budget(NamedTuple):
    """amounts: by account and number of the period."""

    id: str
    name: str
    periods: int
    recurrence: Recurrence
    amounts: dict[tuple[str, int], Fraction]


class Schedule(NamedTuple):
    """is_over: whether it is switched off or done. times: how often it is done; 0: no limit."""

    id: str
    name: str
    is_over: bool
    start: date
    end: date | None
    times: int
    recurrences: list[Recurrence]
    template_account: str


class Rate(NamedTuple):
    """A price of a currency, as the book has it. value: of one unit of base in currency.

    source: where the price is from, such as ``user:price-editor`` or ``Finance::Quote``.
    """

    base: str
    currency: str
    time: str
    source: str
    value: str


class TemplateSplit(NamedTuple):
    """A split of a schedule. credit, debit: what leaves the account, and what gets into it, as
    numbers or formulas.
    """

    account: str
    description: str
    memo: str
    credit: str
    debit: str


@dataclass
class Book:
    """file: takes the transactions, of which there may be many. accounts, commodities: by the ids
    of accounts; see `commodity_code`. trading: the accounts that only balance currencies. places:
    how many decimals the accounts of each currency show. templates: by the template account of a
    schedule. has_swapped_numbers: whether the number of a transaction is the action of its splits.
    """

    file: IO[bytes]
    remarks: Remarks = field(default_factory=Remarks)
    id: str = ""
    accounts: dict[str, Account] = field(default_factory=dict)
    commodities: dict[str, str] = field(default_factory=dict)
    trading: set[str] = field(default_factory=set)
    places: dict[str, int] = field(default_factory=dict)
    budgets: list[Budget] = field(default_factory=list)
    schedules: list[Schedule] = field(default_factory=list)
    templates: dict[str, list[TemplateSplit]] = field(default_factory=dict)
    rates: list[Rate] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    default_budget: str | None = None
    has_swapped_numbers: bool = False
    #: What orders the transactions, and where each is in the file.
    _places: list[tuple[str, int]] = field(default_factory=list)

    def add_account(
        self,
        account_id: str,
        name: str,
        kind: str,
        commodity: str,
        scu: int,
        parent: str | None,
        *,
        is_hidden: bool,
        is_placeholder: bool,
    ) -> None:
        """kind: GnuCash's type. scu: how many of the smallest amounts are one. parent: None at the
        top. Raises ImportRefused for an unknown type.
        """
        if kind not in (*_ACCOUNT_TYPES, *_KINDS, _TRADING):
            raise ImportRefused(
                f"the account {quoted(name)} is of the type {quoted(kind)}, which is not known: "
                "finance-api needs an update to read it"
            )
        self.commodities[account_id] = commodity
        is_money, is_trading = commodity in CODES, kind == _TRADING
        if is_money:
            shown = self.places.get(commodity, decimals_of(commodity))
            self.places[commodity] = max(shown, len(str(scu)) - 1)
        if is_trading:
            self.trading.add(account_id)
        self.accounts[account_id] = Account(
            account_id,
            name or "-",
            parent,
            _KINDS.get(kind, Kind.MONEY),
            commodity if is_money else None,
            _ACCOUNT_TYPES.get(kind, "General"),
            is_hidden,
            is_placeholder or is_trading,
        )

    def set_options(self, slots: Mapping[str, str]) -> None:
        """slots: of the book, by their whole names."""
        for name, value in slots.items():
            if name.startswith("features/"):
                self.features.add(name.partition("/")[2])
            elif name == "default-budget":
                self.default_budget = value
            elif name.endswith("/Use Split Action Field for Number"):
                self.has_swapped_numbers = value.startswith("t")

    def add_transaction(
        self,
        guid: str,
        currency: str,
        num: str,
        posted: str,
        entered: str,
        description: str,
        slots: Mapping[str, str],
        splits: list[tuple[str, ...]],
    ) -> None:
        """Add a transaction, unless it closes the books. posted, entered: times. splits: id,
        account, memo, action, state, value (in the transaction's currency), and quantity (in the
        account's commodity).

        Raises ImportRefused.
        """
        remarks, own_day = self.remarks, slots.get("date-posted")
        when = day(own_day) if own_day else self._day_of(posted)
        remarks.count("links to documents, not imported", not _LINKS.isdisjoint(slots))
        remarks.count(
            "void transactions, which count nothing here either",
            any(split[4] == "v" for split in splits),
        )
        if slots.get("book_closing", "0") != "0":
            remarks.count("transactions that close the books, not imported")
            return
        self._places.append((f"{when} {entered} {guid}", self.file.tell()))
        row = (guid, str(when), currency, num, description, slots.get("notes", ""), sorted(splits))
        self.file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def transactions(self) -> Iterator[Transaction]:
        """Yield the transactions, ordered by day, as they were entered. Raises ImportRefused."""
        for _, place in sorted(self._places):
            self.file.seek(place)
            guid, day, currency, number, description, notes, splits = orjson.loads(
                self.file.readline()
            )
            if self.has_swapped_numbers:
                number = next((split[3] for split in splits if split[3]), number)
            title = f"the transaction {quoted(description or guid)} of {day}"
            legs = (self._leg(currency, title, *split) for split in splits)
            transaction = Transaction(
                date.fromisoformat(day),
                [leg for leg in legs if leg is not None],
                description or None,
                notes or None,
                VOID if any(split[4] == "v" for split in splits) else None,
                number or None,
            )
            if rest := imbalance(transaction.legs):
                shown = ", ".join(f"{float(amount):g} {code}" for code, amount in rest.items())
                raise ImportRefused(
                    f"{title} does not balance by {shown}: choose Check & Repair All in GnuCash's "
                    "menu Actions"
                )
            yield transaction

    def _leg(
        self,
        currency: str,
        title: str,
        guid: str,
        account: str,
        memo: str,
        action: str,
        state: str,
        value: str,
        quantity: str,
    ) -> Leg | None:
        """Return the leg of a split; None for one that only balances currencies, and for an empty
        one of a security, which marks what a dividend is for.
        """
        units, commodity = number(quantity), self.commodities.get(account)
        leg = Leg(guid, account, units, commodity or "", number(value), currency, memo or None)
        is_mark = commodity is not None and commodity not in CODES
        if account in self.trading or (is_mark and not leg.value and not units):
            return None
        if commodity is None or state not in _STATES:
            fault = "an account that the book lacks" if commodity is None else "an unknown state"
            raise ImportRefused(f"{title} has {fault}: {DAMAGED}")
        return leg._replace(state=_STATES[state])

    def _day_of(self, posted: str) -> date:
        time = moment(posted)
        self.remarks.count(
            "transactions of an old book whose day follows from a time of day",
            f"{time:%H:%M}" not in _TIMES_OF_DAYS,
        )
        # Older books have the user's midnight, some of them in UTC: the nearest midnight counts.
        return (time + timedelta(hours=12)).date()

    def add_template(
        self, account: str, description: str, memo: str, slots: Mapping[str, str]
    ) -> None:
        """Add a part of a schedule. account: its template account. slots: by their whole names."""
        amounts = []
        for side in ("credit", "debit"):
            numeric = slots.get(f"sched-xaction/{side}-numeric", "")
            # A formula with variables has the number 0.
            is_formula = numeric.startswith("0/") or not numeric
            formula = slots.get(f"sched-xaction/{side}-formula", "")
            amounts.append(formula if is_formula else numeric)
        own = slots.get("sched-xaction/account", "")
        templates = self.templates.setdefault(account, [])
        templates.append(TemplateSplit(own, description, memo, *amounts))

    def add_budget(
        self,
        guid: str,
        name: str,
        periods: int,
        recurrences: list[Recurrence],
        amounts: Iterable[tuple[str, int, str]],
    ) -> None:
        """amounts: account, number of the period, and amount. Raises ImportRefused."""
        if not recurrences:
            raise ImportRefused(DAMAGED)
        known = {(at, period): number(text) for at, period, text in amounts if at in self.accounts}
        self.budgets.append(Budget(guid, name, periods, recurrences[0], known))

    def add_schedule(
        self,
        guid: str,
        name: str,
        is_on: bool,
        start: str,
        end: str,
        times: int,
        rest: int,
        template: str,
        recurrences: list[Recurrence],
    ) -> None:
        """rest: how often it is still to be done, of a number of times. Raises ImportRefused."""
        is_over, last = not is_on or (times > 0 and not rest), day(end) if end else None
        self.schedules.append(
            Schedule(guid, name, is_over, day(start), last, times, recurrences, template)
        )

    def add_price(self, base: str, currency: str, time: str, source: str, value: str) -> None:
        if base not in CODES or currency not in CODES:
            self.remarks.count("prices of securities, not imported")
        elif base != currency:
            self.remarks.count(
                "exchange rates in the book, which only the command 'rates import' imports"
            )
            self.rates.append(Rate(base, currency, time, source, value))

    def check(self) -> None:
        """Raises ImportRefused for a book that cannot be read right."""
        if unknown := sorted(self.features - _FEATURES):
            raise ImportRefused(
                f"the book needs something that is newer than GnuCash 4.13, {quoted(unknown[0])}: "
                "finance-api needs an update to read it"
            )
        if not self.id or not self.accounts:
            raise ImportRefused("the book has no accounts; there is nothing to import")
        for account in self.accounts.values():
            above, steps = account.parent, 0
            while above is not None:
                if above not in self.accounts or steps > len(self.accounts):
                    fault = "is below itself" if above in self.accounts else "lacks its parent"
                    raise ImportRefused(f"the account {quoted(account.name)} {fault}: {DAMAGED}")
                above, steps = self.accounts[above].parent, steps + 1


def commodity_code(space: str, name: str, account: str | None = None) -> str:
    """Return the code of a currency; of a security, a text that is not the code of a currency.

    account: the name of an account that is kept in it. Raises ImportRefused.
    """
    if space not in _CURRENCIES:
        return f"{space}:{name}" if name in CODES else name
    if name not in CODES and account is not None:
        raise ImportRefused(
            f"the account {quoted(account)} is kept in {quoted(name)}, which is not a currency of "
            "ISO 4217"
        )
    return name


def number(text: str) -> Fraction:
    """Return a number such as ``1250/100``. Raises ImportRefused."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ImportRefused(f"{quoted(text)} is not a number: {DAMAGED}")
    return Fraction(int(match[1]), int(match[2] or 1))


def with_former(split: Iterable[str], slots: Mapping[str, str]) -> tuple[str, ...]:
    """Return a split; a void one has its amounts in slots."""
    *head, value, quantity = split
    if head[4] == "v":
        value = slots.get("void-former-value", value)
        quantity = slots.get("void-former-amount", quantity)
    return (*head, value, quantity)


def moment(text: str) -> datetime:
    """Return a time such as ``2026-01-01 00:00:00 +0100``, or before version 3.0
    ``20260101000000``, as it is written. Raises ImportRefused.
    """
    try:
        time = datetime.fromisoformat(f"{text[:8]}T{text[8:]}" if text.isdigit() else text[:19])
    except ValueError:
        time = datetime.max
    if time.year == MAXYEAR:
        raise ImportRefused(f"{quoted(text)} is not a date: {DAMAGED}")
    return time


def day(text: str) -> date:
    """Return a day such as 2026-01-31 or 20260131. Raises ImportRefused."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ImportRefused(f"{quoted(text)} is not a date: {DAMAGED}") from None
