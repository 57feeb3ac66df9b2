"""Tracking of budgets: what their periods have used of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from finance_api.planning.categories import CategoryTree
from finance_api.planning.periods import BudgetPeriod, current_period
from finance_api.query.model import Condition, Operator, Span, condition_on
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS, names_of
from finance_api.resources.common import INCOME
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.number import ratio_units
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

_TRACKED = names_of(BUDGETS.computed_fields)
_OUTSIDE = dict.fromkeys(_TRACKED)

#: What decides which budgets a record counts for; labels only where a budget asks for some.
_KEY = ("currencyCode", "accountId", "categoryId", "recordType", "labelIds")
#: The records of one key: their currency, account, category, type and sum.
_Group = tuple[str, str, str | None, str, RecordSum]


class Counted(NamedTuple):
    """What counts for a budget. income: what would count, were it not income. number: of spent."""

    spent: int
    income: int
    number: int


def tracked_budgets(
    storage: Storage, user_id: int, today: int, budgets: Sequence[Row]
) -> list[Row]:
    """The budgets with their computed fields; all of them None outside a budget's dates."""
    periods = [current_period(budget, today) for budget in budgets]
    return track(storage, user_id, list(zip(budgets, periods, strict=True)))


def track(
    storage: Storage, user_id: int, asked: Sequence[tuple[Row, BudgetPeriod | None]]
) -> list[Row]:
    """Each budget with its computed fields in the period that stands beside it.

    Each record is read once at most, however many budgets it counts for.
    """
    spans = [_span(period) for _, period in asked if period is not None]
    has_labels = any(budget["labelIds"] for budget, period in asked if period is not None)
    sums = _Sums(storage, user_id, spans, has_labels)
    return [
        {**budget, **(_OUTSIDE if period is None else _tracked(sums, budget, period))}
        for budget, period in asked
    ]


def _tracked(sums: "_Sums", budget: Row, period: BudgetPeriod) -> Row:
    counted = sums.count(budget, _span(period))
    limit = budget["limitAmount"]
    return {
        "periodStart": period.start,
        "periodEnd": period.end,
        "spent": counted.spent,
        "income": counted.income,
        "remaining": None if limit is None else limit - counted.spent,
        "progress": None if limit is None else ratio_units(counted.spent, limit),
        "recordCount": counted.number,
    }


def _span(period: BudgetPeriod) -> Span:
    """The seconds of the period."""
    return Span(
        MIN_SECONDS if period.start is None else period.start,
        MAX_SECONDS + 1 if period.end is None else period.end + DAY_SECONDS,
    )


class _Sums:
    """The sums of a user's records in the parts that some spans divide each other into."""

    def __init__(
        self, storage: Storage, user_id: int, spans: Sequence[Span], has_labels: bool
    ) -> None:
        self._categories = CategoryTree(storage.data.scan_rows(user_id, CATEGORIES))
        accounts = storage.data.scan_rows(user_id, ACCOUNTS)
        self._counted_accounts = {a["id"] for a in accounts if not a["excludeFromStats"]}
        self._parts: dict[Span, list[_Group]] = {}
        self._by_label: dict[Span, defaultdict[str, list[int]]] = {}
        for part in _parts(spans):
            sums = storage.data.sum_by(user_id, _KEY if has_labels else _KEY[:-1], _within(part))
            self._parts[part] = [(*key[:4], found) for key, found in sums.items()]
            by_label = self._by_label[part] = defaultdict(list)
            for number, (_, _, _, _, *labels) in enumerate(sums):
                for label in labels[0] if labels else ():
                    by_label[label].append(number)

    def count(self, budget: Row, span: Span) -> Counted:
        """The records that count: every list restricts, unless it is empty."""
        currency = budget["currencyCode"]
        accounts = self._counted_accounts
        if budget["accountIds"]:
            accounts = accounts.intersection(budget["accountIds"])
        categories = self._categories.with_descendants(budget["categoryIds"])
        amount = income = number = 0
        for part in self._parts:
            if not span.first <= part.first < span.end:
                continue
            for own_currency, account, category, type_, found in self._groups(
                part, budget["labelIds"]
            ):
                if (
                    own_currency != currency
                    or account not in accounts
                    or (categories and category not in categories)
                ):
                    continue
                kind = self._kind_of(category)
                # Where a budget names categories, what comes in is a refund.
                if kind == INCOME or (kind is None and type_ == INCOME and not categories):
                    income += found.amount
                else:
                    amount += found.amount
                    number += found.number
        return Counted(-amount, income, number)

    def _kind_of(self, category_id: str | None) -> str | None:
        row = self._categories.rows.get(category_id or "")
        return None if row is None else row["kind"]

    def _groups(self, part: Span, label_ids: tuple[str, ...]) -> Iterable[_Group]:
        """The groups of the part, each once; where there are labels, those with one of them."""
        groups = self._parts[part]
        if not label_ids:
            return groups
        by_label = self._by_label[part]
        numbers = set().union(*(by_label.get(label, ()) for label in label_ids))
        return [groups[number] for number in numbers]


def _parts(spans: Iterable[Span]) -> list[Span]:
    """What lies between the ends of the spans, as far as it is within one."""
    distinct = set(spans)
    ends = sorted({end for span in distinct for end in (span.first, span.end)})
    parts = (Span(first, end) for first, end in pairwise(ends))
    return [p for p in parts if any(s.first <= p.first < s.end for s in distinct)]


def _within(part: Span) -> list[Condition]:
    """The records of the part that are no transfers."""
    conditions = [condition_on(RECORDS, "transferId", Operator.IS_NULL)]
    if part.first > MIN_SECONDS:
        first = Span(part.first, part.first + 1)
        conditions.append(condition_on(RECORDS, "recordDate", Operator.GTE, first))
    if part.end <= MAX_SECONDS:
        end = Span(part.end, part.end + 1)
        conditions.append(condition_on(RECORDS, "recordDate", Operator.LT, end))
    return conditions
