"""Which records count in statistics, and whether they count as spent or received."""

from collections.abc import Iterable, Sequence
from typing import cast

from finance_api.query.model import NOT_VOID, Condition, any_of, condition_on, either
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.records import FLOW, RECEIVED
from finance_api.storage.interface import Storage
from finance_api.values import Row

NO_TRANSFERS = condition_on(RECORDS, "transferId", Operator.IS_NULL)


def counted_only(
    storage: Storage, user_id: int, conditions: Sequence[Condition]
) -> tuple[Condition, ...]:
    """Return the conditions, plus conditions that keep only the records that count."""
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


# -- flows ----------------------------------------------------------------------------------------


def is_received(kind: str | None, record_type: str) -> bool:
    """Whether a record counts as received. kind: the kind of its category, if any."""
    return (kind or record_type) == INCOME


def with_flow(
    storage: Storage, user_id: int, flow: str, conditions: Sequence[Condition]
) -> tuple[Condition, ...]:
    """Return the conditions, plus conditions that keep only the records of this flow."""
    kind = INCOME if flow == RECEIVED else EXPENSE
    kinds = {row["id"]: row["kind"] for row in storage.data.scan_rows(user_id, CATEGORIES)}
    same = [row_id for row_id, found in kinds.items() if found == kind]
    others = sorted(row_id for row_id, found in kinds.items() if found not in (kind, None))
    return (
        *conditions,
        condition_on(RECORDS, "categoryId", Operator.NE_OR_NULL, tuple(others)),
        either(FLOW, [any_of("categoryId", same), any_of("recordType", [kind])]),
    )
