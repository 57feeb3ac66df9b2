"""Limits of single periods, as budgets have them."""

from collections.abc import Sequence
from decimal import Decimal

from finance_api.importers.books.reading import Document


def limit_values(limits: Sequence[tuple[str, Decimal]]) -> Document:
    """Return the fields of a budget. limits: the first day and the limit of each period in order;
    the newest one goes on. A limit below 0 is 0.
    """
    limits = [(day, max(Decimal(0), limit)) for day, limit in limits]
    newest = limits[-1][1]
    return {
        "limitAmount": newest,
        "limitOverrides": [
            {"periodStart": day, "limit": limit} for day, limit in limits if limit != newest
        ],
        "startDate": limits[0][0],
    }
