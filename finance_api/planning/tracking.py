"""Tracking of budgets in their current period."""

from collections import defaultdict

from finance_api.planning.periods import BudgetPeriod, current_period
from finance_api.query.model import Operator, Span, condition_on
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS, names_of
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.number import ratio_units
from finance_api.values.time import DAY_SECONDS

_TRACKED = names_of(BUDGETS.computed_fields)


class BudgetTracking:
    """Tracks the budgets of one user on one day; categories and accounts are read once."""

    def __init__(self, storage: Storage, user_id: int, today: int) -> None:
        self._storage = storage
        self._user_id = user_id
        self._today = today
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        for category in storage.data.scan_rows(user_id, CATEGORIES):
            if category["parentId"] is not None:
                self._children[category["parentId"]].append(category["id"])
        accounts = storage.data.scan_rows(user_id, ACCOUNTS)
        self._all_accounts = {account["id"] for account in accounts}
        self._counted_accounts = {a["id"] for a in accounts if not a["excludeFromStats"]}

    def track(self, budget: Row) -> Row:
        """The budget with its computed fields; all of them None outside its dates."""
        period = current_period(budget, self._today)
        if period is None:
            return {**budget, **dict.fromkeys(_TRACKED)}
        counted = self._count(budget, period)
        limit = budget["limitAmount"]
        spent = -counted.amount
        return {
            **budget,
            "periodStart": period.start,
            "periodEnd": period.end,
            "spent": spent,
            "remaining": None if limit is None else limit - spent,
            "progress": None if limit is None else ratio_units(spent, limit),
            "recordCount": counted.count,
        }

    def _count(self, budget: Row, period: BudgetPeriod) -> RecordSum:
        """The records that count: every list restricts, unless it is empty."""
        conditions = [
            condition_on(RECORDS, "currencyCode", Operator.ANY_OF, (budget["currencyCode"] or "",)),
            condition_on(RECORDS, "transferId", Operator.IS_NULL, None),
        ]
        if period.start is not None:
            span = Span(period.start, period.start + DAY_SECONDS)
            conditions.append(condition_on(RECORDS, "recordDate", Operator.GTE, span))
        if period.end is not None:
            span = Span(period.end, period.end + DAY_SECONDS)
            conditions.append(condition_on(RECORDS, "recordDate", Operator.LTE, span))
        accounts = self._counted_accounts.intersection(budget["accountIds"] or self._all_accounts)
        if accounts != self._all_accounts:
            conditions.append(
                condition_on(RECORDS, "accountId", Operator.ANY_OF, tuple(sorted(accounts)))
            )
        if budget["categoryIds"]:
            below = tuple(sorted(self._with_descendants(budget["categoryIds"])))
            conditions.append(condition_on(RECORDS, "categoryId", Operator.ANY_OF, below))
        if budget["labelIds"]:
            conditions.append(
                condition_on(RECORDS, "labelIds", Operator.ANY_OF, budget["labelIds"])
            )
        return self._storage.data.sum_records(self._user_id, conditions)

    def _with_descendants(self, category_ids: tuple[str, ...]) -> set[str]:
        found: set[str] = set()
        waiting = list(category_ids)
        while waiting:
            category_id = waiting.pop()
            if category_id not in found:
                found.add(category_id)
                waiting.extend(self._children[category_id])
        return found
