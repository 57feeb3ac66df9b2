"""The occurrences of standing orders that are to come."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from finance_api.planning.recurrence import occurrences
from finance_api.resources import STANDING_ORDERS
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS


@dataclass
class Total:
    """Of one currency: how many occurrences, and the sums of what comes in and what goes out."""

    count: int = 0
    income: int = 0
    expense: int = 0


def list_upcoming(storage: Storage, user_id: int, today: int, days: int) -> list[Row]:
    """The standing orders, once for each occurrence within so many days, today included.

    ``date`` is the day; in the order of day, name and id.
    """
    end = today + days * DAY_SECONDS
    found: list[Row] = []
    for order in storage.data.scan_rows(user_id, STANDING_ORDERS):
        for date in occurrences(order["recurrenceRule"], order["startDate"], today):
            if date >= end:
                break
            found.append({**order, "date": date})
    found.sort(key=lambda row: (row["date"], row["name"] is None, row["name"] or "", row["id"]))
    return found


def totals_of(upcoming: Iterable[Row]) -> dict[str, Total]:
    """By currency; without those that have no amount or no currency."""
    totals: defaultdict[str, Total] = defaultdict(Total)
    for row in upcoming:
        amount = row["amount"]
        if amount is not None and row["currencyCode"] is not None:
            total = totals[row["currencyCode"]]
            total.count += 1
            if amount < 0:
                total.expense += amount
            else:
                total.income += amount
    return dict(sorted(totals.items()))
