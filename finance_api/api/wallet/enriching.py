"""Data that records and accounts show beside their rows: transfers, converted amounts, sums."""

from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.members import decimal, moment
from finance_api.planning.conversion import Conversion
from finance_api.query.model import Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.common import INCOME
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.time import Period, start_of


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
    """Return record id -> the other record of its transfer; of several, the first by id."""
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
    """Add the sums of the records that are not void, as the list has them."""
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
