"""Predicted balances of accounts at the end of future days."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from finance_api.planning.balances import MAX_POINTS, BalancesError, Point, last_starts
from finance_api.planning.forecast.expected import NEAR_DAYS, History, Movement, expect
from finance_api.planning.recurring import PAYMENT_FIELDS, Payment, payment_of, recurring_span
from finance_api.planning.upcoming import TooManyDueDays
from finance_api.query.model import Condition, dated
from finance_api.resources import ACCOUNTS, STANDING_ORDERS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.sentences import count_text
from finance_api.values.text import counted
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, Period, date_text, end_of, period_text

# -- usual income and spending besides recurring payments: the middle half of past cases ----------


#: Read the last year; with less than eight weeks, nothing is typical.
_MOST_DAYS, _LEAST_DAYS = 365, 56
#: Longer times are computed as multiples of this, because there are too few cases of them.
_LONGEST = 28
#: Estimates are in cents.
_CENT = 100


class Range(NamedTuple):
    """low, high: the 25th and 75th percentile of income minus spending."""

    low: int
    median: int
    high: int


_NOTHING = Range(0, 0, 0)


class Typical:
    """Income minus spending in a number of days."""

    def __init__(self, payments: Iterable[tuple[int, int]], last: int) -> None:
        """payments: day and amount. last: the last day with records."""
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
            # Months differ by chance, which partly evens out.
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
#: If records are missing for longer, no more spending is assumed.
_MOST_MISSING_DAYS = 31


@dataclass(frozen=True)
class ForecastQuery:
    """last: None means the end of the next month. conditions: filters on the records' account.

    is_typical: whether to include usual income and spending besides expected payments.
    """

    interval: Period
    last: int | None = None
    conditions: tuple[Condition, ...] = ()
    is_typical: bool = False


@dataclass(frozen=True)
class Course:
    """The balances of an account, or of all accounts in a currency, at the end of each day."""

    known: list[int]
    typical: Typical
    missing_days: int

    def at(self, day: int) -> Range:
        """Return the range of the balance. day: 0 for today."""
        usual, known = self.typical.within(day + self.missing_days), self.known[day]
        return Range(known + usual.low, known + usual.median, known + usual.high)


@dataclass(frozen=True)
class Forecast:
    """accounts: by name. left_out: number of standing orders without an account or an amount."""

    query: ForecastQuery
    today: int
    points: list[Point]
    accounts: list[Row]
    left_out: int
    _courses: dict[str, Course]
    _currency_courses: dict[str, Course]

    @cached_property
    def rows(self) -> list[Row]:
        """A row for each account at each point."""
        return self._at_points(
            [(_account(each), self._courses[each["id"]]) for each in self.accounts]
        )

    @cached_property
    def totals(self) -> list[Row]:
        """A row for each currency at each point."""
        courses = sorted(self._currency_courses.items())
        return self._at_points([({"currencyCode": code}, course) for code, course in courses])

    @cached_property
    def lowest(self) -> list[Row]:
        """The first day with the lowest balance, or low end of a range, of each account."""
        rows = []
        for account in self.accounts:
            course = self._courses[account["id"]]
            lows = [self._balances(course, day)[0] for day in range(len(course.known))]
            day = lows.index(min(lows))
            at = {"date": self.today + day * DAY_SECONDS, "balance": lows[day]}
            rows.append({**_account(account), **at})
        return rows

    def _at_points(self, courses: Sequence[tuple[Row, Course]]) -> list[Row]:
        names = (
            ("lowBalance", "medianBalance", "highBalance")
            if self.query.is_typical
            else ("balance",)
        )
        return [
            {
                "period": period_text(self.query.interval, point.start),
                "periodStart": point.start,
                "date": point.last_day,
                **about,
                **dict(zip(names, self._balances(course, self._number(point)), strict=True)),
            }
            for point in in_time(self.points)
            for about, course in courses
        ]

    def _number(self, point: Point) -> int:
        return (point.last_day - self.today) // DAY_SECONDS

    def _balances(self, course: Course, day: int) -> Sequence[int]:
        return course.at(day) if self.query.is_typical else (course.known[day],)


def _account(account: Row) -> Row:
    return {
        "account": account["name"],
        "accountId": account["id"],
        "currencyCode": account["currencyCode"],
    }


def list_forecast(storage: Storage, user_id: int, query: ForecastQuery, today: int) -> Forecast:
    """Return the forecast. Raises BalancesError."""
    ids = [Condition(ACCOUNTS["id"], c.operator, c.operand) for c in query.conditions]
    accounts = list(storage.data.scan_rows(user_id, ACCOUNTS, conditions=ids))
    accounts.sort(key=lambda row: (row["name"], row["id"]))
    last = query.last
    if last is None:
        last = end_of(Period.MONTH, end_of(Period.MONTH, today)) - DAY_SECONDS
    points = _points(query.interval, today, last, len(accounts))
    history, newest = _history(storage, user_id, today)
    try:
        expected = expect(history, last)
    except TooManyDueDays as error:
        raise BalancesError("to", f"{error}: ask for an earlier day") from None
    to_come = [movement for movement in history.near if movement.day > today]
    changes: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for movement in (*to_come, *expected.movements):
        changes[movement.account_id][(movement.day - today) // DAY_SECONDS] += movement.amount
    later: defaultdict[str, int] = defaultdict(int)
    for movement in to_come:
        later[movement.account_id] += movement.amount
    rest: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for payment in expected.rest if query.is_typical else ():
        rest[payment.account_id].append((payment.day, payment.amount))
    missing = min((today - newest) // DAY_SECONDS, _MOST_MISSING_DAYS)
    days = range((last - today) // DAY_SECONDS + 1)

    def course(rows: Iterable[Row]) -> Course:
        found = list(rows)
        start = sum(row["balance"] - later[row["id"]] for row in found)
        at_days = (sum(changes[row["id"]][day] for row in found) for day in days)
        known = list(accumulate(at_days, initial=start))[1:]
        usual = Typical((each for row in found for each in rest[row["id"]]), newest)
        return Course(known, usual, missing)

    currencies = {row["currencyCode"] for row in accounts}
    return Forecast(
        query,
        today,
        points,
        accounts,
        expected.left_out,
        {row["id"]: course([row]) for row in in_time(accounts)},
        {
            code: course(row for row in accounts if row["currencyCode"] == code)
            for code in currencies
        },
    )


def _points(interval: Period, today: int, last: int, accounts: int) -> list[Point]:
    """Return the points. Raises BalancesError."""
    if not today <= last <= today + MAX_DAYS * DAY_SECONDS:
        latest = date_text(today + MAX_DAYS * DAY_SECONDS)
        raise BalancesError("to", f"is not between today, {date_text(today)}, and {latest}")
    starts = last_starts(interval, last, MAX_DAYS + 1, today)
    if len(starts) * accounts > MAX_POINTS:
        raise BalancesError(
            "interval",
            f"there would be more than {count_text(MAX_POINTS)} balances of "
            f"{counted(accounts, 'account')}; "
            "ask for fewer accounts, an earlier day or longer intervals",
        )
    return [Point(start, min(last, end_of(interval, start) - DAY_SECONDS)) for start in starts]


def _history(storage: Storage, user_id: int, today: int) -> tuple[History, int]:
    """Return the history, and the newest day with records, today at the latest."""
    data = storage.data
    span = recurring_span(data.scan_rows(user_id, ACCOUNTS), today)
    orders = list(data.scan_rows(user_id, STANDING_ORDERS))
    if span is None:
        return History(today, (), orders=orders), today
    first, newest = span
    read = data.list_amounts(
        user_id, ("transferId", *PAYMENT_FIELDS), [dated(first, newest + DAY_SECONDS)]
    )
    payments, arrivals = with_transfers((row[0], payment_of(row[1:])) for row in in_time(read))
    soon = dated(today - NEAR_DAYS * DAY_SECONDS, MAX_SECONDS + 1)
    near = data.list_amounts(user_id, ("accountId", "recordDate"), [soon])
    movements = [Movement(*row) for row in in_time(near)]
    return History(today, payments, arrivals, movements, orders), newest


def with_transfers(
    found: Iterable[tuple[str | None, Payment]],
) -> tuple[list[Payment], dict[str, Payment]]:
    """Return `History.payments` and `History.arrivals`. found: transfer id and payment."""
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
            # It is not a payment of its own: find no interval for it.
            pair[1] = arriving._replace(payee="")
        payments += pair
    return payments, arrivals
