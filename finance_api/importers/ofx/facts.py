"""What a statement says of itself: the days that it covers, its age, and its last balance."""

from finance_api.importers.interface import BankBalance, Statement
from finance_api.importers.ofx.amount import amount_of
from finance_api.importers.ofx.calendar_date import date_or_none_of, moment_of
from finance_api.importers.ofx.element import Element


def tell_facts(element: Element, statement: Statement) -> None:
    """Fills in what the statement in ``element`` says of itself."""
    lists = [e for e in element.descendants() if e.name in ("BANKTRANLIST", "INVTRANLIST")]
    begin = end = None
    # Of several lists it is not known what lies between them.
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
