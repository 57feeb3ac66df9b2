"""Payments that were made although their standing order had ended."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from finance_api.planning.counted import NO_TRANSFERS
from finance_api.planning.recurring.orders import ended_on, last_paid_by, payees_of
from finance_api.planning.recurring.reading import PAYMENT_FIELDS, payment_of
from finance_api.planning.recurring.series import STEP, Payment, Recurring, fits, payee_key
from finance_api.query.model import any_of, condition_on, dated, either
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, Period, start_of

#: How many days late a payment may be if nothing is known of its series.
_TOLERANCE = 4


class ChargedAgain(NamedTuple):
    """ended: the last day of the standing order. day: that of its newest payment, maybe to come."""

    order: Row
    payee: str
    ended: int
    day: int


class _Order(NamedTuple):
    """A standing order with the recurring payment that belongs to it, if one was found.

    ended: its last day; None if it goes on.
    """

    row: Row
    found: Recurring | None
    ended: int | None

    @property
    def payees(self) -> set[str]:
        return payees_of(self.row) | ({payee_key(self.found.payee)} if self.found else set())

    def has(self, payment: Payment) -> bool:
        """Whether account, currency and amount of a payment are those of the order."""
        is_near = True
        if (amount := self.row["amount"]) is not None:
            is_near = abs(payment.amount - amount) <= STEP * abs(amount)
        is_own = all(
            self.row[name] in (None, value)
            for name, value in (
                ("accountId", payment.account_id),
                ("currencyCode", payment.currency),
            )
        )
        return is_own and (
            is_near or (self.found is not None and fits(self.found, payment.amount, STEP))
        )

    def is_over(self, day: int) -> bool:
        """Whether the order had ended on a day, and the day is not only a late one."""
        late = _TOLERANCE if self.found is None else self.found.interval.tolerance
        return self.ended is not None and day > last_paid_by(self.row, self.ended, late)


def charged_again(
    storage: Storage,
    user_id: int,
    orders: Sequence[Row],
    own: Mapping[Recurring, Row | None],
    today: int,
) -> list[ChargedAgain]:
    """Return the standing orders that have ended and whose payments go on, however far ahead the
    payments are dated.

    own: the recurring payments with their standing orders, as from `own_orders`.
    """
    series = {order["id"]: found for found, order in own.items() if order is not None}
    known = [_Order(row, series.get(row["id"]), ended_on(row, today)) for row in in_time(orders)]
    over = [(order, order.ended) for order in known if order.ended is not None]
    if not over:
        return []
    by_payee: defaultdict[str, list[_Order]] = defaultdict(list)
    for order in known:
        for payee in order.payees:
            by_payee[payee].append(order)
    wanted = set().union(*(order.payees for order, _ in over))
    payments: defaultdict[str, list[Payment]] = defaultdict(list)
    for payee, payment in _payments(storage, user_id, wanted, min(day for _, day in over)):
        payments[payee].append(payment)
    again = []
    for order, ended in over:
        later = [
            payment
            for payee in order.payees
            for payment in in_time(payments[payee])
            if order.is_over(payment.day) and order.has(payment)
            # Another order of the payee may have taken its place.
            if all(o.is_over(payment.day) for o in in_time(by_payee[payee]) if o.has(payment))
        ]
        if later:
            newest = max(later, key=lambda payment: payment.day)
            again.append(ChargedAgain(order.row, newest.payee, ended, newest.day))
    return again


def _payments(
    storage: Storage, user_id: int, payees: Collection[str], after: int
) -> Iterator[tuple[str, Payment]]:
    """Yield the payments to these payees after a day, each with its payee and, if it was renamed,
    also with the payee of its file.

    payees: as from `payee_key`.
    """
    end, data = MAX_SECONDS + 1, storage.data
    # Whole months, because sums of months are stored.
    months = [NO_TRANSFERS, dated(start_of(Period.MONTH, after), end)]
    is_renamed = condition_on(RECORDS, "originalPayee", Operator.NOT_NULL)
    named = {(name, name) for (name,) in data.sum_by(user_id, ["payee"], months) if name}
    named |= set(data.sum_by(user_id, ["payee", "originalPayee"], [*months, is_renamed]))
    names = {name for name, text in in_time(named) if name and payee_key(text) in payees}
    nobody = condition_on(RECORDS, "payee", Operator.IS_NULL)
    to_them = either(RECORDS["payee"], [any_of("payee", names), nobody])
    conditions = [NO_TRANSFERS, dated(after + DAY_SECONDS, end), to_them]
    rows = data.list_amounts(user_id, ("originalPayee", *PAYMENT_FIELDS), conditions)
    for original, *row in in_time(rows):
        payment = payment_of(row)
        yield from ((key, payment) for key in {payee_key(payment.payee), payee_key(original or "")})
