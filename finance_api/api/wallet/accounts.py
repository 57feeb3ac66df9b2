"""The sums that accounts show: of the records that are not void, as the list has them."""

from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.members import decimal, moment
from finance_api.query.model import Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.common import INCOME
from finance_api.storage.interface import RecordSum
from finance_api.values import Row


def enrich(reading: Reading, rows: Sequence[Row], context: Context) -> None:
    storage, user_id = reading.storage, reading.user_id
    ids = tuple(sorted(row["id"] for row in rows))
    named = condition_on(RECORDS, "accountId", Operator.ANY_OF, ids)
    sums = storage.data.sum_by(user_id, ("accountId", "recordType"), [named])
    by_account: dict[str, dict[str, RecordSum]] = {row["id"]: {} for row in rows}
    for (account_id, kind), found in sums.items():
        by_account[account_id][kind] = found
    times = storage.data.record_times(user_id)
    context.stats = {
        account_id: _stats(of) | _times(times.get(account_id))
        for account_id, of in by_account.items()
    }


def _times(found: tuple[int, int, int] | None) -> dict[str, Any]:
    if found is None:
        return {}
    first, last, changed = map(moment, found)
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
