"""The recurring payments in a user's records, without those that the user ignores."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from finance_api.planning.counted import NO_TRANSFERS
from finance_api.planning.recurring.series import (
    MOST_OF_PAYEE,
    STEP,
    WINDOW_DAYS,
    Payment,
    Recurring,
    find_recurring,
    fits,
    payee_key,
)
from finance_api.query.model import Condition, condition_on, dated
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS, Period, end_of, start_of

#: The query excludes at most this many such payees.
_MOST_LEFT_OUT = 100
PAYMENT_FIELDS = ("id", "accountId", "currencyCode", "payee", "note", "categoryId", "recordDate")


def list_recurring(
    storage: Storage,
    user_id: int,
    accounts: Iterable[Row],
    today: int,
    conditions: Sequence[Condition] = (),
    *,
    with_ignored: bool = False,
) -> list[Recurring]:
    """Return the recurring payments in a user's records, the largest first.

    accounts: the user's accounts. conditions: filters on the records to read. with_ignored: whether
    to include those of `ignored_payments`.
    """
    accounts = list(accounts)
    span = recurring_span(accounts, today)
    if span is None:
        return []
    read = [*conditions, NO_TRANSFERS, dated(span[0], span[1] + DAY_SECONDS)]
    shops = _frequent(storage, user_id, [*conditions, NO_TRANSFERS], span)
    read += [condition_on(RECORDS, "payee", Operator.NE_OR_NULL, payee) for payee in shops]
    found = storage.data.list_amounts(user_id, PAYMENT_FIELDS, read)
    newest = {row["id"]: min(row["lastRecordDate"] or MIN_SECONDS, span[1]) for row in accounts}
    recurring = find_recurring((payment_of(row) for row in in_time(found)), newest)
    ignored = {} if with_ignored else ignored_payments(recurring, accounts)
    return [each for each in recurring if each not in ignored]


def _frequent(
    storage: Storage, user_id: int, conditions: Sequence[Condition], span: tuple[int, int]
) -> list[str]:
    """Return payees with too many payments for a series, so that the query can exclude them.

    Count in whole months, because sums of months are stored.
    """
    months = dated(start_of(Period.MONTH, span[0]), end_of(Period.MONTH, span[1]))
    sums = storage.data.sum_by(user_id, ["payee"], [*conditions, months])
    found = [
        (sums[payee,].number, payee)
        for (payee,) in sums
        if payee and sums[payee,].number > MOST_OF_PAYEE
    ]
    return sorted(payee for _, payee in sorted(found)[-_MOST_LEFT_OUT:])


def recurring_span(accounts: Iterable[Row], today: int) -> tuple[int, int] | None:
    """Return the first and the last day to read; None if there are no records."""
    days = [row["lastRecordDate"] for row in accounts if row["lastRecordDate"] is not None]
    if not days:
        return None
    newest = start_of(Period.DAY, min(max(days), today))
    return max(MIN_SECONDS, newest - WINDOW_DAYS * DAY_SECONDS), newest


def payment_of(row: Sequence[Any]) -> Payment:
    """Return a payment. row: the values of PAYMENT_FIELDS, then the amount."""
    return Payment(row[0], row[1], row[2], row[3] or row[4] or "", *row[5:])


def ignored_item(found: Recurring) -> str:
    """Return the item of an account's ``ignoredPayments`` that makes a payment ignored."""
    return f"{found.amount} {found.currency} {_in_item(found.payee)}"


def _in_item(payee: str) -> str:
    return " ".join(payee_key(payee).split())


def renamed_items(items: Iterable[str], renamed: Mapping[str, str]) -> tuple[str, ...]:
    """Return items of ``ignoredPayments``, together with those for the new names of their payees.

    renamed: the new payees by the old ones. Other payments can still have the old ones.
    """
    payees = {_in_item(old): _in_item(new) for old, new in renamed.items()}
    all_items = dict.fromkeys(items)
    for amount, code, payee in (item.split(" ", 2) for item in items if item.count(" ") > 1):
        if payee in payees:
            all_items[f"{amount} {code} {payees[payee]}"] = None
    return tuple(all_items)


def ignored_payments(found: Iterable[Recurring], accounts: Iterable[Row]) -> dict[Recurring, str]:
    """Return the payments to leave out, each with the item of its account that says so.

    The payee is the same, and the amount near or between the smallest and the largest.
    """
    amounts: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for account in accounts:
        for item in account["ignoredPayments"]:
            amount, _, payee = item.partition(" ")
            # A native file can have any text.
            with suppress(ValueError):
                amounts[account["id"], payee].append(int(amount))
    ignored = {}
    for each in in_time(found if amounts else ()):
        _, _, payee = ignored_item(each).partition(" ")
        for amount in amounts.get((each.account_id, payee), ()):
            if fits(each, amount, STEP):
                ignored[each] = f"{amount} {payee}"
    return ignored
