"""When standing orders are due."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from finance_api.planning.recurrence import Schedule, schedule_of
from finance_api.resources import STANDING_ORDERS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: The most days of different rules that are worked out for a request.
MAX_DUE_DAYS = 100_000


class TooManyDueDays(Exception):
    """The rules have more days than a request may ask for; the message says how many."""


@dataclass
class Total:
    """The occurrences of one currency: their number, the sum of income and the sum of expenses."""

    count: int = 0
    income: int = 0
    expense: int = 0


class DueDays:
    """The days from ``first`` until before ``end`` on which standing orders are due.

    An occurrence is a day and a standing order. Most standing orders share their days with others,
    so there are far fewer days than occurrences; these are made for a page only.
    """

    def __init__(self, orders: Iterable[Row], first: int, end: int) -> None:
        """Raises TooManyDueDays."""
        same_days: defaultdict[Schedule, list[Row]] = defaultdict(list)
        for order in in_time(orders):
            schedule = schedule_of(order["recurrenceRule"], order["startDate"], first)
            if schedule is not None:
                same_days[schedule].append(order)
        self._groups = list(same_days.values())
        #: By day: which of the groups are due.
        self._due: defaultdict[int, list[int]] = defaultdict(list)
        number = 0
        for group, schedule in enumerate(in_time(same_days)):
            for day in schedule.days():
                if day >= end:
                    break
                number += 1
                if number > MAX_DUE_DAYS:
                    raise TooManyDueDays(
                        f"the rules of the standing orders have more than {MAX_DUE_DAYS:,} days"
                    )
                self._due[day].append(group)
        self._times = Counter(chain.from_iterable(self._due.values()))

    @property
    def number(self) -> int:
        """How many occurrences there are."""
        return sum(len(self._groups[group]) * times for group, times in self._times.items())

    def page(
        self,
        limit: int,
        offset: int,
        order: Callable[[int, Row], Any],
        *,
        newest_first: bool = False,
    ) -> list[tuple[int, Row]]:
        """Some occurrences, by their days. order: of those of one day."""
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

    def totals(self) -> dict[str, Total]:
        """By currency; without standing orders that have no amount or no currency."""
        totals: defaultdict[str, Total] = defaultdict(Total)
        for group, times in self._times.items():
            for row in self._groups[group]:
                amount = row["amount"]
                if amount is not None and row["currencyCode"] is not None:
                    total = totals[row["currencyCode"]]
                    total.count += times
                    if amount < 0:
                        total.expense += amount * times
                    else:
                        total.income += amount * times
        return dict(sorted(totals.items()))


def upcoming_days(storage: Storage, user_id: int, today: int, days: int) -> DueDays:
    """The due days within that many days, today included. Raises TooManyDueDays."""
    orders = storage.data.scan_rows(user_id, STANDING_ORDERS)
    return DueDays(orders, today, today + days * DAY_SECONDS)


def upcoming_page(due: DueDays, limit: int, offset: int = 0) -> list[Row]:
    """The standing orders, once for each occurrence, in the order of day, name and id.

    ``date`` is the day.
    """
    page = due.page(limit, offset, _by_name)
    return [{**row, "date": day} for day, row in page]


def _by_name(day: int, order: Row) -> tuple[bool, str, str]:
    return order["name"] is None, order["name"] or "", order["id"]
