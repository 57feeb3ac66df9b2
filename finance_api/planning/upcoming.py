"""When standing orders are due."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from finance_api.planning.recurrence import Schedule, schedule_of
from finance_api.resources import STANDING_ORDERS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row

#: Maximum number of due days to compute for a request. The days of equal rules count once.
MAX_DUE_DAYS = 100_000


class TooManyDueDays(Exception):
    """The rules have too many due days for one request; the message says how many are allowed."""


def list_orders(storage: Storage, user_id: int, accounts: Iterable[Row]) -> list[Row]:
    """Return the standing orders. One without a currency has that of its account."""
    codes = {account["id"]: account["currencyCode"] for account in accounts}
    return [
        {**order, "currencyCode": order["currencyCode"] or codes.get(order["accountId"])}
        for order in storage.data.scan_rows(user_id, STANDING_ORDERS)
    ]


def by_name(day: int, order: Row) -> tuple[bool, str, str]:
    """Return the key that sorts the standing orders of a day by name and id."""
    return order["name"] is None, order["name"] or "", order["id"]


class DueDays:
    """The days from ``first`` until the day before ``end`` on which standing orders are due.

    An occurrence is one standing order on one day. Many standing orders are due on the same days,
    so there are far fewer days than occurrences. Only the occurrences of a page are built.
    """

    def __init__(self, orders: Iterable[Row], first: int, end: int) -> None:
        """Compute the due days. Raises TooManyDueDays."""
        same_days: defaultdict[Schedule, list[Row]] = defaultdict(list)
        for order in in_time(orders):
            schedule = schedule_of(order["recurrenceRule"], order["startDate"], first)
            if schedule is not None:
                same_days[schedule].append(order)
        self._groups = list(same_days.values())
        #: The groups of standing orders (indexes in `_groups`) that are due on each day.
        self._due: defaultdict[int, list[int]] = defaultdict(list)
        number = 0
        for group, schedule in enumerate(in_time(same_days)):
            for day in schedule.days(end):
                number += 1
                if number > MAX_DUE_DAYS:
                    raise TooManyDueDays(
                        f"the rules of the standing orders have more than {MAX_DUE_DAYS:,} days"
                    )
                self._due[day].append(group)
        self._times = Counter(chain.from_iterable(self._due.values()))

    @property
    def number(self) -> int:
        """Return the number of occurrences."""
        return sum(len(self._groups[group]) * times for group, times in self._times.items())

    def page(
        self,
        limit: int,
        offset: int,
        order: Callable[[int, Row], Any] = by_name,
        *,
        newest_first: bool = False,
    ) -> list[tuple[int, Row]]:
        """Return a page of occurrences by day. order: the sort key within a day."""
        page: list[tuple[int, Row]] = []
        for day in sorted(self._due, reverse=newest_first):
            groups = [self._groups[group] for group in self._due[day]]
            number = sum(map(len, groups))
            if offset < number:
                due = sorted(chain.from_iterable(groups), key=lambda row: order(day, row))
                page += [(day, row) for row in due[offset : offset + limit - len(page)]]
            offset = max(0, offset - number)
            if len(page) == limit:
                break
        return page

    def totals(self) -> list[Row]:
        """Return count, income, expense and net of each currency.

        Ignores standing orders without an amount or currency.
        """
        return add_up(
            (row, times) for group, times in self._times.items() for row in self._groups[group]
        )


def add_up(payments: Iterable[tuple[Row, int]]) -> list[Row]:
    """Return count, income, expense and net of each currency. payments: pairs of row and how often.

    Ignores rows without an amount or currency.
    """
    totals: defaultdict[str, Row] = defaultdict(lambda: {"count": 0, "income": 0, "expense": 0})
    for row, times in payments:
        amount = row["amount"]
        if amount is not None and row["currencyCode"] is not None:
            total = totals[row["currencyCode"]]
            total["count"] += times
            total["expense" if amount < 0 else "income"] += amount * times
    return [
        {"currencyCode": currency, **total, "net": total["income"] + total["expense"]}
        for currency, total in sorted(totals.items())
    ]
