"""Computes fields that depend on other rows or on the day, such as how much a budget has left."""

from collections.abc import Callable, Sequence

from finance_api.planning.recurrence import next_due
from finance_api.planning.tracking import tracked_budgets, tracked_goals
from finance_api.query.evaluate import sorted_rows
from finance_api.query.model import Query
from finance_api.resources import BUDGETS, GOALS, STANDING_ORDERS
from finance_api.resources.field import Resource, Role
from finance_api.storage.interface import Page, Storage
from finance_api.values import Row

#: Fills in the computed fields of some of a user's rows, on a day.
Computation = Callable[[Storage, int, int, Sequence[Row]], list[Row]]


def _standing_orders(
    storage: Storage, user_id: int, today: int, orders: Sequence[Row]
) -> list[Row]:
    return [
        {**order, "nextDueDate": next_due(order["recurrenceRule"], order["startDate"], today)}
        for order in orders
    ]


_COMPUTATIONS: dict[Resource, Computation] = {
    BUDGETS: tracked_budgets,
    GOALS: tracked_goals,
    STANDING_ORDERS: _standing_orders,
}


def compute(
    storage: Storage, user_id: int, resource: Resource, today: int, rows: Sequence[Row]
) -> list[Row]:
    """Return the rows of a resource that has computed fields, with these fields filled in."""
    return _COMPUTATIONS[resource](storage, user_id, today, rows)


def list_computed(storage: Storage, user_id: int, query: Query, today: int) -> Page:
    """Return a page of rows with their computed fields, which can also be sort keys."""
    resource = query.resource
    if resource not in _COMPUTATIONS:
        return storage.data.list_rows(user_id, query)
    if not any(key.field.role is Role.COMPUTED for key in query.sort):
        page = storage.data.list_rows(user_id, query)
        rows = compute(storage, user_id, resource, today, page.rows)
        return Page(rows, page.has_more, page.total)
    # To sort by a computed field, compute it for all rows first.
    found = storage.data.scan_rows(user_id, resource, conditions=query.conditions)
    ordered = sorted_rows(compute(storage, user_id, resource, today, found), query.sort)
    end = query.offset + query.limit
    total = len(ordered) if query.with_total else None
    return Page(ordered[query.offset : end], len(ordered) > end, total)
