"""How much of a budget is spent, how much of a goal is saved, and when it will be reached."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from finance_api.planning.categories import CategoryTree
from finance_api.planning.counted import is_received
from finance_api.query.model import Condition, Span, any_of, dated
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES
from finance_api.resources.common import EXPENSE
from finance_api.resources.currencies import smallest_units
from finance_api.resources.field import names_of
from finance_api.resources.plans import CUSTOM, PERIODS
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.number import ratio_units, to_units
from finance_api.values.period_limits import split_limits
from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    date_text,
    end_of,
    start_of,
)

_OUTSIDE = dict.fromkeys(names_of(BUDGETS.computed_fields))
#: Fields that decide which budgets a record counts for. Only budgets with labels need labelIds.
_KEY = ("currencyCode", "accountId", "categoryId", "recordType", "isTransfer", "labelIds")

#: A combination of label ids, and the exact sum and number of a group's records that have it.
_Labelled = tuple[tuple[str, ...], int, int]


class BudgetPeriod(NamedTuple):
    """First seconds of the first and the last day; None if a custom budget has no such date."""

    start: int | None
    end: int | None


def current_period(budget: Row, today: int) -> BudgetPeriod | None:
    """Return the week (from Monday), month or year of today; if custom, startDate to endDate.

    None if ``today`` is before startDate or after endDate.
    """
    start, end = budget["startDate"], budget["endDate"]
    if (start is not None and today < start) or (end is not None and today > end):
        return None
    if budget["type"] == CUSTOM:
        return BudgetPeriod(start, end)
    period = PERIODS[budget["type"]]
    return BudgetPeriod(start_of(period, today), end_of(period, today) - DAY_SECONDS)


def last_periods(budget: Row, today: int, number: int) -> list[BudgetPeriod]:
    """Return the budget's periods among the last ``number`` up to ``today``, newest first.

    A custom budget has one period.
    """
    start, end = budget["startDate"], budget["endDate"]
    if budget["type"] == CUSTOM:
        return [] if start is not None and start > today else [BudgetPeriod(start, end)]
    period, found = PERIODS[budget["type"]], []
    day = today
    for _ in range(number):
        first, last = start_of(period, day), end_of(period, day) - DAY_SECONDS
        if (start is None or start <= last) and (end is None or first <= end):
            found.append(BudgetPeriod(first, last))
        if first <= MIN_SECONDS:
            break
        day = first - 1
    return found


class RecordGroup(NamedTuple):
    """Records with equal values of _KEY, except labels. kind: their category's kind, if any."""

    currency: str
    account_id: str
    category_id: str | None
    record_type: str
    is_transfer: bool
    kind: str | None
    amount: int
    number: int


#: A group of records, and its parts by labels.
_Group = tuple[RecordGroup, list[_Labelled]]


def tracked_budgets(
    storage: Storage, user_id: int, today: int, budgets: Sequence[Row]
) -> list[Row]:
    """Return the budgets with their computed fields, which are None outside a budget's dates."""
    periods = [current_period(budget, today) for budget in budgets]
    return track(storage, user_id, today, list(zip(budgets, periods, strict=True)))


def track(
    storage: Storage, user_id: int, today: int, asked: Sequence[tuple[Row, BudgetPeriod | None]]
) -> list[Row]:
    """Return the budgets with their computed fields. asked: each budget with its period.

    Reads each record at most once, however many budgets with labels it counts for.
    """
    within = [(budget, span_of(period)) for budget, period in asked if period is not None]
    sums = BudgetSums(storage, user_id, within)
    return [
        {**budget, **(_OUTSIDE if period is None else _tracked(sums, budget, period, today))}
        for budget, period in asked
    ]


def _tracked(sums: "BudgetSums", budget: Row, period: BudgetPeriod, today: int) -> Row:
    spent, income, number = sums.count(budget, span_of(period))
    limit = period_limit(budget, period)
    remaining = None if limit is None else limit - spent
    return {
        "periodStart": period.start,
        "periodEnd": period.end,
        "periodLimit": limit,
        "spent": spent,
        "income": income,
        "remaining": remaining,
        "remainingPerDay": _per_day(budget, period, remaining, today),
        "progress": None if limit is None else ratio_units(spent, limit),
        "recordCount": number,
    }


def _per_day(budget: Row, period: BudgetPeriod, remaining: int | None, today: int) -> int | None:
    """Return the part of an amount for each day that is left; None if today is not in the period,
    or the period has no end.
    """
    if remaining is None or period.end is None or not span_of(period).first <= today <= period.end:
        return None
    days = (period.end - today) // DAY_SECONDS + 1
    smallest = smallest_units(budget["currencyCode"])
    return max(0, remaining) // days // smallest * smallest


def period_limit(budget: Row, period: BudgetPeriod) -> int | None:
    """Return the period's own limit, or else the budget's."""
    own = dict(split_limits(budget["limitOverrides"]))
    limit = None if period.start is None else own.get(date_text(period.start))
    return budget["limitAmount"] if limit is None else to_units(Decimal(limit))


def span_of(period: BudgetPeriod) -> Span:
    return Span(
        MIN_SECONDS if period.start is None else period.start,
        MAX_SECONDS + 1 if period.end is None else period.end + DAY_SECONDS,
    )


class BudgetSums:
    """Sums of a user's records. The ends of the budgets' spans divide time into parts.

    Stored sums have no labels, so the sums for budgets with labels are added up from records.
    """

    def __init__(self, storage: Storage, user_id: int, asked: Iterable[tuple[Row, Span]]) -> None:
        """asked: budgets, each with the span of time whose records count."""
        self._categories = CategoryTree(storage.data.scan_rows(user_id, CATEGORIES))
        accounts = storage.data.scan_rows(user_id, ACCOUNTS)
        self._counted_accounts = {a["id"] for a in accounts if not a["excludeFromStats"]}
        spans: dict[bool, set[Span]] = {True: set(), False: set()}
        labels: set[str] = set()
        for budget, span in asked:
            spans[bool(budget["labelIds"])].add(span)
            labels.update(budget["labelIds"])
        with_any = [any_of("labelIds", labels)]
        #: The groups in each part of time: True for budgets with labels, False for those without.
        self._parts = {
            True: {p: self._read(storage, user_id, p, _KEY, with_any) for p in _parts(spans[True])},
            False: {p: self._read(storage, user_id, p, _KEY[:-1]) for p in _parts(spans[False])},
        }

    def _read(
        self,
        storage: Storage,
        user_id: int,
        part: Span,
        names: Sequence[str],
        conditions: Sequence[Condition] = (),
    ) -> list[_Group]:
        found, kind_of = [*conditions, dated(part.first, part.end)], self._categories.kind_of
        by_key: defaultdict[tuple[Any, ...], list[_Labelled]] = defaultdict(list)
        for key, sums in in_time(storage.data.sum_by(user_id, names, found).items()):
            labels = key[5] if len(key) > 5 else ()
            by_key[key[:5]].append((labels, sums.amount, sums.number))
        return [
            (RecordGroup._make((*key, kind_of(key[2]), *_totals(labelled))), labelled)
            for key, labelled in in_time(by_key.items())
        ]

    def count(self, budget: Row, span: Span) -> tuple[int, int, int]:
        """Return what was spent in the span, the income, and the number of records in spent.

        Leaves out transfers and other currencies.
        """
        amount = income = number = 0
        for group in self.groups_of(budget, span):
            if group.is_transfer or group.currency != budget["currencyCode"]:
                continue
            # In a budget that names categories, incoming money is a refund.
            if is_received(group.kind, EXPENSE if budget["categoryIds"] else group.record_type):
                income += group.amount
            else:
                amount += group.amount
                number += group.number
        return -amount, income, number

    def groups_of(self, budget: Row, span: Span) -> Iterator[RecordGroup]:
        """Yield the groups that the budget covers. An empty list in a budget restricts nothing."""
        accounts = self._counted_accounts
        if budget["accountIds"]:
            accounts = accounts.intersection(budget["accountIds"])
        categories = self._categories.with_descendants(budget["categoryIds"])
        labels = frozenset(budget["labelIds"])
        for part, groups in self._parts[bool(labels)].items():
            if not span.first <= part.first < span.end:
                continue
            check_time()
            for group, labelled in groups:
                if group.account_id not in accounts:
                    continue
                if categories and group.category_id not in categories:
                    continue
                if not labels:
                    yield group
                elif found := [each for each in labelled if not labels.isdisjoint(each[0])]:
                    amount, number = _totals(found)
                    yield group._replace(amount=amount, number=number)


def _totals(labelled: Sequence[_Labelled]) -> tuple[int, int]:
    return sum([amount for _, amount, _ in labelled]), sum([number for _, _, number in labelled])


def _parts(distinct: set[Span]) -> list[Span]:
    """Divide time where spans begin and end; return the parts that are in at least one span."""
    ends = sorted({end for span in distinct for end in (span.first, span.end)})
    parts = (Span(first, end) for first, end in pairwise(ends))
    return [p for p in parts if any(s.first <= p.first < s.end for s in distinct)]


# -- goals ----------------------------------------------------------------------------------------

#: The rate is measured over this many days before today, or since the first record.
RATE_DAYS = 180
#: If records cover fewer days, no rate is computed.
LEAST_DAYS = 30

#: Sums of records, by the account or label and the currency.
_Sums = dict[tuple[str, str], RecordSum]


class Saved(NamedTuple):
    """change: how much the amount grew in the last ``days`` days. days: 0 if there is no rate."""

    amount: int
    change: int = 0
    days: int = 0


def tracked_goals(storage: Storage, user_id: int, today: int, goals: Sequence[Row]) -> list[Row]:
    """Return the goals with their computed fields."""
    links = {
        name: _Link(
            storage, user_id, today, field, frozenset(goal[name] for goal in goals) - {None}
        )
        for name, field in (("accountId", "accountId"), ("labelId", "labelIds"))
    }
    return [{**goal, **_tracked_goal(goal, _saved(goal, links), today)} for goal in goals]


def _tracked_goal(goal: Row, saved: Saved | None, today: int) -> Row:
    target = goal["targetAmount"]
    if saved is None:
        return dict.fromkeys(("currentAmount", "remaining", "progress", "expectedDate"))
    return {
        "currentAmount": saved.amount,
        "remaining": None if target is None else max(0, target - saved.amount),
        "progress": None if target is None else ratio_units(saved.amount, target),
        "expectedDate": None if target is None else _expected(saved, target, today),
    }


def _expected(saved: Saved, target: int, today: int) -> int | None:
    """Return the day on which the target will be reached; None if reached already, or never."""
    left = target - saved.amount
    if left <= 0 or saved.change <= 0 or not saved.days:
        return None
    day = today - -left * saved.days // saved.change * DAY_SECONDS
    return day if day <= MAX_SECONDS else None


def _saved(goal: Row, links: Mapping[str, "_Link"]) -> Saved | None:
    """Return the savings; None if the linked account or label has none in the goal's currency."""
    if goal["accountId"] is not None:
        return links["accountId"].of_account(goal["accountId"], goal["currencyCode"])
    if goal["labelId"] is not None:
        return links["labelId"].of_label(goal["labelId"], goal["currencyCode"])
    return Saved(goal["savedAmount"])


class _Link:
    """The sums of the accounts or labels that goals link to. field: the records' field for them."""

    def __init__(
        self, storage: Storage, user_id: int, today: int, field: str, ids: frozenset[str]
    ) -> None:
        since = max(MIN_SECONDS, today - RATE_DAYS * DAY_SECONDS)
        data, is_account, names = storage.data, field == "accountId", (field, "currencyCode")

        def read(first: int, end: int) -> _Sums:
            sums: _Sums = {}
            linked = [any_of(field, ids), dated(first, end)]
            for (value, currency), part in data.sum_by(user_id, names, linked).items():
                for linked_id in ids.intersection((value,) if is_account else value):
                    key = linked_id, currency
                    sums[key] = sums[key].joined(part) if key in sums else part
            return sums

        self._today = today
        self._accounts = data.get_rows(user_id, ACCOUNTS, ids) if is_account and ids else {}
        self._before = read(MIN_SECONDS, since) if ids else {}
        self._within = read(since, today + DAY_SECONDS) if ids else {}
        # Balances include records of days to come.
        self._to_come = read(today + DAY_SECONDS, MAX_SECONDS + 1) if self._accounts else {}

    def of_account(self, account_id: str, currency: str | None) -> Saved | None:
        """Return the account's balance of today; None if ``currency`` is a different one."""
        account = self._accounts[account_id]
        if currency not in (None, account["currencyCode"]):
            return None
        key = account_id, account["currencyCode"]
        to_come = self._to_come[key].amount if key in self._to_come else 0
        return self._with_rate(key, account["balance"] - to_come)

    def of_label(self, label_id: str, currency: str | None) -> Saved | None:
        """Return the sum of the label's records until today; 0 if there are no records.

        None if ``currency`` is None and the records have several currencies.
        """
        keys = [key for key in {**self._before, **self._within} if key[0] == label_id]
        if currency is None and len(keys) == 1:
            currency = keys[0][1]
        if currency is None:
            return None if keys else Saved(0)
        key = label_id, currency
        parts = [sums[key].amount for sums in (self._before, self._within) if key in sums]
        return self._with_rate(key, sum(parts))

    def _with_rate(self, key: tuple[str, str], amount: int) -> Saved:
        within = self._within.get(key)
        if within is None:
            return Saved(amount)
        days = RATE_DAYS
        if key not in self._before:
            days = (self._today - within.first) // DAY_SECONDS + 1
        return Saved(amount, within.amount, days) if days >= LEAST_DAYS else Saved(amount)
