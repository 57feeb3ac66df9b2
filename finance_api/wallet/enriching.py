"""Data that records, accounts and budgets show besides their rows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.planning import tracking
from finance_api.planning.conversion import Conversion
from finance_api.query.model import Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.common import INCOME
from finance_api.resources.plans import CUSTOM, WEEK, YEAR
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.number import ratio_units
from finance_api.values.time import Period, date_text, period_text, start_of
from finance_api.wallet.members import Context, decimal, moment
from finance_api.wallet.parameters import UNKNOWN_CATEGORIES

# -- transfers, converted amounts, sums of accounts -----------------------------------------------


def add_transfers_and_rates(reading: Reading, records: Sequence[Row], context: Context) -> None:
    context.mirrors = mirrors_of(reading, records)
    target = context.given["convertTo"]
    context.converts = target is not None
    if target == "base":
        target = context.names.base
    if target is not None and target != "account":
        days = {start_of(Period.DAY, row["recordDate"]) for row in records}
        context.conversion = Conversion(reading.storage, target, days)


def mirrors_of(reading: Reading, records: Sequence[Row]) -> dict[str, Row]:
    """Return record id -> the other record of its transfer (if several, the first by id)."""
    transfers = {row["id"]: row["transferId"] for row in records if row["transferId"] is not None}
    if not transfers:
        return {}
    ids = set(transfers.values())
    by_transfer = reading.storage.data.get_transfers(reading.user_id, ids)
    mirrors = {}
    for record_id, transfer_id in transfers.items():
        others = (row for row in by_transfer.get(transfer_id, ()) if row["id"] != record_id)
        mirror = next(others, None)
        if mirror is not None:
            mirrors[record_id] = mirror
    return mirrors


def add_sums(reading: Reading, accounts: Sequence[Row], context: Context) -> None:
    """Add the sums of each account's records, without void records, as in the list of records."""
    storage, user_id = reading.storage, reading.user_id
    ids = tuple(sorted(row["id"] for row in accounts))
    of_accounts = condition_on(RECORDS, "accountId", Operator.ANY_OF, ids)
    sums = storage.data.sum_by(user_id, ("accountId", "recordType"), [of_accounts])
    by_account: dict[str, dict[str, RecordSum]] = {row_id: {} for row_id in ids}
    for (account_id, record_type), record_sum in sums.items():
        by_account[account_id][record_type] = record_sum
    times = storage.data.record_times(user_id)
    context.stats = {
        account_id: _stats(of) | _times(times.get(account_id))
        for account_id, of in by_account.items()
    }


def _times(times: tuple[int, int, int] | None) -> dict[str, Any]:
    if times is None:
        return {}
    first, last, changed = map(moment, times)
    return {"createdAt": {"min": first, "max": last}, "lastUpdatedAt": changed}


def _stats(sums: Mapping[str, RecordSum]) -> dict[str, Any]:
    income = sum(of.amount for kind, of in sums.items() if kind == INCOME)
    expense = sum(of.amount for kind, of in sums.items() if kind != INCOME)
    stats: dict[str, Any] = {
        "recordCount": sum(of.number for of in sums.values()),
        "totalIncomes": decimal(income),
        "totalExpenses": decimal(-expense),
    }
    if sums:
        first, last = min(s.first for s in sums.values()), max(s.last for s in sums.values())
        stats["recordDate"] = {"min": moment(first), "max": moment(last)}
    return stats


# -- the spending of budgets ----------------------------------------------------------------------


#: Wallet's own category of debts, which imported data may contain.
_DEBT = "5c5c4e20-00c8-8000-8000-000000000000"

_TEXTS = {WEEK: Period.WEEK, YEAR: Period.YEAR}


def add_spending(reading: Reading, rows: Sequence[Row], context: Context) -> None:
    storage, user_id = reading.storage, reading.user_id
    number = context.given["spending"]
    if number is None:
        return
    today = context.today
    asked = [(row, tracking.current_period(row, today), _past(row, today, number)) for row in rows]
    within = [
        (b, tracking.span_of(p)) for b, now, past in asked for p in (now, *past) if p is not None
    ]
    sums = tracking.BudgetSums(storage, user_id, within)
    computed_at = moment(max(today, context.changed_at))
    for row, current, past in asked:
        context.spending[row["id"]] = {
            "computedAt": computed_at,
            "current": None if current is None else _spending(sums, row, current, context),
            "past": [_spending(sums, row, period, context) for period in past],
        }


def _past(budget: Row, today: int, number: int) -> list[tracking.BudgetPeriod]:
    """Return up to ``number`` periods before the current one, newest first."""
    current = tracking.current_period(budget, today)
    found = [p for p in tracking.last_periods(budget, today, number + 1) if p != current]
    return found[:number]


def _spending(
    sums: tracking.BudgetSums, budget: Row, period: tracking.BudgetPeriod, context: Context
) -> dict[str, Any]:
    limit = budget["limitAmount"]
    groups = list(sums.groups_of(budget, tracking.span_of(period)))
    own = [group for group in groups if group.currency == budget["currencyCode"]]
    counted = [group for group in own if _excluded_as(group) is None]
    incomes = _sum(group for group in counted if group.record_type == INCOME)
    expenses = -_sum(group for group in counted if group.record_type != INCOME)
    spent = expenses - incomes
    found: dict[str, Any] = {
        "period": _text(budget, period),
        "periodStart": None if period.start is None else date_text(period.start),
        "periodEnd": None if period.end is None else date_text(period.end),
        "effectiveLimit": decimal(limit),
        "spent": decimal(spent),
        "remaining": None if limit is None else decimal(limit - spent),
        "progress": None if limit is None else decimal(ratio_units(spent, limit)),
        "overspent": None if limit is None else decimal(max(spent - limit, 0)),
        "totalExpenses": decimal(expenses),
        "totalIncomes": decimal(incomes),
        "recordCount": sum(group.number for group in counted),
        "convertedCurrencies": [],
        # Records of other currencies are not converted, and not counted.
        "incomplete": len(own) < len(groups),
        "excluded": _excluded([group for group in own if _excluded_as(group) is not None]),
    }
    return {**found, "limit": decimal(limit)} if context.has_older else found


def _text(budget: Row, period: tracking.BudgetPeriod) -> str:
    if budget["type"] == CUSTOM or period.start is None:
        return "custom"
    return period_text(_TEXTS.get(budget["type"], Period.MONTH), period.start)


def _excluded_as(group: tracking.RecordGroup) -> str | None:
    if group.is_transfer:
        return "transfers"
    if group.category_id == _DEBT:
        return "debts"
    if group.category_id is None or group.category_id in UNKNOWN_CATEGORIES:
        return "unknownCategories"
    return "incomeCategories" if group.kind == INCOME else None


def _excluded(groups: Sequence[tracking.RecordGroup]) -> dict[str, Any]:
    counts: Counter[str | None] = Counter()
    for group in groups:
        counts[_excluded_as(group)] += group.number
    names = ("transfers", "debts", "incomeCategories", "unknownCategories")
    return {
        "total": counts.total(),
        **{name: counts[name] for name in names},
        "totalAmountSum": decimal(_sum(groups)),
    }


def _sum(groups: Iterable[tracking.RecordGroup]) -> int:
    return sum(group.amount for group in groups)
