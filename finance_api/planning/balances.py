"""Balances of accounts at the end of each day, week, month, quarter or year."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.conversion import Conversion
from finance_api.query.model import Condition, any_of, dated
from finance_api.resources import ACCOUNTS
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.text import counted
from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    Period,
    date_text,
    end_of,
    period_text,
    start_of,
)

#: Sums of records. The first value of each key is the account's id.
_Sums = dict[tuple[Any, ...], RecordSum]

#: Maximum number of balances in one answer.
MAX_POINTS = 3_700
#: Number of intervals if the query has no first day.
DEFAULT_INTERVALS = 12


@dataclass(frozen=True)
class BalancesQuery:
    """first, last: days; None means the default. conditions: filters on the records' account."""

    interval: Period
    first: int | None = None
    last: int | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Point:
    """An interval. last_day: its last day, or the query's last day if that is earlier."""

    start: int
    last_day: int

    def columns(self, interval: Period) -> Row:
        """Return the columns that every row at this point has."""
        text = period_text(interval, self.start)
        return {"period": text, "periodStart": self.start, "date": self.last_day}


@dataclass(frozen=True)
class Balances:
    """accounts: ordered by name. of: the balances at the points, by account id.

    sums: the sums of records from the month of the first point on. read_earlier: reads the sums of
    earlier records, by account.
    """

    points: list[Point]
    accounts: list[Row]
    of: dict[str, list[int]]
    sums: _Sums
    read_earlier: Callable[[], _Sums]

    @property
    def first_dates(self) -> dict[str, int]:
        """Return the date of each account's first record, by account id. Reads the storage."""
        earlier = {account_id: sums.first for (account_id,), sums in self.read_earlier().items()}
        later: dict[str, int] = {}
        for (account_id, _), sums in self.sums.items():
            later[account_id] = min(sums.first, later.get(account_id, sums.first))
        return later | earlier


#: Fields of records that describe the account, and the account's own fields.
_OWN = {"accountId": "id", "accountName": "name"}


def accounts_of(storage: Storage, user_id: int, conditions: Sequence[Condition]) -> list[Row]:
    """Return the accounts by name. conditions: filters on accountId or accountName of records."""
    own = [replace(each, field=ACCOUNTS[_OWN[each.field.name]]) for each in conditions]
    accounts = storage.data.scan_rows(user_id, ACCOUNTS, conditions=own)
    return sorted(accounts, key=lambda row: (row["name"], row["id"]))


def about_account(account: Row) -> Row:
    """Return the columns that every row about an account has."""
    return {
        "account": account["name"],
        "accountId": account["id"],
        "currencyCode": account["currencyCode"],
    }


def list_balances(storage: Storage, user_id: int, query: BalancesQuery, today: int) -> Balances:
    """Return the balances that the query asks for. Raises ParametersRefused."""
    accounts = accounts_of(storage, user_id, query.conditions)
    if query.conditions:
        query = replace(query, conditions=(any_of("accountId", (row["id"] for row in accounts)),))
    last = query.last
    if last is None:
        last = start_of(Period.DAY, _newest(storage, user_id, query, accounts, today))
    points = _points(query, last, len(accounts))
    begin = start_of(Period.MONTH, points[0].start)
    sums = _sums(storage, user_id, query, begin, last)
    changes: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for (account_id, start), found in sums.items():
        changes[account_id].append((start, found.amount))
    of = {row["id"]: _running(row["balance"], changes[row["id"]], points) for row in accounts}
    earlier = [*query.conditions, dated(MIN_SECONDS, begin)]
    read_earlier = partial(storage.data.sum_by, user_id, ["accountId"], earlier)
    return Balances(points, accounts, of, sums, read_earlier)


def _newest(
    storage: Storage, user_id: int, query: BalancesQuery, accounts: Sequence[Row], today: int
) -> int:
    """Return the time of the newest record that is not void, but at least ``today``."""
    tomorrow = today + DAY_SECONDS
    if all((row["lastRecordDate"] or MIN_SECONDS) < tomorrow for row in accounts):
        return today
    to_come = [*query.conditions, dated(tomorrow, MAX_SECONDS + 1)]
    sums = storage.data.sum_by(user_id, ["accountId"], to_come)
    return max((found.last for found in sums.values()), default=today)


def _sums(storage: Storage, user_id: int, query: BalancesQuery, begin: int, last: int) -> _Sums:
    """Return the sums from ``begin`` on by account and month, or day where the points need days.

    Records before ``begin`` are never read.
    """
    days_from, days_end = start_of(Period.MONTH, last), end_of(Period.MONTH, last)
    if query.interval in (Period.DAY, Period.WEEK):
        days_from = begin
    elif query.last is None:
        # There are no records after the last day.
        days_from = days_end
    ranges = [("month", begin, days_from), ("recordDate", days_from, days_end)]
    if query.last is not None:
        ranges.append(("month", days_end, MAX_SECONDS + 1))
    sums: _Sums = {}
    for name, first, end in ranges:
        if first < end:
            conditions = [*query.conditions, dated(first, end)]
            sums |= storage.data.sum_by(user_id, ["accountId", name], conditions)
    return sums


def balance_rows(found: Balances, interval: Period) -> list[Row]:
    """Return a row for each account at each point."""
    first_dates = found.first_dates
    of_accounts = [
        {**about_account(account), "firstRecordDate": first_dates.get(account["id"])}
        for account in found.accounts
    ]
    balances = [found.of[account["id"]] for account in found.accounts]
    return _at_points(found, interval, of_accounts, balances)


def balance_totals(found: Balances, interval: Period) -> list[Row]:
    """Return the sum of the balances in each currency, at each point."""
    of_currency: defaultdict[str, list[list[int]]] = defaultdict(list)
    for account in found.accounts:
        of_currency[account["currencyCode"]].append(found.of[account["id"]])
    currencies = sorted(of_currency)
    totals = [list(map(sum, zip(*of_currency[each], strict=True))) for each in currencies]
    of_currencies = [{"currencyCode": currency} for currency in currencies]
    return _at_points(found, interval, of_currencies, totals)


def _at_points(
    found: Balances, interval: Period, parts: Sequence[Row], balances: Sequence[Sequence[int]]
) -> list[Row]:
    """Return a row for each part at each point. balances: for each part, a list by point."""
    rows = []
    for point, *at_point in zip(found.points, *balances, strict=True):
        columns = point.columns(interval)
        rows += [
            {**columns, **part, "balance": balance}
            for part, balance in zip(parts, at_point, strict=True)
        ]
    return rows


def with_converted_balances(storage: Storage, rows: Sequence[Row], target: str) -> list[Row]:
    """Return the rows of `balance_rows`, each converted at the rate of its day."""
    conversion = Conversion(storage, target, {row["date"] for row in rows})
    return [
        row | conversion.columns("balance", row["balance"], row["currencyCode"], row["date"])
        for row in rows
    ]


def converted_totals(rows: Iterable[Row]) -> list[Row]:
    """Return the sums of converted balances by day; None if one could not be converted."""
    totals = []
    for _, at_point in groupby(rows, itemgetter("date")):
        found = list(at_point)
        balances = [row["convertedBalance"] for row in found]
        errors = dict.fromkeys(filter(None, (row["conversionError"] for row in found)))
        sums: Row = {"convertedBalance": None if errors else sum(balances)}
        totals.append(found[0] | sums | {"conversionError": "; ".join(errors) or None})
    return totals


def _points(query: BalancesQuery, last: int, accounts: int) -> list[Point]:
    """Return the points. Raises ParametersRefused if there would be too many, or none."""
    interval = query.interval
    fits = MAX_POINTS // max(accounts, 1)
    if query.first is None:
        starts = last_starts(interval, last, DEFAULT_INTERVALS)
    elif query.first > last:
        raise ParametersRefused([("from", f"is later than the last day, {date_text(last)}")])
    else:
        starts = last_starts(interval, last, fits + 1, start_of(interval, query.first))
    if len(starts) > fits:
        since = f", if from is {date_text(starts[-fits])} or later" if fits else ""
        message = (
            f"there would be more than {MAX_POINTS:,} balances; for "
            f"{counted(accounts, 'account')}, {fits:,} intervals are possible{since}; "
            "ask for fewer accounts, a shorter period or longer intervals"
        )
        raise ParametersRefused([("interval", message)])
    return points_of(interval, starts, last)


def points_of(interval: Period, starts: Iterable[int], last: int) -> list[Point]:
    """Return the points of intervals with these starts; the last one ends with the day ``last``."""
    return [Point(start, min(last, end_of(interval, start) - DAY_SECONDS)) for start in starts]


def last_starts(interval: Period, last: int, number: int, first: int = MIN_SECONDS) -> list[int]:
    """Return the first seconds of up to ``number`` intervals; the last one contains ``last``.

    first: no interval ends before it.
    """
    starts = [start_of(interval, last)]
    while len(starts) < number and starts[-1] > first:
        starts.append(start_of(interval, starts[-1] - 1))
    return starts[::-1]


def _running(
    balance: int, changes: Iterable[tuple[int, int]], points: Sequence[Point]
) -> list[int]:
    """Return the balance at each point. changes: pairs of second and amount.

    balance: the balance after all changes.
    """
    ordered = sorted(changes)
    running = balance - sum(amount for _, amount in ordered)
    balances, at = [], 0
    for point in points:
        while at < len(ordered) and ordered[at][0] <= point.last_day:
            running += ordered[at][1]
            at += 1
        balances.append(running)
    return balances
