"""Wallet's objects as tables of members: what each is called there, and what it is here."""

from typing import Any

from finance_api.api.wallet.context import Context, category_embed
from finance_api.api.wallet.members import (
    Member,
    always,
    amount,
    day,
    decimal,
    instant,
    moment,
    money,
    number,
    same,
    slug,
)
from finance_api.planning.recurrence import next_due
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.number import DECIMALS, rounded
from finance_api.values.periods import Period, start_of
from finance_api.values.time import date_text

#: The category.envelopeId of a transfer in earlier versions.
_TRANSFER_ENVELOPE = 20001
#: So many decimals has the ratio of a conversion.
_RATIO_DECIMALS = 10

_TIMES = (Member("createdAt", instant("createdAt")), Member("updatedAt", instant("updatedAt")))


def _labels(row: Row, context: Context) -> list[Any]:
    known, ids = context.names.labels, row["labelIds"]
    return [known[label] for label in ids if label in known] if ids else []


def _category(row: Row, context: Context) -> Any:
    return context.names.categories.get(row["categoryId"])


# -- records -----------------------------------------------------------------------------------


def _record_category(row: Row, context: Context) -> Any:
    """With the envelope of earlier versions, by which clients leave transfers out."""
    if row["transferId"] is None:
        return _category(row, context)
    return {**(_category(row, context) or {}), "envelopeId": _TRANSFER_ENVELOPE}


def _transfer(row: Row, context: Context) -> Any:
    if row["transferId"] is None:
        return None
    mirror = context.mirrors.get(row["id"])
    found: dict[str, Any] = {
        "type": "unpaired" if mirror is None else "paired",
        "transferId": row["transferId"],
    }
    if mirror is not None:
        found["mirrorRecord"] = _mirror(mirror)
    return found


def _mirror(row: Row) -> dict[str, Any]:
    found = {
        "id": row["id"],
        "accountId": row["accountId"],
        "amount": amount(row["amount"], row["currencyCode"]),
        "counterParty": row["payee"],
        "note": row["note"],
    }
    return {name: value for name, value in found.items() if value is not None}


def _mirror_record(row: Row, context: Context) -> Any:
    mirror = context.mirrors.get(row["id"])
    return None if mirror is None else _mirror(mirror)


def _converted(row: Row, context: Context) -> Any:
    conversion = context.conversion
    currency, units = row["currencyCode"], row["amount"]
    if not context.converts:
        return None
    if conversion is None or conversion.target == currency:
        ratio: Any = 1
        return {"value": decimal(units), "ratio": ratio, "currencyCode": currency}
    at = start_of(Period.DAY, row["recordDate"])
    rate = conversion.rate(currency, at)
    pair = f"{currency}:{conversion.target}"
    if rate is None:
        error = f"there is no rate of {pair} of {date_text(at)} or the days before"
        return {"currencyCode": conversion.target, "conversionPair": pair, "error": error}
    return {
        "value": decimal(conversion.convert(units, currency, at)),
        "ratio": decimal(rounded(rate[0] * 10**_RATIO_DECIMALS, rate[1]), _RATIO_DECIMALS),
        "currencyCode": conversion.target,
        "conversionPair": pair,
    }


def _source(row: Row, context: Context) -> str:
    return "backend" if row["importId"] in context.names.statements else "missing"


def _in_base(name: str, decimals: int = DECIMALS) -> Any:
    """Only what is in the base currency: no rate is guessed."""

    def write(row: Row, context: Context) -> Any:
        currency = row["currencyCode"]
        return amount(row[name], currency, decimals) if currency == context.names.base else None

    return write


def _party(kind: str) -> Any:
    return lambda row, context: row["payee"] if row["recordType"] == kind else None


RECORD = (
    Member("id", same("id")),
    Member("accountId", same("accountId")),
    Member("accountName", same("accountName")),
    Member("accountIsBankSync", always(False)),
    Member("amount", money("amount")),
    Member("convertedAmount", _converted),
    Member("category", _category),
    Member("category", _record_category, older=True),
    Member("counterParty", same("payee")),
    Member("note", same("note")),
    Member("labels", _labels),
    Member("photos", always([])),
    Member("recordDate", instant("recordDate")),
    Member("recordState", same("recordState")),
    Member("recordType", same("recordType")),
    Member("source", _source),
    Member("transfer", _transfer, nullable=True),
    *_TIMES,
    Member("payee", _party(EXPENSE), older=True),
    Member("payer", _party(INCOME), older=True),
    Member("paymentType", same("paymentType"), older=True),
    Member("labelIds", same("labelIds"), older=True),
    Member("transferRecord", _mirror_record, older=True),
    Member("baseAmount", _in_base("amount"), older=True),
)

# -- accounts ----------------------------------------------------------------------------------

_BALANCE_MODES = {"CreditCard": "creditCardManual", "Overdraft": "overdraftManual"}
#: Earlier versions told hundredths of it, and clients multiply it by 100.
_HUNDREDTHS = DECIMALS + 2


def _balance(row: Row, context: Context) -> dict[str, Any]:
    balance = decimal(row["balance"])
    return {
        "currentBalance": balance,
        "rawCurrentBalance": balance,
        "initial": decimal(row["initialBalance"]),
        "currencyCode": row["currencyCode"],
        "balanceMode": _BALANCE_MODES.get(row["accountType"], "standard"),
        "formula": "initial + totalIncomes - totalExpenses",
    }


def _initial_balance(row: Row, context: Context) -> Any:
    return amount(row["initialBalance"], row["currencyCode"], _HUNDREDTHS)


ACCOUNT = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("accountType", same("accountType")),
    Member("currencyCode", same("currencyCode")),
    Member("color", same("color")),
    Member("bankAccountNumber", same("bankAccountNumber")),
    Member("archived", same("archived")),
    Member("excludeFromStats", same("excludeFromStats")),
    Member("isBankSync", always(False)),
    Member("isInvestmentAccount", lambda row, context: row["accountType"] == "Investment"),
    Member("balance", _balance),
    Member("recordStats", lambda row, context: context.stats[row["id"]]),
    *_TIMES,
    Member("initialBalance", _initial_balance, older=True),
    Member("initialBaseBalance", _in_base("initialBalance", _HUNDREDTHS), older=True),
)

# -- categories, labels, rules -----------------------------------------------------------------


def _system_id(row: Row, context: Context) -> str | None:
    if row["customCategory"] or row["group"] is None:
        return None
    return f"{slug(row['group'])}__{slug(row['name'])}"


CATEGORY = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("color", same("color")),
    Member("archived", same("archived")),
    Member("customCategory", same("customCategory")),
    Member("customName", always(False)),
    Member("enabled", always(True)),
    Member("cardinality", always("none")),
    Member("group", lambda row, context: category_embed(row).get("group")),
    Member("parentId", same("parentId")),
    Member("parentName", lambda row, context: context.names.parents.get(row["parentId"])),
    Member("systemId", _system_id),
    *_TIMES,
)

LABEL = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("color", same("color")),
    Member("archived", same("archived")),
    *_TIMES,
)

RECORD_RULE = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("keywords", same("keywords")),
    Member("category", _category),
    Member("labels", _labels),
    Member("fromAccountId", same("accountId")),
    *_TIMES,
)

# -- budgets, goals ----------------------------------------------------------------------------

BUDGET = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("currencyCode", same("currencyCode")),
    Member("type", same("type")),
    Member("limit", number("limitAmount"), nullable=True),
    Member("accountIds", same("accountIds")),
    Member("categoryIds", same("categoryIds")),
    Member("labelIds", same("labelIds")),
    Member("startDate", day("startDate")),
    Member("endDate", day("endDate")),
    Member("closed", same("closed")),
    Member("limitOverrides", always([])),
    Member("pastLimitOverrides", always([])),
    Member("spending", lambda row, context: context.spending.get(row["id"])),
    *_TIMES,
    Member("amount", number("limitAmount"), older=True),
)

GOAL = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("note", same("note")),
    Member("color", same("color")),
    Member("state", same("state")),
    Member("targetAmount", money("targetAmount")),
    Member("initialAmount", money("savedAmount")),
    Member("desiredDate", instant("desiredDate")),
    Member("stateUpdatedAt", instant("updatedAt")),
    *_TIMES,
)

# -- standing orders ---------------------------------------------------------------------------


def _type(row: Row, context: Context) -> Any:
    if row["type"] is not None or row["amount"] is None:
        return row["type"]
    return record_type(row["amount"])


def _size(row: Row, context: Context) -> Any:
    return None if row["amount"] is None else decimal(abs(row["amount"]))


def _due(row: Row, context: Context) -> str | None:
    return moment(next_due(row["recurrenceRule"], row["startDate"], context.today))


def _order_party(kind: str) -> Any:
    return lambda row, context: row["payee"] if _type(row, context) == kind else None


STANDING_ORDER = (
    Member("id", same("id")),
    Member("name", same("name")),
    Member("note", same("note")),
    Member("accountId", same("accountId")),
    Member("categoryId", same("categoryId")),
    Member("currencyCode", same("currencyCode")),
    Member("recurrenceRule", same("recurrenceRule")),
    Member("type", _type),
    Member("amount", _size),
    Member("counterParty", same("payee")),
    Member("labels", _labels),
    Member("dueDate", _due),
    Member("generateFromDate", instant("startDate")),
    Member("manualPayment", same("manualPayment")),
    Member("reminder", always("none")),
    Member("dueDateNotificationEnabled", always(False)),
    Member("threeDaysBeforeNotificationEnabled", always(False)),
    *_TIMES,
    Member("payee", _order_party(EXPENSE), older=True),
    Member("payer", _order_party(INCOME), older=True),
    Member("paymentType", same("paymentType"), older=True),
)

STANDING_ORDER_ITEM = (
    Member("id", same("id")),
    Member("standingOrderId", same("standingOrderId")),
    Member("originalDate", instant("originalDate")),
    Member("alignedDate", instant("originalDate")),
    Member("dismissed", always(False)),
    Member("recordIds", always([])),
)
