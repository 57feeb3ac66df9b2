"""Expected payments: standing orders, and recurring payments without a standing order."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from statistics import median_low
from typing import NamedTuple

from finance_api.planning.intervals import on_working_day
from finance_api.planning.recurrence import next_due, schedule_of
from finance_api.planning.recurring.orders import (
    Orders,
    is_cancelled,
    own_orders,
    paid_payees,
    payees_of,
)
from finance_api.planning.recurring.reading import ignored_payments
from finance_api.planning.recurring.series import Payment, Recurring, find_recurring, payee_key
from finance_api.planning.upcoming import MAX_DUE_DAYS, TooManyDueDays
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: A payment that is more than this many days late is no longer expected.
_LATE_DAYS = 31
#: A record within this many days of a due day, with nearly the same amount, is that payment.
NEAR_DAYS = 4
_NEAREST = sorted(range(-NEAR_DAYS, NEAR_DAYS + 1), key=abs)
_ALIKE = 0.06
#: Due days of this many days before today can be what a record near today paid.
_PAID_LATE_DAYS = 2 * NEAR_DAYS
#: Records of this many days before today are needed to tell which due days they paid.
SEEN_DAYS = _PAID_LATE_DAYS + NEAR_DAYS
#: A standing order that names somebody who was paid within this many days is for that payee.
_RECENT_DAYS = 62
#: The payee of transfers, and of records that name nobody.
_TRANSFER, _NOBODY = "transfer", ""


@dataclass(frozen=True, eq=False)
class Cause:
    """Why movements are expected: a standing order, a recurring payment, or both.

    is_transfer: whether they are transfers between the user's accounts.
    """

    order: Row | None = None
    recurring: Recurring | None = None
    is_transfer: bool = False


class Movement(NamedTuple):
    """Money that an account receives or, if negative, pays. cause: None for stored records."""

    account_id: str
    day: int
    amount: int
    cause: Cause | None = None


@dataclass(frozen=True)
class History:
    """The data that expectations are made from.

    payments: records up to today that are not void. Outgoing transfers name the other account.
    arrivals: the incoming payments of transfers, by the id of the outgoing record.
    near: records from SEEN_DAYS before today on, including future records, with their own payees.
    accounts: the user's accounts. orders: the standing orders. transfers: the ids of records that
    are part of a transfer.
    """

    today: int
    payments: Sequence[Payment]
    arrivals: Mapping[str, Payment] = field(default_factory=dict)
    near: Sequence[Payment] = ()
    orders: Sequence[Row] = ()
    accounts: Sequence[Row] = ()
    transfers: Collection[str] = frozenset()


@dataclass(frozen=True)
class Expectation:
    """movements: payments expected from today on; late payments are expected today.

    rest: past payments that do not recur. left_out: the standing orders that have no account or no
    amount.
    """

    movements: list[Movement]
    rest: list[Payment]
    left_out: list[Row]


class _Unpaid:
    """Expected payments without a stored record. Each record pays only once."""

    def __init__(self, history: History, series: Mapping[str, Recurring]) -> None:
        """series: the recurring payment of each record that belongs to one."""
        self.movements: list[Movement] = []
        self._today, self._series = history.today, series
        self._used: set[str] = set()
        #: Pairs of amount and record id, sorted, by account, day and payee. None: any payee.
        self._records: defaultdict[tuple[str, int, str | None], list[tuple[int, str]]]
        self._records = defaultdict(list)
        for record in in_time(history.near):
            named = payee_key(record.payee)
            payees = {None, named}
            if record.record_id in history.transfers:
                payees = {None, _TRANSFER, named or _TRANSFER}
            for payee in payees:
                key = record.account_id, record.day // DAY_SECONDS, payee
                self._records[key].append((record.amount, record.record_id))
        for records in in_time(self._records.values()):
            records.sort()

    def add(
        self, due: list[Movement], payees: Collection[str | None], own: Recurring | None
    ) -> None:
        """Add the movements from today on that have no record; the nearest days pair first.

        due: also of earlier days, to tell which records paid those. payees: whose records count;
        None: anybody's. own: the recurring payment whose records count besides single ones; None:
        those of any recurring payment to the payees.
        """
        for days in _NEAREST:
            due = [
                movement
                for movement in in_time(due)
                if not any(self._use(movement, days, payee, own) for payee in payees)
            ]
        self.movements += [movement for movement in due if movement.day >= self._today]
        if len(self.movements) > MAX_DUE_DAYS:
            raise TooManyDueDays(f"there are more than {MAX_DUE_DAYS:,} payments until then")

    def _use(self, expected: Movement, days: int, payee: str | None, own: Recurring | None) -> bool:
        """Whether there is a record of the payee, this many days later, that is not used yet."""
        key = expected.account_id, expected.day // DAY_SECONDS + days, payee
        if key not in self._records:
            return False
        records, reach = self._records[key], int(_ALIKE * abs(expected.amount))
        first = bisect_left(records, (expected.amount - reach, ""))
        for number in in_time(range(first, len(records))):
            amount, record_id = records[number]
            if amount > expected.amount + reach:
                return False
            is_own = self._series.get(record_id, own) is own or (own is None and payee is not None)
            if record_id not in self._used and is_own:
                self._used.add(record_id)
                return True
        return False


class _DueDays:
    """The days on which payments are expected, until ``last``. Equal rules are searched once."""

    def __init__(self, today: int, last: int) -> None:
        self._today, self._last = today, last
        self._between = cache(_days)

    def without_order(self, found: Recurring) -> Sequence[int]:
        if found.status is not Status.ACTIVE:
            return ()
        rule = found.repetition.rule
        return self._between(rule, found.due, found.due, self._today, self._last, found.moved)

    def of_order(self, order: Row, found: Recurring | None) -> Sequence[int]:
        """Return the expected days, after those that late records may pay."""
        begin, moved = self._today, 0
        if found is not None:
            moved = found.moved
            if found.status is not Status.ENDED:
                begin = found.last + (found.interval.tolerance + 1) * DAY_SECONDS
        rule, start = order["recurrenceRule"], order["startDate"]
        early = self._today - _PAID_LATE_DAYS * DAY_SECONDS
        end = min(begin, self._today) - DAY_SECONDS
        past = self._between(rule, start, early, early, end, moved)
        return past + self._between(rule, start, begin, self._today, self._last, moved)


def _days(
    rule: str | None, start: int | None, begin: int, today: int, last: int, moved: int
) -> tuple[int, ...]:
    """Return the days of the rule from ``begin`` until ``last``; late days become today."""
    schedule = schedule_of(rule, start, max(begin, today - _LATE_DAYS * DAY_SECONDS))
    if schedule is None:
        return ()
    # A day that is moved to a Friday can be up to two days after the last one.
    days = (on_working_day(due, moved) for due in schedule.days(last + 3 * DAY_SECONDS))
    return tuple(max(day, today) for day in takewhile(lambda day: day <= last, days))


def expect(history: History, last: int) -> Expectation:
    """Return the movements expected until ``last``. Raises TooManyDueDays."""
    recent = history.today - _RECENT_DAYS * DAY_SECONDS
    recurring = find_recurring(history.payments)
    ignored = ignored_payments(recurring, history.accounts)
    recurring = [each for each in recurring if each not in ignored]
    paid = paid_payees(payment for payment in history.payments if payment.day >= recent)
    paid |= paid_payees(found for found in recurring if found.status is Status.ACTIVE)
    paired = own_orders(recurring, history.orders, paid, history.today)
    return expect_of(history, paired, paid, last)


def expect_of(
    history: History,
    paired: Mapping[Recurring, Row | None],
    paid: Collection[tuple[str | None, str]],
    last: int,
) -> Expectation:
    """Return what is expected of these recurring payments, each with its standing order, and of all
    other standing orders. paid: see `paid_payees`. Raises TooManyDueDays.
    """
    today = history.today
    live = [
        order
        for order in in_time(history.orders)
        if next_due(order["recurrenceRule"], order["startDate"], today) is not None
    ]
    series = {record_id: found for found in paired for record_id in found.record_ids}
    for record_id in series.keys() & history.arrivals.keys():
        series[history.arrivals[record_id].record_id] = series[record_id]
    unpaid, due_days = _Unpaid(history, series), _DueDays(today, last)
    orders = Orders(live, paid)
    live_ids = {order["id"] for order in live}
    transfers: dict[str, Recurring] = {}
    for found, own in paired.items():
        check_time()
        order = own if own is not None and own["id"] in live_ids else None
        payees = {_NOBODY, payee_key(found.payee)}
        if order is None:
            is_over = is_cancelled(found, own, today)
            days = [] if is_over else due_days.without_order(found)
            amount = found.amount
        else:
            payees |= payees_of(order)
            amount = found.amount if order["amount"] is None else order["amount"]
            days = due_days.of_order(order, found)
        cause = Cause(order, found, found.record_ids[-1] in history.transfers)
        unpaid.add([Movement(found.account_id, day, amount, cause) for day in days], payees, found)
        arrival, other_order = _arrival(history, found, orders)
        if other_order is not None:
            transfers[other_order["id"]] = found
        if arrival is not None:
            due = [arrival._replace(day=day) for day in days]
            unpaid.add(due, {_NOBODY, _TRANSFER}, found)
    done = {order["id"] for order in paired.values() if order is not None}
    others = [order for order in live if order["id"] not in done]
    complete = [o for o in others if o["accountId"] is not None and o["amount"] is not None]
    _add_orders(unpaid, complete, transfers, paid, due_days)
    left_out = [o for o in others if o["accountId"] is None or o["amount"] is None]
    rest = [payment for payment in history.payments if payment.record_id not in series]
    return Expectation(unpaid.movements, rest, left_out)


def _add_orders(
    unpaid: _Unpaid,
    orders: Sequence[Row],
    transfers: Mapping[str, Recurring],
    paid: Collection[tuple[str | None, str]],
    due_days: _DueDays,
) -> None:
    """Add standing orders without recurring payments on their account.

    transfers: the outgoing payments of those that receive transfers, by order id.
    """
    of_anybody = []
    for order in orders:
        check_time()
        transfer = transfers.get(order["id"])
        cause = Cause(order, is_transfer=transfer is not None)
        days = due_days.of_order(order, None)
        due = [Movement(order["accountId"], day, order["amount"], cause) for day in days]
        payees = payees_of(order)
        if transfer is not None:
            unpaid.add(due, {_NOBODY, _TRANSFER, *payees}, transfer)
        elif any((order["accountId"], payee) in paid for payee in payees):
            unpaid.add(due, {_NOBODY, *payees}, None)
        else:
            of_anybody.append(due)
    # These take the records that nothing else explains.
    for due in of_anybody:
        unpaid.add(due, {None}, None)


def _arrival(
    history: History, found: Recurring, orders: Orders
) -> tuple[Movement | None, Row | None]:
    """Return the movement on the other account of a transfer, or that account's standing order.

    Neither if the payment is not a transfer.
    """
    arrivals = [
        history.arrivals[record_id]
        for record_id in found.record_ids
        if record_id in history.arrivals
    ]
    if not arrivals:
        return None, None
    account_id, amount = arrivals[-1].account_id, median_low(each.amount for each in arrivals[-3:])
    mirrored = found._replace(
        account_id=account_id,
        currency=arrivals[-1].currency,
        amount=amount,
        least=amount,
        most=amount,
    )
    order = orders.find(mirrored)
    if order is not None:
        return None, order
    cause = Cause(recurring=mirrored, is_transfer=True)
    return Movement(account_id, found.next, amount, cause), None
