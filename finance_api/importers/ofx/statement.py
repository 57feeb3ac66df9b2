"""The statements of a file, and their entries."""

from collections.abc import Iterator

from finance_api.importers.interface import BankBalance, Correction, Entry, Statement
from finance_api.importers.ofx.account import account_of
from finance_api.importers.ofx.element import Element
from finance_api.importers.ofx.investment import Securities, count_holdings, investment_movement_of
from finance_api.importers.ofx.transaction import Movement, movement_of
from finance_api.importers.ofx.tree import STATEMENTS
from finance_api.importers.ofx.values import amount_of, date_or_none_of, moment_of
from finance_api.importers.texts import quoted

#: Elements directly in a statement: a sign of one that has lost its own tag.
_LISTS = frozenset({"BANKTRANLIST", "INVTRANLIST"})
#: Elements of transactions only.
_TRANSACTION_PARTS = frozenset({"TRNAMT", "INVTRAN"})

#: TRNTYPE -> payment type, where it is certain. CREDIT, DEBIT, CHECK and the like are not.
_PAYMENT_TYPES = {
    "ATM": "cash",
    "CASH": "cash",
    "POS": "debit_card",
    "XFER": "transfer",
    "DIRECTDEBIT": "transfer",
    "DIRECTDEP": "transfer",
}


def statement_elements(file: Element) -> Iterator[Element]:
    """The elements that are statements, wherever in the file they stand."""
    pending = [file]
    while pending:
        element = pending.pop()
        if element.name in STATEMENTS:
            yield element
        elif element.had_transactions or any(c.name in _LISTS for c in element.children):
            for inner in element.descendants():
                if inner.name in STATEMENTS:
                    raise inner.refused("stands beside transactions that are in no statement")
            yield element
        else:
            pending.extend(reversed(element.children))


def statements_of(elements: list[Element], currency: str | None) -> list[Statement]:
    """The statements in these elements; ``currency`` is for those without CURDEF.

    Refused: accounts of different kinds under one number; their entries would be mixed. Some banks
    give a member one number for all accounts and tell them apart by ACCTTYPE only.
    """
    statements = []
    names: dict[str, str | None] = {}
    for element in elements:
        statement = Statement(account_of(element, currency))
        _check_parts(element)
        _add_facts(element, statement)
        count_holdings(element, statement.skipped)
        account = statement.account
        # The name begins with the bank's kind of account and ends with its number.
        if account.key and names.setdefault(account.key, account.name) != account.name:
            raise element.refused(
                f"is about {quoted(account.name or '')}, and the file has "
                f"{quoted(names[account.key] or '')} under the same number"
            )
        statements.append(statement)
    return statements


def _add_facts(element: Element, statement: Statement) -> None:
    """Fills in the days that the statement covers, its age, and its last balance."""
    lists = [e for e in element.descendants() if e.name in ("BANKTRANLIST", "INVTRANLIST")]
    begin = end = None
    # Between several lists may be days that none of them covers.
    if len(lists) == 1:
        begin, end = lists[0].child("DTSTART"), lists[0].child("DTEND")
        first, last = date_or_none_of(begin), date_or_none_of(end)
        if first is None or last is None or first <= last:
            statement.first_day, statement.last_day = first, last
    balance = element.first("LEDGERBAL")
    invested = statement.account.account_type == "Investment"
    # An investment statement has a date of its own, and its cash is not its balance.
    made = element.child("DTASOF") if invested else balance and balance.child("DTASOF")
    statement.as_of = moment_of(made)
    if statement.as_of is None:
        statement.as_of = moment_of(end)
    amount = balance.child("BALAMT") if balance else None
    day = date_or_none_of(made)
    if amount and day is not None and not invested:
        statement.closing = BankBalance(amount=amount_of(amount), date=day)


def read_transaction(element: Element) -> Movement | str | None:
    """The movement that a transaction is; what it is if it is none; None for what only wraps."""
    if element.name == "STMTTRN":
        return movement_of(element)
    if element.name == "STMTTRNP":
        return "pending transaction"
    if element.name == "INVBANKTRAN":
        _check_parts(element)
        return None
    return investment_movement_of(element)


def _check_parts(element: Element) -> None:
    for part in element.descendants():
        if part.name in _TRANSACTION_PARTS:
            raise part.refused("stands outside of a transaction")


def entry_of(movement: Movement, statement: Statement, securities: Securities) -> Entry:
    """The entry that the movement is on the account of the statement. Raises ImportRefused."""
    account = statement.account
    if movement.currency:
        _check_currency(*movement.currency, account.currency)
    correction = None
    if movement.corrects and not corrects_itself(movement):
        correction = Correction(*movement.corrects)
    security = movement.security
    on_card = movement.type == "POS" and account.account_type == "CreditCard"
    return Entry(
        line=movement.line,
        date=movement.date,
        amount=movement.amount,
        bank_id=movement.bank_id,
        payee=securities.get(security) if security else movement.payee,
        note=movement.note,
        payment_type="credit_card" if on_card else _PAYMENT_TYPES.get(movement.type or ""),
        value_date=movement.value_date,
        counterparty_account=movement.counterparty_account,
        reference=movement.reference,
        fingerprint=security or "",
        correction=correction,
    )


def corrects_itself(movement: Movement) -> bool:
    """Whether the transaction names itself as the one that it corrects."""
    return movement.corrects is not None and movement.corrects[0] == movement.bank_id


def _check_currency(tag: str, text: str, line: int, currency: str | None) -> None:
    """Refuses a transaction in another currency than the account's."""
    if text.upper() != currency:
        account = (
            f"the account is in {currency}" if currency else "the file does not say the account's"
        )
        raise Element(tag, line, text).refused(
            f"is the currency of this transaction, and {account}"
        )
