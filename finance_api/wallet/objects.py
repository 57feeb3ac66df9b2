"""Wallet's objects as tables of members: the name in Wallet, and how we make the value."""

from typing import Any

from finance_api.api.openapi.schemas import date_time, of_given, of_members, value
from finance_api.api.openapi.schemas import of_field as field_schema
from finance_api.planning.conversion import no_rate
from finance_api.planning.recurrence import next_due
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.number import DECIMALS, rounded
from finance_api.values.time import Period, date_text, start_of
from finance_api.wallet.members import (
    Context,
    Member,
    Write,
    always,
    amount,
    category_embed,
    decimal,
    documents,
    moment,
    money,
    object_schema,
    of_field,
    slug,
    stored,
)
from finance_api.wallet.occurrences import DISMISSED, ORDER, ORIGINAL
from finance_api.wallet.schemas import (
    BALANCE,
    CATEGORY_EMBED,
    CONVERTED,
    GROUP,
    LABEL_EMBEDS,
    MONEY,
    RECORD_CATEGORY,
    SPENDING,
    STATS,
    or_null,
)

#: Decimals of the ratio of a conversion.
_RATIO_DECIMALS = 10
_TIMES = "createdAt updatedAt"
_NONE = {"type": "array", "description": "Always empty.", "items": {}, "examples": [[]]}
_PAYEE = value("Who was paid.", "Grocer")
_PAYER = value("Who paid.", "Employer")


def _labels(row: Row, context: Context) -> list[Any]:
    known = context.names.labels
    return [known[label] for label in row["labelIds"] if label in known]


def _category(row: Row, context: Context) -> Any:
    return context.names.categories.get(row["categoryId"])


_LABELS = Member("labels", _labels, LABEL_EMBEDS, is_optional=False)

# -- records -----------------------------------------------------------------------------------


def _record_category(row: Row, context: Context) -> Any:
    """Return the category; for transfers, with the ``envelopeId`` that marks them for clients."""
    if row["transferId"] is None:
        return _category(row, context)
    of_transfers = context.names.transfer_categories
    return of_transfers.get(row["categoryId"], of_transfers[None])


_MIRROR = (
    *stored(RECORDS, "id accountId"),
    money("amount", RECORDS["amount"]),
    *stored(RECORDS, "counterParty=payee note"),
)
_MIRROR_SCHEMA = object_schema("MirrorRecord", _MIRROR)
_TRANSFER = of_members(
    "Transfer",
    {
        "type": value(
            "Whether the other record of the transfer exists.",
            "paired",
            enum=["paired", "unpaired"],
        ),
        "transferId": of_given(RECORDS["transferId"]),
        "mirrorRecord": _MIRROR_SCHEMA,
    },
    ["type", "transferId"],
)


def _transfer(row: Row, context: Context) -> Any:
    if row["transferId"] is None:
        return None
    mirror = _mirror_record(row, context)
    transfer = {"type": "unpaired" if mirror is None else "paired", "transferId": row["transferId"]}
    return transfer if mirror is None else {**transfer, "mirrorRecord": mirror}


def _mirror_record(row: Row, context: Context) -> dict[str, Any] | None:
    mirror = context.mirrors.get(row["id"])
    return None if mirror is None else documents(_MIRROR, [mirror], context)[0]


def _converted(row: Row, context: Context) -> dict[str, Any] | None:
    if not context.converts:
        return None
    conversion = context.conversion
    currency = row["currencyCode"]
    if conversion is None or conversion.target == currency:
        return {"value": decimal(row["amount"]), "ratio": 1, "currencyCode": currency}
    at = start_of(Period.DAY, row["recordDate"])
    rate = conversion.rate(currency, at)
    pair = f"{currency}:{conversion.target}"
    if rate is None:
        error = no_rate(currency, conversion.target, date_text(at))
        return {"currencyCode": conversion.target, "conversionPair": pair, "error": error}
    return {
        "value": decimal(conversion.convert(row["amount"], currency, at)),
        "ratio": decimal(rounded(rate[0] * 10**_RATIO_DECIMALS, rate[1]), _RATIO_DECIMALS),
        "currencyCode": conversion.target,
        "conversionPair": pair,
    }


def _source(row: Row, context: Context) -> str:
    return "backend" if row["importId"] in context.names.statements else "missing"


def _base_amount(row: Row, context: Context) -> Any:
    """Return the amount only if it is in the base currency: no rate is guessed."""
    base = context.names.base
    return amount(row["amount"], base) if row["currencyCode"] == base else None


def _party(kind: str) -> Write:
    return lambda row, _: row["payee"] if row["recordType"] == kind else None


RECORD = (
    *stored(RECORDS, "id accountId accountName"),
    always("accountIsBankSync", False),
    money("amount", RECORDS["amount"]),
    Member("convertedAmount", _converted, CONVERTED),
    Member("category", _category, CATEGORY_EMBED),
    Member("category", _record_category, RECORD_CATEGORY, older=True),
    *stored(RECORDS, "counterParty=payee note"),
    _LABELS,
    always("photos", [], _NONE),
    *stored(RECORDS, "recordDate recordState recordType"),
    Member(
        "source",
        _source,
        value("backend for records from statement files, missing for all others.", "missing"),
        is_optional=False,
    ),
    Member(
        "transfer",
        _transfer,
        or_null(_TRANSFER, "The transfer that the record belongs to."),
        is_optional=False,
        nullable=True,
    ),
    *stored(RECORDS, _TIMES),
    Member("payee", _party(EXPENSE), _PAYEE, older=True),
    Member("payer", _party(INCOME), _PAYER, older=True),
    *stored(RECORDS, "paymentType labelIds", older=True),
    Member("transferRecord", _mirror_record, _MIRROR_SCHEMA, older=True),
    Member("baseAmount", _base_amount, MONEY, older=True),
)

# -- accounts ----------------------------------------------------------------------------------

_BALANCE_MODES = {"CreditCard": "creditCardManual", "Overdraft": "overdraftManual"}
#: Earlier versions sent a hundredth of the initial balance, which clients multiply by 100.
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


def _initial_base_balance(row: Row, context: Context) -> Any:
    """Return the initial balance only if it is in the base currency, like `_base_amount`."""
    return _initial_balance(row, context) if row["currencyCode"] == context.names.base else None


ACCOUNT = (
    *stored(ACCOUNTS, "id name accountType currencyCode color bankAccountNumber"),
    *stored(ACCOUNTS, "archived excludeFromStats"),
    always("isBankSync", False),
    Member(
        "isInvestmentAccount",
        lambda row, context: row["accountType"] == "Investment",
        value("Whether its type is Investment.", False),
        is_optional=False,
    ),
    Member("balance", _balance, BALANCE, is_optional=False),
    Member("recordStats", lambda row, context: context.stats[row["id"]], STATS, is_optional=False),
    *stored(ACCOUNTS, _TIMES),
    Member("initialBalance", _initial_balance, MONEY, older=True),
    Member("initialBaseBalance", _initial_base_balance, MONEY, older=True),
)

# -- categories, labels, rules -----------------------------------------------------------------


def _system_id(row: Row, context: Context) -> str | None:
    if row["customCategory"] or row["group"] is None:
        return None
    return f"{slug(row['group'])}__{slug(row['name'])}"


CATEGORY = (
    *stored(CATEGORIES, "id name color archived customCategory"),
    always("customName", False),
    always("enabled", True),
    always("cardinality", "none"),
    Member("group", lambda row, context: category_embed(row).get("group"), GROUP),
    *stored(CATEGORIES, "parentId"),
    Member(
        "parentName",
        lambda row, context: context.names.parents.get(row["parentId"]),
        value("Name of the parent category.", "Food"),
    ),
    Member(
        "systemId",
        _system_id,
        value("Group and name of a built-in category.", "food_and_drinks__groceries"),
    ),
    *stored(CATEGORIES, _TIMES),
)

LABEL = (*stored(LABELS, f"id name color archived {_TIMES}"),)

RECORD_RULE = (
    *stored(RECORD_RULES, "id name keywords"),
    Member("category", _category, CATEGORY_EMBED),
    _LABELS,
    *stored(RECORD_RULES, f"fromAccountId=accountId {_TIMES}"),
)

# -- budgets, goals ----------------------------------------------------------------------------


def _day(name: str) -> Member:
    def write(row: Row, context: Context) -> str | None:
        return None if row[name] is None else date_text(row[name])

    return Member(name, write, of_given(BUDGETS[name]))


BUDGET = (
    *stored(BUDGETS, "id name currencyCode type"),
    Member(
        "limit",
        lambda row, context: decimal(row["limitAmount"]),
        field_schema(BUDGETS["limitAmount"]),
        is_optional=False,
        nullable=True,
    ),
    *stored(BUDGETS, "accountIds categoryIds labelIds"),
    _day("startDate"),
    _day("endDate"),
    *stored(BUDGETS, "closed"),
    always("limitOverrides", [], _NONE),
    always("pastLimitOverrides", [], _NONE),
    Member("spending", lambda row, context: context.spending.get(row["id"]), SPENDING),
    *stored(BUDGETS, _TIMES),
    *stored(BUDGETS, "amount=limitAmount", older=True),
)

GOAL = (
    *stored(GOALS, "id name note color state"),
    money("targetAmount", GOALS["targetAmount"]),
    money("initialAmount", GOALS["savedAmount"]),
    *stored(GOALS, f"desiredDate stateUpdatedAt=updatedAt {_TIMES}"),
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


def _order_party(kind: str) -> Write:
    return lambda row, context: row["payee"] if _type(row, context) == kind else None


STANDING_ORDER = (
    *stored(STANDING_ORDERS, "id name note accountId categoryId currencyCode recurrenceRule"),
    Member("type", _type, of_given(STANDING_ORDERS["type"])),
    Member("amount", _size, value("Positive amount.", 850, type="number")),
    *stored(STANDING_ORDERS, "counterParty=payee"),
    _LABELS,
    Member(
        "dueDate",
        _due,
        date_time("First occurrence on or after today.", "2026-02-01T00:00:00.000Z"),
    ),
    *stored(STANDING_ORDERS, "generateFromDate=startDate manualPayment"),
    always("reminder", "none"),
    always("dueDateNotificationEnabled", False),
    always("threeDaysBeforeNotificationEnabled", False),
    *stored(STANDING_ORDERS, _TIMES),
    Member("payee", _order_party(EXPENSE), _PAYEE, older=True),
    Member("payer", _order_party(INCOME), _PAYER, older=True),
    *stored(STANDING_ORDERS, "paymentType", older=True),
)

STANDING_ORDER_ITEM = (
    *stored(STANDING_ORDERS, "id"),
    of_field(ORDER.name, ORDER),
    of_field("originalDate", ORIGINAL),
    of_field("alignedDate", ORIGINAL),
    always("dismissed", False, of_given(DISMISSED)),
    always("recordIds", [], _NONE),
)
