"""Which standing order each recurring payment belongs to, and which of them have ended."""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from finance_api.planning import intervals
from finance_api.planning.recurrence import last_day, next_due, schedule_of
from finance_api.planning.recurring.series import STEP, Payment, Recurring, fits, payee_key
from finance_api.planning.repetition import split_rule, until_of
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS

_Pair = tuple[Recurring, Row | None]


def own_orders(
    found: Sequence[Recurring],
    orders: Sequence[Row],
    paid: Collection[tuple[str | None, str]],
    today: int,
) -> dict[Recurring, Row | None]:
    """Return the standing order of each recurring payment. An order belongs to one payment only.

    An order without dates from ``today`` on counts only if no other fits; the one that ended last
    comes first. paid: see `paid_payees`.
    """
    live: list[Row] = []
    over: list[Row] = []
    for order in in_time(orders):
        due = next_due(order["recurrenceRule"], order["startDate"], today)
        (over if due is None else live).append(order)
    over.sort(key=lambda order: ended_on(order, today) or MIN_SECONDS, reverse=True)
    pairs = dict(_paired(found, live, paid, today, intervals.ALIKE))
    others = [each for each, order in pairs.items() if order is None]
    # Amounts have to be nearer: a payment to the same payee may be another one that goes on.
    return pairs | dict(_paired(others, over, paid, today, STEP))


class Orders:
    """Finds the standing order of a recurring payment: the first one that fits.

    An order fits a payment with the same payee. If it names nobody who was paid, it also fits a
    payment with the same amount and due day.
    """

    def __init__(
        self,
        orders: Sequence[Row],
        paid: Collection[tuple[str | None, str]],
        alike: float = intervals.ALIKE,
    ) -> None:
        """paid: see `paid_payees`. alike: how far the amounts of one payee may be apart, as a
        share."""
        self._orders, self._alike = orders, alike
        self._taken: set[str] = set()
        #: By account and payee: the numbers of orders, in their order.
        self._by_payee: defaultdict[tuple[str | None, str], list[int]] = defaultdict(list)
        #: The numbers of orders that are alike, by the first one's.
        self._equal: defaultdict[int, deque[int]] = defaultdict(deque)
        first: dict[tuple[str | None, int, str | None, int | None], int] = {}
        for number, order in enumerate(in_time(orders)):
            account_id, amount = order["accountId"], order["amount"]
            payees = payees_of(order)
            for payee in payees:
                self._by_payee[account_id, payee].append(number)
            if amount is not None and not any((account_id, payee) in paid for payee in payees):
                days = order["recurrenceRule"], order["startDate"]
                one = first.setdefault((account_id, amount, *days), number)
                self._equal[one].append(number)
        #: By account: pairs of amount and number, sorted, of the first of orders that are alike.
        self._by_amount: defaultdict[str | None, list[tuple[int, int]]] = defaultdict(list)
        for (account_id, amount, *_), number in first.items():
            self._by_amount[account_id].append((amount, number))
        for amounts in self._by_amount.values():
            amounts.sort()
        self._next_due = cache(next_due)
        self._due_near = cache(self._find_due_near)
        #: By account, amount, day and tolerance: the orders of nearly that amount that are due
        #: near the day, from the first one on that is not taken.
        self._near: dict[tuple[str | None, int, int, int], deque[int]] = {}

    def take(self, order: Row | None) -> Row | None:
        """Take an order, if there is one: no other payment finds it from now on."""
        if order is not None:
            self._taken.add(order["id"])
        return order

    def is_taken(self, order: Row) -> bool:
        return order["id"] in self._taken

    def find(self, payment: Recurring) -> Row | None:
        key, shift = payee_key(payment.payee), payment.interval.tolerance * DAY_SECONDS
        numbers = []
        for account_id in (None, payment.account_id):
            named = self._by_payee.get((account_id, key), ())
            free = (n for n in in_time(named) if not self.is_taken(self._orders[n]))
            alike = (number for number in free if self._is_alike(payment, number))
            numbers += [
                next(alike, None),
                self._due(account_id, payment.amount, payment.next, shift),
            ]
        number = min((each for each in numbers if each is not None), default=None)
        return None if number is None else self._orders[number]

    def _is_alike(self, payment: Recurring, number: int) -> bool:
        """Whether the amount of an order of the same payee fits."""
        amount: int | None = self._orders[number]["amount"]
        return amount is None or fits(payment, amount, self._alike)

    def _due(self, account_id: str | None, amount: int, day: int, shift: int) -> int | None:
        """Return the first free order of nearly this amount that is due near the day."""
        wanted = account_id, amount, day, shift
        if wanted not in self._near:
            orders, reach = self._due_near(account_id, day, shift), int(STEP * abs(amount))
            begin = bisect_left(orders, (amount - reach,))
            end = bisect_left(orders, (amount + reach + 1,))
            self._near[wanted] = deque(sorted(number for _, number in orders[begin:end]))
        near = self._near[wanted]
        while near:
            check_time()
            equal = self._equal[near[0]]
            while equal and self.is_taken(self._orders[equal[0]]):
                equal.popleft()
            if equal:
                return equal[0]
            near.popleft()
        return None

    def _find_due_near(self, account_id: str | None, day: int, shift: int) -> list[tuple[int, int]]:
        """Return pairs of amount and number, sorted, of the first of equal orders."""
        found = []
        for amount, number in in_time(self._by_amount[account_id]):
            order = self._orders[number]
            due = self._next_due(order["recurrenceRule"], order["startDate"], day - shift)
            if due is not None and due <= day + shift:
                found.append((amount, number))
        return found


def payees_of(order: Row) -> set[str]:
    """Return the payee and the name of a standing order, as keys."""
    return {payee_key(order[name] or "") for name in ("name", "payee")} - {""}


def paid_payees(payments: Iterable[Payment | Recurring]) -> set[tuple[str | None, str]]:
    """Return pairs of account and payee; for orders without an account, also of None and payee."""
    return {
        (account_id, payee_key(payment.payee))
        for payment in in_time(payments)
        for account_id in (None, payment.account_id)
    }


def _paired(
    payments: Sequence[Recurring],
    orders: Sequence[Row],
    paid: Collection[tuple[str | None, str]],
    today: int,
    alike: float,
) -> list[_Pair]:
    """Return the recurring payments, each with an order of its own or none.

    paid, alike: see `Orders`.
    """
    index = Orders(orders, paid, alike)
    wanted = [(each, index.find(each)) for each in in_time(payments)]
    pairs: list[_Pair] = []
    others = []
    for found, order in sorted(wanted, key=lambda pair: _misfit(pair, today)):
        if order is not None and index.is_taken(order):
            others.append(found)
        else:
            pairs.append((found, index.take(order)))
    pairs += [(found, index.take(index.find(found))) for found in in_time(others)]
    return pairs


def _misfit(pair: _Pair, today: int) -> tuple[bool, int, int]:
    """Return what decides which of several payments has the order: the smallest."""
    found, order = pair
    if order is None:
        return False, 0, 0
    amount = found.amount if order["amount"] is None else order["amount"]
    last = ended_on(order, today)
    if last is not None:
        return False, abs(found.amount - amount), abs(found.last - last)
    early = found.next - found.interval.tolerance * DAY_SECONDS
    due = next_due(order["recurrenceRule"], order["startDate"], early) or early
    return found.status is not Status.ACTIVE, abs(found.amount - amount), abs(found.next - due)


def ended_on(order: Row | None, today: int) -> int | None:
    """Return the last day of a standing order that recurred and has no more dates from ``today``
    on; None for others."""
    if order is None or order["recurrenceRule"] is None:
        return None
    rule, start = order["recurrenceRule"], order["startDate"]
    schedule = schedule_of(rule, start, MIN_SECONDS)
    if schedule is None or next_due(rule, start, today) is not None:
        return None
    until = until_of(split_rule(rule)[1].get("UNTIL", ""))
    return last_day(schedule, today) if until is None else until


def last_paid_by(order: Row, ended: int, late: int) -> int:
    """Return the last day on which a payment may belong to a standing order that has ended.

    ended: its last day. late: how many days a payment may come after the last due day.
    """
    schedule = schedule_of(order["recurrenceRule"], order["startDate"], MIN_SECONDS)
    due = None if schedule is None else last_day(schedule, ended + DAY_SECONDS)
    return ended if due is None else max(ended, due + late * DAY_SECONDS)


def is_charged_again(found: Recurring, order: Row | None, today: int) -> bool:
    """Whether a payment was made that comes too late for its standing order, which has ended."""
    last = ended_on(order, today)
    if order is None or last is None:
        return False
    return found.last > last_paid_by(order, last, found.interval.tolerance)


def is_cancelled(found: Recurring, order: Row | None, today: int) -> bool:
    """Whether the standing order of a payment has ended, and the payment was not made again."""
    return ended_on(order, today) is not None and not is_charged_again(found, order, today)


def yearly_totals(paired: Mapping[Recurring, Row | None], today: int) -> list[Row]:
    """Return the yearly sums of payments that have not ended, by currency.

    paired: each payment with its standing order, as from `own_orders`. A payment has also ended if
    its standing order has no dates after ``today``, unless it is charged again.
    """
    totals: defaultdict[str, dict[str, Any]] = defaultdict(
        lambda: {"count": 0, "yearlyIncome": 0, "yearlyExpense": 0}
    )
    for each, order in paired.items():
        is_over = each.status is Status.ENDED or is_cancelled(each, order, today + DAY_SECONDS)
        if not is_over:
            total = totals[each.currency]
            total["count"] += 1
            total["yearlyIncome" if each.amount > 0 else "yearlyExpense"] += each.yearly
    return [{"currencyCode": currency, **totals[currency]} for currency in sorted(totals)]
