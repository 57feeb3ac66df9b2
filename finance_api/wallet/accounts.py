"""Accounts below /wallet, with the sums of their records."""

from collections.abc import Mapping
from typing import Any

from finance_api.api.openapi.schemas import date_time, of_members, value
from finance_api.query.model import Operator, condition_on
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import INCOME
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.wallet.members import (
    MONEY,
    TIMES,
    Context,
    Shape,
    amount,
    decimal,
    member,
    members,
    moment,
)
from finance_api.wallet.names import base_currency

_BALANCE_MODES = {"CreditCard": "creditCardManual", "Overdraft": "overdraftManual"}
#: Earlier versions sent a hundredth of the initial balance, which clients multiply by 100.
_HUNDREDTHS = DECIMALS + 2


@member("balanceMode", value("How apps display the balance.", "standard"), is_optional=False)
def _balance_mode(row: Row, context: Context) -> Any:
    return _BALANCE_MODES.get(row["accountType"], "standard")


_FORMULA = "initial + totalIncomes - totalExpenses"


@member("formula", value("How the balance is calculated.", _FORMULA), is_optional=False)
def _formula(row: Row, context: Context) -> Any:
    return _FORMULA


_BALANCE = Shape(
    "AccountBalance",
    members(
        ACCOUNTS,
        "currentBalance=balance rawCurrentBalance=balance initial=initialBalance currencyCode "
        "balanceMode formula",
        _balance_mode,
        _formula,
    ),
)


@member("balance", _BALANCE.schema, is_optional=False)
def _balance(row: Row, context: Context) -> Any:
    return _BALANCE.documents([row], context)[0]


@member("isInvestmentAccount", value("Whether its type is Investment.", False), is_optional=False)
def _is_investment(row: Row, context: Context) -> Any:
    return row["accountType"] == "Investment"


@member("initialBalance", MONEY)
def _initial_balance(row: Row, context: Context) -> Any:
    return amount(row["initialBalance"], row["currencyCode"], _HUNDREDTHS)


@member("initialBaseBalance", MONEY)
def _initial_base_balance(row: Row, context: Context) -> Any:
    """Return the initial balance only if it is in the base currency: no rate is guessed."""
    is_base = row["currencyCode"] == context.once(base_currency)
    return _initial_balance.write(row, context) if is_base else None


_SPAN = of_members("TimeSpan", {"min": date_time("The first."), "max": date_time("The last.")})


@member(
    "recordStats",
    of_members(
        "AccountStats",
        {
            "recordCount": value("Number of records, without void ones.", 6),
            "totalIncomes": value("Sum of the income, positive.", 2500, type="number"),
            "totalExpenses": value("Sum of the expenses, positive.", 162.49),
            "recordDate": _SPAN,
            "createdAt": _SPAN,
            "lastUpdatedAt": date_time("Time of the last change of a record."),
        },
        ["recordCount", "totalIncomes", "totalExpenses"],
    ),
    is_optional=False,
)
def _stats(row: Row, context: Context) -> Any:
    sums = context.once(_sums)[row["id"]]
    income = sum(each.amount for kind, each in sums.items() if kind == INCOME)
    expense = sum(each.amount for kind, each in sums.items() if kind != INCOME)
    stats: dict[str, Any] = {
        "recordCount": sum(each.number for each in sums.values()),
        "totalIncomes": decimal(income),
        "totalExpenses": decimal(-expense),
    }
    if sums:
        stats["recordDate"] = {
            "min": moment(min(each.first for each in sums.values())),
            "max": moment(max(each.last for each in sums.values())),
        }
    times = context.once(_times).get(row["id"])
    if times is not None:
        first, last, changed = map(moment, times)
        stats |= {"createdAt": {"min": first, "max": last}, "lastUpdatedAt": changed}
    return stats


def _sums(context: Context) -> Mapping[str, Mapping[str, RecordSum]]:
    """Return the sums of each account's records by type, without void ones as in the list."""
    data, user_id = context.reading.storage.data, context.reading.user_id
    by_account: dict[str, dict[str, RecordSum]] = {row["id"]: {} for row in context.rows}
    of_accounts = condition_on(RECORDS, "accountId", Operator.ANY_OF, tuple(sorted(by_account)))
    sums = data.sum_by(user_id, ("accountId", "recordType"), [of_accounts])
    for (account_id, record_type), record_sum in sums.items():
        by_account[account_id][record_type] = record_sum
    return by_account


def _times(context: Context) -> Mapping[str, tuple[int, int, int]]:
    return context.reading.storage.data.record_times(context.reading.user_id)


ACCOUNT = Shape(
    "Account",
    members(
        ACCOUNTS,
        "id name accountType currencyCode color bankAccountNumber archived excludeFromStats "
        f"isBankSync isInvestmentAccount balance recordStats {TIMES}",
        *(_is_investment, _balance, _stats),
        always={"isBankSync": False},
    ),
    (_initial_balance, _initial_base_balance),
)
