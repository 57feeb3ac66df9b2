"""Predicted balances of accounts at the end of future days."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from finance_api.planning import balances
from finance_api.planning.answers import ParametersRefused
from finance_api.planning.forecast.expected import SEEN_DAYS, History, Movement, expect
from finance_api.planning.recurring.reading import PAYMENT_FIELDS, payment_of, recurring_span
from finance_api.planning.recurring.series import Payment
from finance_api.planning.upcoming import TooManyDueDays, list_orders
from finance_api.query.model import Condition, dated
from finance_api.resources import ACCOUNTS
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.text import counted
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, Period, date_text, end_of

# -- usual income and spending besides recurring payments: the middle half of past cases ----------


#: Use the payments of the last year. Less than eight weeks cannot show what is typical.
_MOST_DAYS, _LEAST_DAYS = 365, 56
#: Ranges for more days than this are extrapolated, because there are too few longer cases.
_LONGEST = 28
#: Ten-thousandths in a cent. Estimates are rounded to cents.
_CENT = 100


class Range(NamedTuple):
    """low, high: the 25th and 75th percentile of income minus spending."""

    low: int
    median: int
    high: int


_NOTHING = Range(0, 0, 0)


class Typical:
    """Typical income minus spending within a number of days."""

    def __init__(self, payments: Iterable[tuple[int, int]], last: int) -> None:
        """payments: pairs of day and amount. last: the last day with records."""
        amounts: dict[int, int] = {}
        for day, amount in payments:
            back = (last - day) // DAY_SECONDS
            if 0 <= back < _MOST_DAYS:
                amounts[back] = amounts.get(back, 0) + amount
        length = max(amounts, default=-1) + 1
        self._has_cases = length >= _LEAST_DAYS
        self._sums = list(accumulate((amounts.get(n, 0) for n in range(length)), initial=0))
        self._ranges: dict[int, Range] = {}

    def within(self, days: int) -> Range:
        """Return the range for this many days."""
        if days <= 0 or not self._has_cases:
            return _NOTHING
        if days not in self._ranges:
            self._ranges[days] = self._range(days)
        return self._ranges[days]

    def _range(self, days: int) -> Range:
        if days > _LONGEST:
            part, times = self.within(_LONGEST), days / _LONGEST
            # High and low months partly even out, so the width grows with the square root.
            median, wide = part.median * times, sqrt(times)
            low = median - (part.median - part.low) * wide
            high = median + (part.high - part.median) * wide
            return Range(_rounded(low), _rounded(median), _rounded(high))
        sums = self._sums
        cases = sorted(sums[end] - sums[end - days] for end in range(days, len(sums)))
        quarter = len(cases) // 4
        return Range(cases[quarter], cases[len(cases) // 2], cases[-1 - quarter])


def _rounded(amount: float) -> int:
    return round(amount / _CENT) * _CENT


# -- balances -------------------------------------------------------------------------------------


#: How far ahead a forecast may look.
MAX_DAYS = 731
#: If no records were imported for longer, typical spending is assumed for only this many days.
_MOST_MISSING_DAYS = 31


@dataclass(frozen=True)
class Forecast:
    """rows: the balance of each account at each point. totals: the same by currency.

    lowest: for each account, its lowest balance (or low end of a range), the first day with it, and
    the first day below the asked balance.
    left_out: number of standing orders without an account or an amount.
    """

    rows: list[Row]
    totals: list[Row]
    lowest: list[Row]
    last_day: int
    left_out: int


class _Course(NamedTuple):
    """The balances of an account, or of all accounts in a currency, at the end of each day.

    now: the balance of today, before what is expected today. known: balances after expected
    payments, for each day from today on. typical: None if only expected payments count.
    missing_days: days without records before today.
    """

    now: int
    known: list[int]
    typical: Typical | None
    missing_days: int

    def at(self, day: int) -> dict[str, int]:
        """Return the column of the balance, or the columns of its range. day: 0 for today."""
        known = self.known[day]
        if self.typical is None:
            return {"balance": known}
        usual = self.typical.within(day + self.missing_days)
        names = ("lowBalance", "medianBalance", "highBalance")
        return {name: known + part for name, part in zip(names, usual, strict=True)}

    def lowest(self, today: int, limit: int | None) -> Row:
        check_time()
        lows = {
            today + day * DAY_SECONDS: next(iter(self.at(day).values()))
            for day in range(len(self.known))
        }
        lows[today] = min(self.now, lows[today])
        date = min(lows, key=lows.__getitem__)
        below = (day for day, low in lows.items() if limit is not None and low < limit)
        return {"date": date, "balance": lows[date], "belowDate": next(below, None)}


def list_forecast(
    storage: Storage,
    user_id: int,
    interval: Period,
    last: int | None,
    conditions: Sequence[Condition],
    today: int,
    *,
    is_typical: bool,
    below: int | None = None,
) -> Forecast:
    """Return the forecast. Raises ParametersRefused.

    last: None means the end of the next month. conditions: filters on the records' account.
    is_typical: whether to include usual income and spending besides expected payments. below: the
    balance for the first day below it; None: there is no such day.
    """
    accounts = balances.accounts_of(storage, user_id, conditions)
    if last is None:
        last = end_of(Period.MONTH, end_of(Period.MONTH, today)) - DAY_SECONDS
    points = _points(interval, today, last, len(accounts))
    history, newest = read_history(storage, user_id, today)
    try:
        expected = expect(history, last)
    except TooManyDueDays as error:
        raise ParametersRefused([("to", f"{error}: ask for an earlier day")]) from None
    to_come = [
        Movement(each.account_id, each.day, each.amount)
        for each in history.near
        if each.day > today
    ]
    changes: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for movement in in_time((*to_come, *expected.movements)):
        changes[movement.account_id][(movement.day - today) // DAY_SECONDS] += movement.amount
    later: defaultdict[str, int] = defaultdict(int)
    for movement in to_come:
        later[movement.account_id] += movement.amount
    rest: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for payment in in_time(expected.rest) if is_typical else ():
        rest[payment.account_id].append((payment.day, payment.amount))
    missing = min((today - newest) // DAY_SECONDS, _MOST_MISSING_DAYS)

    def course(found: Sequence[Row]) -> _Course:
        check_time()
        now = sum(row["balance"] - later[row["id"]] for row in found)
        known = [now] + [0] * ((last - today) // DAY_SECONDS)
        for row in in_time(found):
            for day, amount in changes[row["id"]].items():
                if day < len(known):
                    known[day] += amount
        known = list(accumulate(known))
        usual = Typical((each for row in found for each in rest[row["id"]]), newest)
        return _Course(now, known, usual if is_typical else None, missing)

    courses = [(balances.about_account(row), course([row])) for row in accounts]
    by_currency: defaultdict[str, list[Row]] = defaultdict(list)
    for row in accounts:
        by_currency[row["currencyCode"]].append(row)
    totals = [({"currencyCode": code}, course(by_currency[code])) for code in sorted(by_currency)]
    return Forecast(
        _at_points(points, interval, today, courses),
        _at_points(points, interval, today, totals),
        [about | each.lowest(today, below) for about, each in courses],
        points[-1].last_day,
        len(expected.left_out),
    )


def _at_points(
    points: Sequence[balances.Point],
    interval: Period,
    today: int,
    courses: Sequence[tuple[Row, _Course]],
) -> list[Row]:
    return [
        {**point.columns(interval), **about, **course.at((point.last_day - today) // DAY_SECONDS)}
        for point in in_time(points)
        for about, course in courses
    ]


def _points(interval: Period, today: int, last: int, accounts: int) -> list[balances.Point]:
    """Return the points. Raises ParametersRefused."""
    if not today <= last <= today + MAX_DAYS * DAY_SECONDS:
        latest = date_text(today + MAX_DAYS * DAY_SECONDS)
        message = f"is not between today, {date_text(today)}, and {latest}"
        raise ParametersRefused([("to", message)])
    starts = balances.last_starts(interval, last, MAX_DAYS + 1, today)
    if len(starts) * accounts > balances.MAX_POINTS:
        message = (
            f"there would be more than {balances.MAX_POINTS:,} balances of "
            f"{counted(accounts, 'account')}; "
            "ask for fewer accounts, an earlier day or longer intervals"
        )
        raise ParametersRefused([("interval", message)])
    return balances.points_of(interval, starts, last)


def read_history(storage: Storage, user_id: int, today: int) -> tuple[History, int]:
    """Return the history, and the newest day with records, today at the latest."""
    data = storage.data
    accounts = list(data.scan_rows(user_id, ACCOUNTS))
    span = recurring_span(accounts, today)
    orders = list_orders(storage, user_id, accounts)
    if span is None:
        return History(today, (), orders=orders), today
    first, newest = span
    read = data.list_amounts(
        user_id, ("transferId", *PAYMENT_FIELDS), [dated(first, newest + DAY_SECONDS)]
    )
    found = [(row[0], payment_of(row[1:])) for row in in_time(read)]
    payments, arrivals = with_transfers(found)
    near = read_near(storage, user_id, today)
    transfers = {payment.record_id for id_, payment in (*found, *near) if id_ is not None}
    seen = [each for _, each in near]
    return History(today, payments, arrivals, seen, orders, accounts, transfers), newest


def read_near(storage: Storage, user_id: int, today: int) -> list[tuple[str | None, Payment]]:
    """Return `History.near`, each with the id of its transfer, if any."""
    soon = dated(today - SEEN_DAYS * DAY_SECONDS, MAX_SECONDS + 1)
    read = storage.data.list_amounts(user_id, ("transferId", *PAYMENT_FIELDS), [soon])
    return [(row[0], payment_of(row[1:])) for row in in_time(read)]


def with_transfers(
    found: Iterable[tuple[str | None, Payment]],
) -> tuple[list[Payment], dict[str, Payment]]:
    """Return `History.payments` and `History.arrivals`. found: pairs of transfer id and payment."""
    payments: list[Payment] = []
    pairs: defaultdict[str, list[Payment]] = defaultdict(list)
    for transfer_id, payment in found:
        if transfer_id is None:
            payments.append(payment)
        else:
            pairs[transfer_id].append(payment)
    arrivals: dict[str, Payment] = {}
    for pair in pairs.values():
        pair.sort(key=lambda payment: payment.amount)
        if len(pair) == 2 and pair[0].amount < 0 < pair[1].amount:
            outgoing, arriving = pair
            arrivals[outgoing.record_id] = arriving
            pair[0] = outgoing._replace(payee="transfer", to=arriving.account_id)
            # The arriving half is not a separate payment. Without a payee it has no series.
            pair[1] = arriving._replace(payee="")
        payments += pair
    return payments, arrivals
