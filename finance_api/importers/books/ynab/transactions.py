"""Transactions of YNAB."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from finance_api.importers.books.single_entry import Entry
from finance_api.importers.books.ynab.names import Names, flags
from finance_api.importers.books.ynab.plan import Part, Plan, Transaction
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.text import amount_text, message, shown

_OPENING = "Starting Balance"
_STATES = ("cleared", "uncleared", "reconciled", None)


def entries(plan: Plan, names: Names) -> list[Entry]:
    """Return the transactions. Raises ImportRefused."""
    wholes = {whole.id: whole for whole in plan.transactions}
    parts: defaultdict[str, list[Entry]] = defaultdict(list)
    for part in plan.subtransactions:
        whole = wholes.get(part.transaction_id)
        if whole is not None:
            parts[whole.id].append(_entry(_as_transaction(whole, part), names))
    return [_entry(whole, names)._replace(parts=parts.get(whole.id)) for whole in plan.transactions]


def _as_transaction(whole: Transaction, part: Part) -> Transaction:
    """Return a part, which has what it lacks from the whole."""
    return whole._replace(
        id=part.id,
        amount=part.amount,
        payee_id=part.payee_id or whole.payee_id,
        category_id=part.category_id,
        memo=part.memo or whole.memo,
        transfer_account_id=part.transfer_account_id,
        transfer_transaction_id=part.transfer_transaction_id,
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
