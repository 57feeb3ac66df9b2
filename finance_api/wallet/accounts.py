"""Accounts, with the sums of their records: GET /wallet/v1/api/accounts"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api.endpoint import Service
from finance_api.api.openapi.schemas import date_time, of_members, value
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.query.model import any_of
from finance_api.resources import ACCOUNTS
from finance_api.resources.common import INCOME
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.wallet import lists, parameters, shapes

_BALANCE_MODES = {"CreditCard": "creditCardManual", "Overdraft": "overdraftManual"}
#: Earlier versions sent a hundredth of the initial balance, which clients multiply by 100.
_HUNDREDTHS = DECIMALS + 2


@shapes.member("balanceMode", value("How apps display the balance.", "standard"), always=True)
def _balance_mode(row: Row) -> Any:
    return _BALANCE_MODES.get(row["accountType"], "standard")


_FORMULA = "initial + totalIncomes - totalExpenses"


_BALANCE = shapes.Shape(
    ACCOUNTS,
    "currentBalance=balance rawCurrentBalance=balance initial=initialBalance currencyCode "
    "balanceMode formula",
    _balance_mode,
    shapes.constant("formula", value("How the balance is calculated.", _FORMULA), _FORMULA),
    title="AccountBalance",
)


@shapes.member("isInvestmentAccount", value("Whether its type is Investment.", False), always=True)
def _is_investment(row: Row) -> Any:
    return row["accountType"] == "Investment"


@shapes.member("initialBalance", shapes.MONEY)
def _initial_balance(row: Row) -> Any:
    return shapes.amount(row["initialBalance"], row["currencyCode"], _HUNDREDTHS)


def base_currency(context: shapes.Context) -> str | None:
    """Return the currency of most accounts; on a tie, the one with the first code."""
    data, user_id = context.reading.storage.data, context.reading.user_id
    codes = sorted(account["currencyCode"] for account in data.scan_rows(user_id, ACCOUNTS))
    return max(codes, key=codes.count, default=None)


def in_base_currency(name: str, amount: shapes.Member) -> shapes.Member:
    """Make a member with an amount only if it is in the base currency: no rate is guessed."""

    def write_of(context: shapes.Context) -> shapes.Write:
        base, write = base_currency(context), amount.write_of(context)
        return lambda row: write(row) if row["currencyCode"] == base else None

    return shapes.Member(name, write_of, shapes.MONEY)


_SPAN = of_members("TimeSpan", {"min": date_time("The first."), "max": date_time("The last.")})


@shapes.member_of_page(
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
    always=True,
)
def _stats(context: shapes.Context) -> shapes.Write:
    """Write the sums of each account's records, without void ones as in the list."""
    data, user_id = context.reading.storage.data, context.reading.user_id
    by_account: dict[str, dict[str, RecordSum]] = {row["id"]: {} for row in context.rows}
    of_accounts = any_of("accountId", by_account)
    sums = data.sum_by(user_id, ("accountId", "recordType"), [of_accounts])
    for (account_id, record_type), record_sum in sums.items():
        by_account[account_id][record_type] = record_sum
    times = data.record_times(user_id)
    return lambda row: _stats_of(by_account[row["id"]], times.get(row["id"]))


def _stats_of(sums: Mapping[str, RecordSum], times: tuple[int, int, int] | None) -> dict[str, Any]:
    """Return the member. sums: by the type of the records. times: see `record_times`."""
    income = sum(each.amount for kind, each in sums.items() if kind == INCOME)
    expense = sum(each.amount for kind, each in sums.items() if kind != INCOME)
    stats: dict[str, Any] = {
        "recordCount": sum(each.number for each in sums.values()),
        "totalIncomes": shapes.decimal(income),
        "totalExpenses": shapes.decimal(-expense),
    }
    if sums:
        stats["recordDate"] = {
            "min": shapes.moment(min(each.first for each in sums.values())),
            "max": shapes.moment(max(each.last for each in sums.values())),
        }
    if times is not None:
        first, last, changed = map(shapes.moment, times)
        stats |= {"createdAt": {"min": first, "max": last}, "lastUpdatedAt": changed}
    return stats


ACCOUNT = shapes.Shape(
    ACCOUNTS,
    "id name accountType currencyCode color bankAccountNumber archived excludeFromStats isBankSync "
    f"isInvestmentAccount balance recordStats {shapes.TIMES}",
    _is_investment,
    shapes.Member("balance", _BALANCE.document_of, _BALANCE.schema, always=True),
    *(_stats, _initial_balance, in_base_currency("initialBaseBalance", _initial_balance)),
    older="initialBalance initialBaseBalance",
    always={"isBankSync": False},
)

accounts = Service("wallet.accounts", "/wallet/v1/api/accounts", ACCOUNTS.meaning)


@accounts.get(
    schema=parameters.ListSchema(
        ACCOUNTS,
        "name accountType currencyCode archived",
        parameters.exact(ACCOUNTS["bankAccountNumber"]),
        parameters.related("budgetId", "accountIds", empty_is_all=True),
    ),
    permission=Permission.ACCOUNTS_READ,
    answer=partial(lists.list_page, ACCOUNT),
    response=lists.page_response(ACCOUNT),
)
def list_accounts(request: Request) -> Response:
    return lists.respond_with_objects(request)
