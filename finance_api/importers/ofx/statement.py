"""The statements of a file."""

from collections import Counter
from collections.abc import Iterator

from finance_api.importers.interface import Entry, Statement, StatementAccount
from finance_api.importers.ofx.account import account_of
from finance_api.importers.ofx.balance import ledger_balance_of
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.identity import Identities
from finance_api.importers.ofx.investment import Securities, count_holdings, movement_of
from finance_api.importers.ofx.transaction import Transaction, transaction_of
from finance_api.importers.ofx.tree import (
    INVESTMENT_TRANSACTIONS,
    STATEMENTS,
    TRANSACTIONS,
)

#: What stands directly in a statement, and tells one that has lost its own tag.
_STATEMENT_PARTS = frozenset({"BANKTRANLIST", "INVTRANLIST", "STMTTRN"})
#: What stands only in a transaction.
_TRANSACTION_PARTS = frozenset({"TRNAMT", "INVTRAN"})


def statement_elements(file: Element) -> Iterator[Element]:
    """The elements that are statements, wherever in the file they stand."""
    pending = [file]
    while pending:
        element = pending.pop()
        if element.name in STATEMENTS:
            yield element
        elif any(child.name in _STATEMENT_PARTS for child in element.children):
            inner = element.first(*STATEMENTS)
            if inner:
                raise inner.refused("stands beside transactions that are in no statement")
            yield element
        else:
            pending.extend(reversed(element.children))


def statement_of(
    element: Element, currency: str | None, securities: Securities, identities: Identities
) -> Statement:
    """The statement in one element of the file; ``currency`` is for one without CURDEF."""
    account = account_of(element, currency)
    skipped: Counter[str] = Counter()
    transactions = _transactions(element, account, securities, skipped)
    entries = tuple(_entries(transactions, account.key, identities, skipped))
    count_holdings(element, skipped)
    invested = account.account_type == "Investment"
    return Statement(
        account=account,
        entries=entries,
        balance=None if invested else ledger_balance_of(element),
        skipped=dict(skipped),
    )


def _transactions(
    statement: Element, account: StatementAccount, securities: Securities, skipped: Counter[str]
) -> Iterator[Transaction]:
    on_card = account.account_type == "CreditCard"
    # An INVBANKTRAN only wraps a STMTTRN.
    for element in statement.descendants(closed=TRANSACTIONS - {"INVBANKTRAN"}):
        name = element.name
        if name == "STMTTRN":
            yield transaction_of(element, account.currency, on_card=on_card)
        elif name == "STMTTRNP":
            skipped["pending transaction"] += 1
        elif name in _TRANSACTION_PARTS:
            raise element.refused("stands outside of a transaction")
        elif name in INVESTMENT_TRANSACTIONS and name != "INVBANKTRAN":
            movement = movement_of(element, account.currency, securities, skipped)
            if movement:
                yield movement


def _entries(
    transactions: Iterator[Transaction],
    key: str | None,
    identities: Identities,
    skipped: Counter[str],
) -> Iterator[Entry]:
    for transaction in transactions:
        content = (transaction.date, transaction.amount, transaction.payee, transaction.note)
        source_id = identities.source_id(key, transaction.fitid, content)
        if source_id is None:
            skipped["duplicate"] += 1
            continue
        yield Entry(
            line=transaction.line,
            date=transaction.date,
            amount=transaction.amount,
            source_id=source_id,
            payee=transaction.payee,
            note=transaction.note,
            payment_type=transaction.payment_type,
        )
