"""Wallet's objects as tables of members: what each is called there, and what it is here."""

from typing import Any

from finance_api.api.openapi.schemas import of_given, value
from finance_api.api.wallet.context import Context, category_embed, slug
from finance_api.api.wallet.members import (
    Fields,
    Member,
    Write,
    always,
    amount,
    decimal,
    instant,
    moment,
)
from finance_api.api.wallet.occurrences import DISMISSED, ORDER, ORIGINAL
from finance_api.api.wallet.schemas import (
    BALANCE,
    CATEGORY_EMBED,
    CONVERTED,
    DATE_TIME,
    GROUP,
    LABEL_EMBEDS,
    MIRROR,
    MONEY,
    NUMBER,
    RECORD_CATEGORY,
    SPENDING,
    STATS,
    TRANSFER,
    flag,
    or_null,
    text,
)
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
from finance_api.values.periods import Period, start_of
from finance_api.values.time import date_text

#: Decimals of the ratio of a conversion.
_RATIO_DECIMALS = 10

_record = Fields(RECORDS)
_account = Fields(ACCOUNTS)
_of_category = Fields(CATEGORIES)
_label = Fields(LABELS)
_rule = Fields(RECORD_RULES)
_budget = Fields(BUDGETS)
_goal = Fields(GOALS)
_order = Fields(STANDING_ORDERS)

_NONE = {"type": "array", "description": "Always empty.", "items": {}, "examples": [[]]}
_PAYEE = text("Who was paid.", "Grocer")
_PAYER = text("Who paid.", "Employer")


def _labels(row: Row, context: Context) -> list[Any]:
    known = context.names.labels
    return [known[label] for label in row["labelIds"] if label in known]


def _category(row: Row, context: Context) -> Any:
    return context.names.categories.get(row["categoryId"])


# -- records -----------------------------------------------------------------------------------


def _record_category(row: Row, context: Context) -> Any:
    """With the envelope of earlier versions, by which clients leave transfers out."""
    if row["transferId"] is None:
        return _category(row, context)
    of_transfers = context.names.transfer_categories
    return of_transfers.get(row["categoryId"], of_transfers[None])


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


def _mirror_record(row: Row, context: Context) -> dict[str, Any] | None:
    mirror = context.mirrors.get(row["id"])
    return None if mirror is None else _mirror(mirror)


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
    """Only what is in the base currency: no rate is guessed."""
    base = context.names.base
    return amount(row["amount"], base) if row["currencyCode"] == base else None


def _party(kind: str) -> Write:
    return lambda row, _: row["payee"] if row["recordType"] == kind else None


RECORD = (
    *_record.same("id", "accountId", "accountName"),
    always("accountIsBankSync", False, flag("Always false.")),
    _record.money("amount"),
    Member("convertedAmount", _converted, CONVERTED),
    Member("category", _category, CATEGORY_EMBED),
    Member("category", _record_category, RECORD_CATEGORY, older=True),
    _record.called("counterParty", "payee"),
    *_record.same("note"),
    Member("labels", _labels, LABEL_EMBEDS, is_optional=False),
    always("photos", [], _NONE),
    *_record.instants("recordDate"),
    *_record.same("recordState", "recordType"),
    Member(
        "source",
        _source,
        text("Statement files are backend, all others missing.", "missing"),
        is_optional=False,
    ),
    Member(
        "transfer",
        _transfer,
        or_null(TRANSFER, "Of a transfer."),
        is_optional=False,
        nullable=True,
    ),
    *_record.instants("createdAt", "updatedAt"),
    Member("payee", _party(EXPENSE), _PAYEE, older=True),
    Member("payer", _party(INCOME), _PAYER, older=True),
    _record.called("paymentType", "paymentType", older=True),
    _record.called("labelIds", "labelIds", older=True),
    Member("transferRecord", _mirror_record, MIRROR, older=True),
    Member("baseAmount", _base_amount, MONEY, older=True),
)

# -- accounts ----------------------------------------------------------------------------------

_BALANCE_MODES = {"CreditCard": "creditCardManual", "Overdraft": "overdraftManual"}
#: Earlier versions sent hundredths of it, and clients multiply it by 100.
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
    """As `_base_amount`."""
    return _initial_balance(row, context) if row["currencyCode"] == context.names.base else None


ACCOUNT = (
    *_account.same(
        "id",
        "name",
        "accountType",
        "currencyCode",
        "color",
        "bankAccountNumber",
        "archived",
        "excludeFromStats",
    ),
    always("isBankSync", False, flag("Always false.")),
    Member(
        "isInvestmentAccount",
        lambda row, context: row["accountType"] == "Investment",
        flag("Whether its type is Investment."),
        is_optional=False,
    ),
    Member("balance", _balance, BALANCE, is_optional=False),
    Member(
        "recordStats",
        lambda row, context: context.stats[row["id"]],
        STATS,
        is_optional=False,
    ),
    *_account.instants("createdAt", "updatedAt"),
    Member("initialBalance", _initial_balance, MONEY, older=True),
    Member("initialBaseBalance", _initial_base_balance, MONEY, older=True),
)

# -- categories, labels, rules -----------------------------------------------------------------


def _system_id(row: Row, context: Context) -> str | None:
    if row["customCategory"] or row["group"] is None:
        return None
    return f"{slug(row['group'])}__{slug(row['name'])}"


CATEGORY = (
    *_of_category.same("id", "name", "color", "archived", "customCategory"),
    always("customName", False, flag("Always false.")),
    always("enabled", True, flag("Always true.", example=True)),
    always("cardinality", "none", text("Always none.", "none")),
    Member("group", lambda row, context: category_embed(row).get("group"), GROUP),
    *_of_category.same("parentId"),
    Member(
        "parentName",
        lambda row, context: context.names.parents.get(row["parentId"]),
        text("The name of the category above it.", "Food"),
    ),
    Member(
        "systemId",
        _system_id,
        text("Group and name of one that no user made.", "food_and_drinks__groceries"),
    ),
    *_of_category.instants("createdAt", "updatedAt"),
)

LABEL = (
    *_label.same("id", "name", "color", "archived"),
    *_label.instants("createdAt", "updatedAt"),
)

RECORD_RULE = (
    *_rule.same("id", "name", "keywords"),
    Member("category", _category, CATEGORY_EMBED),
    Member("labels", _labels, LABEL_EMBEDS, is_optional=False),
    _rule.called("fromAccountId", "accountId"),
    *_rule.instants("createdAt", "updatedAt"),
)

# -- budgets, goals ----------------------------------------------------------------------------

BUDGET = (
    *_budget.same("id", "name", "currencyCode", "type"),
    _budget.number("limit", "limitAmount", nullable=True),
    *_budget.same("accountIds", "categoryIds", "labelIds"),
    _budget.day("startDate"),
    _budget.day("endDate"),
    *_budget.same("closed"),
    always("limitOverrides", [], _NONE),
    always("pastLimitOverrides", [], _NONE),
    Member("spending", lambda row, context: context.spending.get(row["id"]), SPENDING),
    *_budget.instants("createdAt", "updatedAt"),
    _budget.number("amount", "limitAmount", older=True),
)

GOAL = (
    *_goal.same("id", "name", "note", "color", "state"),
    _goal.money("targetAmount"),
    _goal.money("initialAmount", "savedAmount"),
    *_goal.instants("desiredDate"),
    instant("stateUpdatedAt", GOALS["updatedAt"]),
    *_goal.instants("createdAt", "updatedAt"),
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
    *_order.same("id", "name", "note", "accountId", "categoryId", "currencyCode", "recurrenceRule"),
    Member("type", _type, of_given(STANDING_ORDERS["type"])),
    Member("amount", _size, value(NUMBER, "Positive amount.", 850)),
    _order.called("counterParty", "payee"),
    Member("labels", _labels, LABEL_EMBEDS, is_optional=False),
    Member(
        "dueDate",
        _due,
        value(DATE_TIME, "First occurrence on or after today.", "2026-02-01T00:00:00.000Z"),
    ),
    instant("generateFromDate", STANDING_ORDERS["startDate"]),
    *_order.same("manualPayment"),
    always("reminder", "none", text("Always none.", "none")),
    always("dueDateNotificationEnabled", False, flag("Always false.")),
    always("threeDaysBeforeNotificationEnabled", False, flag("Always false.")),
    *_order.instants("createdAt", "updatedAt"),
    Member("payee", _order_party(EXPENSE), _PAYEE, older=True),
    Member("payer", _order_party(INCOME), _PAYER, older=True),
    _order.called("paymentType", "paymentType", older=True),
)

STANDING_ORDER_ITEM = (
    *_order.same("id"),
    Member(
        ORDER.name,
        lambda row, context: row[ORDER.name],
        of_given(ORDER),
        is_optional=False,
    ),
    instant("originalDate", ORIGINAL),
    instant("alignedDate", ORIGINAL),
    always("dismissed", False, of_given(DISMISSED)),
    always("recordIds", [], _NONE),
)
