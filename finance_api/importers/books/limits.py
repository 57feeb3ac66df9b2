"""Limits of single periods, as budgets have them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from finance_api.importers.books.reading import Document
from finance_api.resources.plans import PERIODS
from finance_api.values.time import end_of, from_date, start_of, to_date


def period_start(kind: str, day: date) -> date:
    """Return the first day of the period that a day is in. kind: the type of a budget."""
    return to_date(start_of(PERIODS[kind], from_date(day)))


def next_period(kind: str, day: date) -> date:
    """Return the first day of the next period."""
    return to_date(end_of(PERIODS[kind], from_date(day)))


def limit_values(kind: str, limits: Mapping[date, Decimal], first: date, last: date) -> Document:
    """Return the fields of a budget with a limit for each period from the first to the last.

    limits: by the first days of periods; other periods have the limit 0. The newest limit also
    applies to later periods. A limit below 0 is 0.
    """
    by_day, day = {}, first
    while day <= last:
        by_day[day.isoformat()] = max(Decimal(0), limits.get(day, Decimal(0)))
        day = next_period(kind, day)
    newest = list(by_day.values())[-1]
    return {
        "type": kind,
        "limitAmount": newest,
        "limitOverrides": [
            {"periodStart": start, "limit": limit}
            for start, limit in by_day.items()
            if limit != newest
        ],
        "startDate": first.isoformat(),
    }
