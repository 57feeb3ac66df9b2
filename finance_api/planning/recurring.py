"""Finds payments that recur: rent, salaries, subscriptions, bills.

Payments recur if they have the same account, payee and direction, most of them are due at an even
interval, and their amounts are alike. Days may shift by weekends, amounts may vary or rise, and a
payment may be missing now and then.
"""

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from finance_api.planning import intervals
from finance_api.planning.counted import NO_TRANSFERS
from finance_api.planning.recurrence import last_day, next_due, schedule_of
from finance_api.planning.repetition import Repetition, split_rule, until_of
from finance_api.query.model import Condition, condition_on, dated
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS, Period, end_of, start_of

#: Read the payments of this many days before the newest: enough for three yearly payments.
WINDOW_DAYS = 800
#: Share of the payments that must be due, and of the due days that must have a payment.
_DUE, _PAID = 0.8, 0.7
#: Amounts of one payee that differ by more than this share belong to different payments.
_STEP = 0.06
#: How late a payment may be, as a share of the interval, before it is overdue.
_GRACE = 0.25
#: A series among other payments of a payee needs this many: two can be a coincidence.
_LEAST_OF_PART = 3
#: A payee with more payments is a shop or a ticket machine, where no series stands out.
_MOST_OF_PAYEE = WINDOW_DAYS // 2
#: The query excludes at most this many such payees.
_MOST_LEFT_OUT = 100
#: Amounts that differ by at most this share are the same price.
_SAME = 0.01
#: An interval in days is preferred to one in months only if it fits better by this many days.
_UNUSUAL = 0.5
PAYMENT_FIELDS = ("id", "accountId", "currencyCode", "payee", "note", "categoryId", "recordDate")
_WORD = re.compile(r"[^\W\d_]{2,}")


class Payment(NamedTuple):
    """amount: negative for money going out. day: the first second of its day.

    to: the account that a transfer goes to. Transfers to different accounts are separate series.
    """

    record_id: str
    account_id: str
    currency: str
    payee: str
    category_id: str | None
    day: int
    amount: int
    to: str | None = None


class Recurring(NamedTuple):
    """amount: the usual amount of the last payments. least, most: the smallest and largest amount.

    first, last: the days of the first and last payment. repetition, due: the rule of a standing
    order for these payments, and its start date. moved: 1 if payments due on a weekend move to
    Monday, -1 if to Friday, otherwise 0. next: the day on which the next payment is expected, moved
    accordingly. last_amount: the amount of the last payment. earlier_amount, changed: the price
    before the last change, and the first day of the new price; None if the price never changed.
    """

    payee: str
    account_id: str
    currency: str
    category_id: str | None
    interval: intervals.Interval
    amount: int
    least: int
    most: int
    first: int
    last: int
    next: int
    repetition: Repetition
    due: int
    moved: int
    status: Status
    record_ids: tuple[str, ...]
    last_amount: int
    earlier_amount: int | None
    changed: int | None

    @property
    def yearly(self) -> int:
        """The usual amount times the payments in a year."""
        return self.amount * self.interval.times_a_year


_Pair = tuple[Recurring, Row | None]


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
            if _fits(each, amount, _STEP):
                ignored[each] = f"{amount} {payee}"
    return ignored


def _fits(found: Recurring, amount: int, alike: float) -> bool:
    """Whether an amount is near the usual one, or between the smallest and the largest."""
    if amount * found.amount < 0:
        return False
    is_near = abs(amount - found.amount) <= alike * abs(found.amount)
    return is_near or abs(found.least) <= abs(amount) <= abs(found.most)


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


def is_charged_again(found: Recurring, order: Row | None, today: int) -> bool:
    """Whether a payment was made after the last day of its standing order."""
    last = ended_on(order, today)
    return last is not None and found.last > last + found.interval.tolerance * DAY_SECONDS


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
        if payee and sums[payee,].number > _MOST_OF_PAYEE
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


def find_recurring(
    payments: Iterable[Payment], last_days: Mapping[str, int] | None = None
) -> list[Recurring]:
    """Return the recurring payments, the largest first. Apart from sorting, the time it takes is
    proportional to the number of payments.

    last_days: the day of each account's newest record; by default, of its newest payment.
    """
    groups: defaultdict[tuple[str, str, bool, str, str | None], list[Payment]] = defaultdict(list)
    newest = dict(last_days or {})
    keys: dict[str, str] = {}
    for payment in payments:
        newest[payment.account_id] = max(newest.get(payment.account_id, payment.day), payment.day)
        if (key := keys.get(payment.payee)) is None:
            key = keys[payment.payee] = payee_key(payment.payee)
        if payment.amount and key:
            direction = payment.amount > 0
            alike = payment.account_id, payment.currency, direction, key, payment.to
            groups[alike].append(payment)
    found = []
    for group in groups.values():
        check_time()
        if len(group) <= _MOST_OF_PAYEE:
            newest_day = newest[group[0].account_id]
            found += [_recurring(*each, newest_day) for each in _series(group)]
    return sorted(found, key=lambda each: (-abs(each.amount), each.payee, each.account_id))


def payee_key(payee: str) -> str:
    """Return the payee without parts that differ between payments, such as numbers and dates."""
    folded = fold(payee)
    return " ".join(_WORD.findall(folded)) or folded.strip()


_Series = tuple[intervals.Interval, list[Payment]]


def _series(group: list[Payment]) -> Iterator[_Series]:
    """Yield the series among one payee's payments: all payments, or parts with similar amounts.

    If a part is at most half of the payments, its amounts must be equal, such as membership fees
    among purchases.
    """
    if len(group) < 2:
        return
    group.sort(key=lambda payment: (payment.day, payment.record_id))
    whole = _fit(group)
    if whole is not None:
        yield whole
        return
    parts = (part for part in _by_amount(group) if len(part) >= _LEAST_OF_PART)
    found = [
        (interval, due)
        for interval, due in filter(None, map(_fit, parts))
        if len(due) > len(group) / 2 or _spread([abs(each.amount) for each in due]) <= _SAME
    ]
    yield from _joined(sorted(found, key=lambda each: each[1][0].day))


def _by_amount(group: Collection[Payment]) -> Iterator[list[Payment]]:
    """Yield groups of payments with similar amounts, each ordered by day."""
    part: list[Payment] = []
    for payment in sorted(group, key=lambda each: abs(each.amount)):
        if part and abs(payment.amount) > abs(part[-1].amount) * (1 + _STEP):
            yield sorted(part, key=lambda each: each.day)
            part = []
        part.append(payment)
    yield sorted(part, key=lambda each: each.day)


def _joined(found: Sequence[_Series]) -> Iterator[_Series]:
    """Join series that follow one another at the same interval: the price changed."""
    joined: list[_Series] = []
    for interval, series in found:
        for at, (other, before) in enumerate(joined):
            gap = (series[0].day - before[-1].day) / DAY_SECONDS
            if interval == other and 0.5 < gap / interval.days < 1.5:
                joined[at] = (interval, before + series)
                break
        else:
            joined.append((interval, series))
    yield from joined


def _fit(payments: Sequence[Payment]) -> _Series | None:
    """Return the interval of the payments, and the due payments; None if no interval fits."""
    if len(payments) < 2:
        return None
    days = [payment.day for payment in payments]
    gaps = [(b - a) / DAY_SECONDS for a, b in pairwise(days) if b > a]
    usual = median(gaps) if gaps else 0
    found: list[tuple[float, float, _Series]] = []
    for interval in intervals.INTERVALS:
        if not 0.75 < usual / interval.days < 1.35:
            continue
        due, shift = _due(interval, payments)
        if _is_recurring(interval, due, len(payments)):
            # A few monthly payments also look like an interval of 28 or 30 days.
            unusual = 0 if interval.is_month else _UNUSUAL
            found.append((-len(due), shift + unusual, (interval, due)))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _due(interval: intervals.Interval, payments: Sequence[Payment]) -> tuple[list[Payment], float]:
    """Return the payments near due days, at most one per day, and their mean shift in days."""
    first = payments[0].day
    places = [_place(interval, first, payment.day) for payment in payments]
    middle = median([shift for _, shift in places])
    by_place: dict[int, tuple[float, Payment]] = {}
    for payment, (number, shift) in zip(payments, places, strict=True):
        late = abs(shift - middle)
        if late <= interval.tolerance and late < by_place.get(number, (late + 1,))[0]:
            by_place[number] = late, payment
    due = [payment for _, payment in by_place.values()]
    return due, sum(late for late, _ in by_place.values()) / max(len(due), 1)


@lru_cache(maxsize=65_536)
def _place(interval: intervals.Interval, first: int, day: int) -> tuple[int, float]:
    """Return the number of the due day nearest to ``day``, counted from ``first``, and how many
    days after it ``day`` is."""
    number = round((day - first) / DAY_SECONDS / interval.days)
    return number, (day - interval.after(first, number)) / DAY_SECONDS


def _is_recurring(interval: intervals.Interval, due: Sequence[Payment], number: int) -> bool:
    """Whether the due payments are a series. number: the number of all payments, due or not."""
    if len(due) < interval.least or len(due) < _DUE * number:
        return False
    spanned = 1 + _place(interval, due[0].day, due[-1].day)[0]
    spread = _spread([abs(payment.amount) for payment in due])
    # The fewer payments there are, the more alike they have to be.
    most = (
        _STEP * 2 if len(due) == 2 else intervals.ALIKE if len(due) == 3 else interval.most_spread
    )
    return len(due) >= _PAID * spanned and spread <= most


def _spread(amounts: list[int]) -> float:
    """Return how far apart most amounts are, as a share of the usual amount."""
    ordered = sorted(amounts)
    aside = len(ordered) // 10
    return (ordered[-1 - aside] - ordered[aside]) / median(ordered)


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

    def take(self, order: Row) -> None:
        """Take an order, which no other payment finds from now on."""
        self._taken.add(order["id"])

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
        return amount is None or _fits(payment, amount, self._alike)

    def _due(self, account_id: str | None, amount: int, day: int, shift: int) -> int | None:
        """Return the first free order of nearly this amount that is due near the day."""
        wanted = account_id, amount, day, shift
        if wanted not in self._near:
            orders, reach = self._due_near(account_id, day, shift), int(_STEP * abs(amount))
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
    return pairs | dict(_paired(others, over, paid, today, _STEP))


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
            continue
        pairs.append((found, order))
        if order is not None:
            index.take(order)
    for found in in_time(others):
        order = index.find(found)
        pairs.append((found, order))
        if order is not None:
            index.take(order)
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


def _change(amounts: Sequence[int]) -> tuple[int, int] | None:
    """Return the price before the last change, and how many payments have the new price.

    None if the price never changed. A price needs two payments: a single one can be an exception.
    """
    runs: list[list[int]] = []
    for amount in amounts:
        if runs and abs(amount - runs[-1][-1]) <= _SAME * abs(amount):
            runs[-1].append(amount)
        else:
            runs.append([amount])
    if len(runs) > 1 and len(runs[-1]) > 1 and len(runs[-2]) > 1:
        return runs[-2][-1], len(runs[-1])
    return None


def _recurring(interval: intervals.Interval, series: Sequence[Payment], newest: int) -> Recurring:
    last = series[-1]
    repetition, moved = intervals.rule_of_days(interval, [payment.day for payment in series])
    due = intervals.next_of_rule(interval, repetition, last.day)
    expected = intervals.on_working_day(due, moved)
    grace = int(interval.days * _GRACE + interval.tolerance) * DAY_SECONDS
    status = Status.ACTIVE
    if newest > expected + grace:
        status = Status.OVERDUE if newest <= interval.after(last.day, 2) + grace else Status.ENDED
    amounts = [payment.amount for payment in series]
    earlier_amount, number = _change(amounts) or (None, 0)
    return Recurring(
        payee=last.payee,
        account_id=last.account_id,
        currency=last.currency,
        category_id=last.category_id,
        interval=interval,
        amount=sorted(amounts[-3:])[len(amounts[-3:]) // 2],
        least=min(amounts, key=abs),
        most=max(amounts, key=abs),
        first=series[0].day,
        last=last.day,
        next=expected,
        repetition=repetition,
        due=due,
        moved=moved,
        status=status,
        record_ids=tuple(payment.record_id for payment in series),
        last_amount=amounts[-1],
        earlier_amount=earlier_amount,
        changed=series[-number].day if number else None,
    )
