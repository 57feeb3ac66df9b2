"""Expected payments: standing orders, and recurring payments without a standing order."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import NamedTuple

from finance_api.planning.intervals import on_working_day
from finance_api.planning.recurrence import next_due, schedule_of
from finance_api.planning.recurring import Orders, Payment, Recurring, find_recurring
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
    near: records from NEAR_DAYS before today on, including future records.
    orders: the standing orders. transfers: the ids of records that are part of a transfer.
    """

    today: int
    payments: Sequence[Payment]
    arrivals: Mapping[str, Payment] = field(default_factory=dict)
    near: Sequence[Movement] = ()
    orders: Sequence[Row] = ()
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


class _Stored:
    """Finds the stored record of an expected payment. Each record is found only once."""

    def __init__(self, near: Sequence[Movement]) -> None:
        #: The amounts on each day, sorted, by account and day.
        self._amounts: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for account_id, second, amount, _ in near:
            self._amounts[account_id, second // DAY_SECONDS].append(amount)
        for amounts in in_time(self._amounts.values()):
            amounts.sort()

    def has(self, expected: Movement) -> bool:
        """Whether there is such a record: the one of the nearest day is found."""
        least = expected.amount - int(_ALIKE * abs(expected.amount))
        for days in _NEAREST:
            amounts = self._amounts.get((expected.account_id, expected.day // DAY_SECONDS + days))
            if amounts:
                at = bisect_left(amounts, least)
                if at < len(amounts) and amounts[at] - expected.amount <= expected.amount - least:
                    del amounts[at]
                    return True
        return False


def expect(history: History, last: int) -> Expectation:
    """Return the movements expected until ``last``. Raises TooManyDueDays."""
    today = history.today
    live = [
        order
        for order in in_time(history.orders)
        if next_due(order["recurrenceRule"], order["startDate"], today) is not None
    ]
    orders = Orders(live)
    paired = [(found, orders.find(found)) for found in in_time(find_recurring(history.payments))]
    movements: list[Movement] = []
    stored = _Stored(history.near)
    done: set[str] = set()
    transfer_orders: set[str] = set()
    for found, order in paired:
        check_time()
        if order is None:
            amount, days = found.amount, _days_without_order(found, today, last)
        elif order["id"] in done:
            continue
        else:
            done.add(order["id"])
            amount = found.amount if order["amount"] is None else order["amount"]
            days = _days_of_order(order, found, today, last)
        cause = Cause(order, found, found.record_ids[-1] in history.transfers)
        arrival, other_order = _arrival(history, found, orders)
        if other_order is not None:
            transfer_orders.add(other_order["id"])
        for day in days:
            _add(movements, Movement(found.account_id, day, amount, cause), stored)
            if arrival is not None:
                _add(movements, arrival._replace(day=day), stored)
    left_out = []
    for order in live:
        check_time()
        if order["id"] in done:
            continue
        if order["accountId"] is None or order["amount"] is None:
            left_out.append(order)
            continue
        cause = Cause(order, is_transfer=order["id"] in transfer_orders)
        for day in _days(order["recurrenceRule"], order["startDate"], today, today, last):
            _add(movements, Movement(order["accountId"], day, order["amount"], cause), stored)
    return Expectation(movements, _rest(history, [found for found, _ in paired]), left_out)


def _add(movements: list[Movement], movement: Movement, stored: _Stored) -> None:
    if stored.has(movement):
        return
    if len(movements) >= MAX_DUE_DAYS:
        raise TooManyDueDays(f"there are more than {MAX_DUE_DAYS:,} payments until then")
    movements.append(movement)


def _days_without_order(found: Recurring, today: int, last: int) -> Iterator[int]:
    if found.status is not Status.ACTIVE:
        return iter(())
    return _days(found.repetition.rule, found.due, found.due, today, last, found.moved)


def _days_of_order(order: Row, found: Recurring, today: int, last: int) -> Iterator[int]:
    begin = today
    if found.status is not Status.ENDED:
        begin = found.last + (found.interval.tolerance + 1) * DAY_SECONDS
    return _days(order["recurrenceRule"], order["startDate"], begin, today, last, found.moved)


def _days(
    rule: str | None, start: int | None, begin: int, today: int, last: int, moved: int = 0
) -> Iterator[int]:
    """Yield the days of the rule from ``begin`` until ``last``; late days become today."""
    schedule = schedule_of(rule, start, max(begin, today - _LATE_DAYS * DAY_SECONDS))
    if schedule is None:
        return
    # A day that is moved to a Friday can be up to two days after the last one.
    for day in (on_working_day(due, moved) for due in schedule.days(last + 3 * DAY_SECONDS)):
        if day > last:
            return
        yield max(day, today)


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
    mirrored = found._replace(account_id=account_id, amount=amount, least=amount, most=amount)
    order = orders.find(mirrored)
    if order is not None:
        return None, order
    return Movement(account_id, found.next, amount, Cause(is_transfer=True)), None


def _rest(history: History, found: Sequence[Recurring]) -> list[Payment]:
    recurring = {record_id for each in found for record_id in each.record_ids}
    recurring |= {history.arrivals[each].record_id for each in recurring & history.arrivals.keys()}
    return [payment for payment in history.payments if payment.record_id not in recurring]
