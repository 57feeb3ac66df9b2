"""Which records count in statistics: void ones, transfers and excluded accounts do not."""

from collections.abc import Iterable, Sequence
from typing import cast

from finance_api.query.model import NOT_VOID, Condition, Operator, any_of, condition_on
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import Storage
from finance_api.values import Row

NO_TRANSFERS = condition_on(RECORDS, "transferId", Operator.IS_NULL)


def counted_only(
    storage: Storage, user_id: int, conditions: Sequence[Condition]
) -> tuple[Condition, ...]:
    """Return the conditions, with conditions added that keep only the records that count."""
    accounts = storage.data.scan_rows(user_id, ACCOUNTS)
    counted = (*conditions, NOT_VOID, NO_TRANSFERS)
    excluded = excluded_accounts(accounts, conditions)
    if not excluded:
        return counted
    return (*counted, any_of("accountId", {row["id"] for row in accounts} - excluded))


def excluded_accounts(accounts: Iterable[Row], conditions: Iterable[Condition]) -> frozenset[str]:
    """Return the ids of accounts with excludeFromStats that no condition names."""
    named = {
        account_id
        for condition in conditions
        if condition.field.name == "accountId" and condition.operator is Operator.ANY_OF
        for account_id in cast("tuple[str, ...]", condition.operand)
    }
    return frozenset(row["id"] for row in accounts if row["excludeFromStats"]) - named
