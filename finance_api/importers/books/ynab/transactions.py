"""Transactions of YNAB."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from finance_api.importers.books.single_entry import Entry
from finance_api.importers.books.ynab.names import Names, flags
from finance_api.importers.books.ynab.plan import Plan, Transaction
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.text import amount_text, message, shown

_OPENING = "Starting Balance"
_STATES = ("cleared", "uncleared", "reconciled", None)


def entries(plan: Plan, names: Names) -> list[Entry]:
    """Return the transactions. Raises ImportRefused."""
    parts: defaultdict[str | None, list[Transaction]] = defaultdict(list)
    for part in plan.subtransactions:
        parts[part.transaction_id].append(part)
    found = []
    for whole in plan.transactions:
        entry = _entry(whole, names)
        if own := parts.get(whole.id):
            entry = entry._replace(parts=[_entry(_with_whole(part, whole), names) for part in own])
        found.append(entry)
    return found


def _with_whole(part: Transaction, whole: Transaction) -> Transaction:
    """Return a part, which has what it lacks from the whole."""
    return part._replace(
        date=whole.date,
        account_id=whole.account_id,
        payee_id=part.payee_id or whole.payee_id,
        memo=part.memo or whole.memo,
        cleared=whole.cleared,
        flag_color=whole.flag_color,
        flag_name=whole.flag_name,
    )


def _entry(row: Transaction, names: Names) -> Entry:
    if row.account_id not in names.accounts:
        raise ImportRefused(
            f"the transaction {quoted(row.id)} is on the account {quoted(row.account_id)}, which "
            "the file lacks: ask YNAB's API for the whole plan"
        )
    if row.cleared not in _STATES:
        raise ImportRefused(
            f"the transaction {quoted(row.id)} has the state {quoted(str(row.cleared))}, which is "
            "not known"
        )
    payee, is_transfer = names.payee(row), row.transfer_account_id is not None
    return Entry(
        row.id,
        row.account_id,
        row.date,
        row.amount,
        payee,
        row.memo,
        row.cleared,
        row.category_id,
        flags(row),
        row.transfer_transaction_id if is_transfer else None,
        row.transfer_account_id,
        is_opening=payee == _OPENING,
    )


def other_activity(plan: Plan, names: Names, transactions: list[Entry]) -> Iterator[str]:
    """Yield the categories and months whose activity in YNAB is not what transactions add up to.

    The activity of categories that YNAB makes itself has other rules.
    """
    sums: Counter[tuple[str, str | None]] = Counter()
    for whole in transactions:
        if not names.accounts[whole.account].is_off_budget:
            for entry in whole.counted:
                sums[entry.day[:7], entry.category] += entry.amount
    for month in plan.months:
        for each in month.categories:
            category, found = names.categories.get(each.id), sums[month.month[:7], each.id]
            if category and not category.is_own and not each.deleted and found != each.activity:
                amounts = f"{amount_text(each.activity * 10)} there, {amount_text(found * 10)} here"
                yield message(f"{shown(category.name)} in {month.month[:7]}: {amounts}")
