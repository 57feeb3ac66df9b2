"""Turns a book of GnuCash into objects of the native format."""

from collections.abc import Generator, Iterator
from datetime import date
from typing import BinaryIO

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.double_entry.model import (
    Account,
    Kind,
    Leg,
    Transaction,
    imbalance,
)
from finance_api.importers.books.gnucash import book as gnucash
from finance_api.importers.books.gnucash.container import gnucash_book
from finance_api.importers.books.gnucash.plans import Plans
from finance_api.importers.books.reading import BookIds, BookReader, Document
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CODES, decimals_of
from finance_api.resources.records import VOID

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
#: Splits of these accounts only balance currencies.
_TRADING = "TRADING"
_STATES = {"n": "uncleared", "c": "cleared", "y": "reconciled", "f": "reconciled", "v": VOID}


class GnucashReader(BookReader):
    program = "GnuCash"

    def read(self, stream: BinaryIO) -> Generator[Document]:
        with gnucash_book(stream) as book:
            self.remarks = book.remarks
            accounts = _accounts(book)
            places = _places(book)
            ledger = DoubleEntry(
                BookIds(f"gnucash:{book.id}"),
                accounts,
                lambda: _transactions(book),
                self.remarks,
                lambda code: places.get(code, decimals_of(code)),
            )
            yield from ledger.documents()
            plans = Plans(book, accounts, ledger.names, self.remarks)
            yield from plans.budgets()
            yield from plans.standing_orders()
            self.balances = ledger.balances()


def _accounts(book: gnucash.Book) -> dict[str, Account]:
    """Raises ImportRefused for an account of an unknown type."""
    parents = {account.parent for account in book.accounts.values()}
    accounts = {}
    for each in book.accounts.values():
        if each.kind not in (*_ACCOUNT_TYPES, *_KINDS, _TRADING):
            raise ImportRefused(
                f"the account {quoted(each.name)} is of the type {quoted(each.kind)}, which is not "
                "known: finance-api needs an update to read it"
            )
        accounts[each.id] = Account(
            each.id,
            each.name or "-",
            each.parent,
            _KINDS.get(each.kind, Kind.MONEY),
            each.commodity if each.commodity in CODES else None,
            _ACCOUNT_TYPES.get(each.kind, "General"),
            each.hidden,
            is_group=each.placeholder or each.id in parents or each.kind == _TRADING,
        )
    return accounts


def _places(book: gnucash.Book) -> dict[str, int]:
    """Return how many decimals accounts of each currency show."""
    places: dict[str, int] = {}
    for account in book.accounts.values():
        shown = len(str(account.scu)) - 1
        code = account.commodity
        places[code] = max(places.get(code, decimals_of(code)), shown) if code in CODES else 0
    return places


def _transactions(book: gnucash.Book) -> Iterator[Transaction]:
    """Yield the transactions except those that close the books. Raises ImportRefused."""
    for each in book.transactions:
        if each.is_closing:
            continue
        is_void = any(split.state == "v" for split in each.splits)
        number = each.number
        if book.has_swapped_numbers:
            number = next((split.action for split in each.splits if split.action), number)
        transaction = Transaction(
            date.fromisoformat(each.day),
            [_leg(book, each, split) for split in each.splits if _is_leg(book, split)],
            each.description or None,
            each.notes or None,
            VOID if is_void else None,
            number or None,
        )
        if rest := imbalance(transaction.legs):
            shown = ", ".join(f"{float(amount):g} {code}" for code, amount in rest.items())
            raise ImportRefused(
                f"the transaction {quoted(each.description or each.id)} of {each.day} does not "
                f"balance by {shown}: choose Check & Repair All in GnuCash's menu Actions"
            )
        yield transaction


def _is_leg(book: gnucash.Book, split: gnucash.Split) -> bool:
    """Return whether a split has anything to say: those of trading accounts only balance
    currencies, and empty ones of securities mark what a dividend is for.
    """
    account = book.accounts.get(split.account)
    if account is None:
        return True
    is_mark = account.commodity not in CODES and not split.value and not split.quantity
    return account.kind != _TRADING and not is_mark


def _leg(book: gnucash.Book, transaction: gnucash.Transaction, split: gnucash.Split) -> Leg:
    account = book.accounts.get(split.account)
    state = _STATES.get(split.state)
    if account is None or state is None:
        fault = "an account that the book lacks" if account is None else "an unknown state"
        raise ImportRefused(
            f"the transaction {quoted(transaction.description or transaction.id)} of "
            f"{transaction.day} has {fault}: {gnucash.DAMAGED}"
        )
    return Leg(
        split.id,
        split.account,
        split.quantity,
        account.commodity,
        split.value,
        transaction.currency,
        split.memo or None,
        state=None if state == VOID else state,
    )
