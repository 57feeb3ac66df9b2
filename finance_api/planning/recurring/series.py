"""Finds payments that recur: rent, salaries, subscriptions, bills.

Payments recur if they have the same account, payee and direction, most of them are due at an even
interval, and their amounts are alike. Days may shift by weekends, amounts may vary or rise, and a
payment may be missing now and then.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from finance_api.planning import intervals
from finance_api.planning.repetition import Repetition
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

#: Read the payments of this many days before the newest: enough for three yearly payments.
WINDOW_DAYS = 800
#: Share of the payments that must be due, and of the due days that must have a payment.
_DUE, _PAID = 0.8, 0.7
#: Amounts of one payee that differ by more than this share belong to different payments.
STEP = 0.06
#: How late a payment may be, as a share of the interval, before it is overdue.
_GRACE = 0.25
#: A series among other payments of a payee needs this many: two can be a coincidence.
_LEAST_OF_PART = 3
#: A payee with more payments is a shop or a ticket machine, where no series stands out.
MOST_OF_PAYEE = WINDOW_DAYS // 2
#: Amounts that differ by at most this share are the same price.
_SAME = 0.01
#: An interval in days is preferred to one in months only if it fits better by this many days.
_UNUSUAL = 0.5
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
        if len(group) <= MOST_OF_PAYEE:
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
        if part and abs(payment.amount) > abs(part[-1].amount) * (1 + STEP):
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
    most = STEP * 2 if len(due) == 2 else intervals.ALIKE if len(due) == 3 else interval.most_spread
    return len(due) >= _PAID * spanned and spread <= most


def _spread(amounts: list[int]) -> float:
    """Return how far apart most amounts are, as a share of the usual amount."""
    ordered = sorted(amounts)
    aside = len(ordered) // 10
    return (ordered[-1 - aside] - ordered[aside]) / median(ordered)


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


def fits(found: Recurring, amount: int, alike: float) -> bool:
    """Whether an amount is near the usual one, or between the smallest and the largest."""
    if amount * found.amount < 0:
        return False
    is_near = abs(amount - found.amount) <= alike * abs(found.amount)
    return is_near or abs(found.least) <= abs(amount) <= abs(found.most)
