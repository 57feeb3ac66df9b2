"""Turns a book of GnuCash into objects of the native format."""

from collections.abc import Generator, Iterator
from datetime import date
from typing import BinaryIO

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.double_entry.model import Leg, Transaction, imbalance
from finance_api.importers.books.gnucash import book as gnucash
from finance_api.importers.books.gnucash.container import gnucash_book
from finance_api.importers.books.gnucash.plans import Plans
from finance_api.importers.books.reading import BookIds, BookReader, Document
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.currencies import CODES, decimals_of
from finance_api.resources.records import VOID

_STATES = {"n": "uncleared", "c": "cleared", "y": "reconciled", "f": "reconciled", "v": VOID}


class GnucashReader(BookReader):
    program = "GnuCash"

    def read(self, stream: BinaryIO) -> Generator[Document]:
        with gnucash_book(stream) as book:
            self.remarks = book.remarks
            ledger = DoubleEntry(
                BookIds(f"gnucash:{book.id}"),
                book.accounts,
                lambda: _transactions(book),
                self.remarks,
                lambda code: book.places.get(code, decimals_of(code)),
            )
            yield from ledger.documents()
            plans = Plans(book, ledger.names)
            yield from plans.budgets()
            yield from plans.standing_orders()
            self.balances = ledger.balances()


def _transactions(book: gnucash.Book) -> Iterator[Transaction]:
    """Yield the transactions. Raises ImportRefused."""
    for each in book.transactions:
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
    commodity = book.commodities.get(split.account)
    is_security = commodity is not None and commodity not in CODES
    is_mark = is_security and not split.value and not split.quantity
    return split.account not in book.trading and not is_mark


def _leg(book: gnucash.Book, transaction: gnucash.Transaction, split: gnucash.Split) -> Leg:
    commodity, state = book.commodities.get(split.account), _STATES.get(split.state)
    if commodity is None or state is None:
        fault = "an account that the book lacks" if commodity is None else "an unknown state"
        raise ImportRefused(
            f"the transaction {quoted(transaction.description or transaction.id)} of "
            f"{transaction.day} has {fault}: {gnucash.DAMAGED}"
        )
    return Leg(
        split.id,
        split.account,
        split.quantity,
        commodity,
        split.value,
        transaction.currency,
        split.memo or None,
        state=None if state == VOID else state,
    )
