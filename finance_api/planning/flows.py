"""Decides what counts as spent and what as received: the category's kind, or else the sign.

So a refund in a category of expenses reduces what was spent. Budgets and summaries use this.
"""

from collections.abc import Sequence
from dataclasses import replace

from finance_api.query.model import Condition, Operator, any_of, condition_on, either
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.records import FLOW, RECEIVED
from finance_api.storage.interface import Storage


def is_received(kind: str | None, record_type: str) -> bool:
    """Whether a record counts as received. kind: of its category, if it has one."""
    return (kind or record_type) == INCOME


def with_flow(
    storage: Storage, user_id: int, flow: str, conditions: Sequence[Condition]
) -> tuple[Condition, ...]:
    """Return the conditions, with conditions added that keep only the records of this flow."""
    kind = INCOME if flow == RECEIVED else EXPENSE
    kinds = {row["id"]: row["kind"] for row in storage.data.scan_rows(user_id, CATEGORIES)}
    same = [row_id for row_id, found in kinds.items() if found == kind]
    others = sorted(row_id for row_id, found in kinds.items() if found not in (kind, None))
    of_the_other = condition_on(RECORDS, "categoryId", Operator.NE, tuple(others))
    return (
        *conditions,
        replace(of_the_other, or_missing=True),
        either(FLOW, [any_of("categoryId", same), any_of("recordType", [kind])]),
    )
