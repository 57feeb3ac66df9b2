"""The schemas of the parts of Wallet's objects and of their envelopes."""

from collections.abc import Iterator

from finance_api.api.openapi.schemas import Schema, array_of, date_time, of_given, of_members, value
from finance_api.planning.conversion import no_rate
from finance_api.query.model import DEFAULT_LIMIT
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Resource

_DAY: Schema = {"type": ["string", "null"], "format": "date"}
_NUMBER_OR_NONE = ["number", "null"]


def named(resource: Resource, names: str) -> Iterator[tuple[str, Field]]:
    """Yield Wallet's names with our fields. In ``counterParty=payee``, payee is our field."""
    for name in names.split():
        wallets, _, ours = name.partition("=")
        yield wallets, resource[ours or wallets]


def _fields(resource: Resource, names: str) -> dict[str, Schema]:
    return {name: of_given(field) for name, field in named(resource, names)}


def or_null(schema: Schema, meaning: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": meaning}


_CURRENCY = of_given(RECORDS["currencyCode"])
MONEY = of_members(
    "AmountWithCurrency",
    {"value": value("The amount.", -42.5), "currencyCode": _CURRENCY},
    ["value"],
)
CONVERTED = of_members(
    "ConvertedAmount",
    {
        "value": value("The amount in that currency.", -1032.5),
        "ratio": value("The exchange rate used.", 24.3),
        "currencyCode": _CURRENCY,
        "conversionPair": value("The original and the new currency.", "EUR:CZK"),
        "error": value(
            "Why the amount could not be converted.", no_rate("EUR", "CZK", "2026-01-31")
        ),
    },
    ["currencyCode"],
)
GROUP = of_members(
    "CategoryGroup",
    {
        "id": value("The group's key.", "food_and_drinks"),
        "name": value("Its name.", "Food & drinks"),
    },
)
_CATEGORY = {**_fields(CATEGORIES, "id name color"), "group": GROUP}
#: If the token lacks the scope of categories, only their ids are shown. Labels likewise.
CATEGORY_EMBED = of_members("CategoryEmbed", _CATEGORY, ["id"])
#: A transfer without a category has only the envelope.
RECORD_CATEGORY = of_members(
    "RecordCategory",
    {**_CATEGORY, "envelopeId": value("20001 for transfers, otherwise left out.", 20001)},
    [],
)
LABEL_EMBEDS = array_of(of_members("LabelEmbed", _fields(LABELS, "id name color archived"), ["id"]))
BALANCE = of_members(
    "AccountBalance",
    {
        **_fields(ACCOUNTS, "currentBalance=balance rawCurrentBalance=balance"),
        **_fields(ACCOUNTS, "initial=initialBalance"),
        "currencyCode": _CURRENCY,
        "balanceMode": value("How apps display the balance.", "standard"),
        "formula": value(
            "How the balance is calculated.", "initial + totalIncomes - totalExpenses"
        ),
    },
)
_SPAN = of_members("TimeSpan", {"min": date_time("The first."), "max": date_time("The last.")})
STATS = of_members(
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
)
_EXCLUDED = of_members(
    "ExcludedRecords",
    {
        "total": value("Number of records left out of the sums.", 3),
        "transfers": value("Transfers among them.", 1),
        "debts": value("Debts among them.", 0),
        "incomeCategories": value("Records in income categories among them.", 1),
        "unknownCategories": value("Records without a category among them.", 1),
        "totalAmountSum": value("Sum of their amounts.", -120.5),
    },
)
_PERIOD_SPENDING = of_members(
    "BudgetPeriodSpending",
    {
        "period": value("The period.", "2026-01"),
        "periodStart": value("First day of the period.", "2026-01-01", **_DAY),
        "periodEnd": value("Last day of the period.", "2026-01-31", **_DAY),
        "effectiveLimit": value("The limit.", 400, type=_NUMBER_OR_NONE),
        "spent": value("Amount spent.", 162.49),
        "remaining": value("Amount left of the limit.", 237.51, type=_NUMBER_OR_NONE),
        "progress": value("spent divided by the limit.", 0.4062, type=_NUMBER_OR_NONE),
        "overspent": value("Amount above the limit.", 0, type=_NUMBER_OR_NONE),
        "totalExpenses": value("Sum of the expenses, positive.", 162.49),
        "totalIncomes": value("Sum of the income, positive.", 0, type="number"),
        "recordCount": value("Number of records counted.", 6),
        "convertedCurrencies": array_of(_CURRENCY),
        "incomplete": value("Whether records in other currencies are left out.", False),
        "excluded": _EXCLUDED,
        "limit": value(
            "The same as effectiveLimit, for clients of earlier versions.",
            400,
            type=_NUMBER_OR_NONE,
        ),
    },
    [
        *("period", "spent", "totalExpenses", "totalIncomes", "recordCount"),
        *("convertedCurrencies", "incomplete", "excluded"),
    ],
)
SPENDING = of_members(
    "BudgetSpending",
    {
        "computedAt": date_time("Time of the calculation."),
        "current": or_null(_PERIOD_SPENDING, "The current period; null if there is none."),
        "past": array_of(_PERIOD_SPENDING),
    },
)
_HINT = of_members(
    "AgentHint",
    {
        "type": value("Kind of the hint.", "pagination.has_more"),
        "severity": value(
            "Importance of the hint.", "info", enum=["info", "warning", "instruction"]
        ),
        "text": value("Text of the hint.", "There are more rows: the next page is at action.url."),
        "action": of_members(
            "HintAction",
            {"url": value("The next request to send.", "/wallet/v1/api/labels?limit=30&offset=30")},
        ),
        "data": {
            "type": "object",
            "description": "More data, depending on the type.",
            "examples": [{}],
        },
    },
    ["type", "severity", "text"],
)
HINTS = array_of(_HINT)
IDS = array_of(value("Identifier.", EXAMPLE_ID, format="uuid"))
#: Members of every list's envelope, besides the rows.
PAGE = {
    "limit": value("Maximum number of rows on a page.", DEFAULT_LIMIT),
    "offset": value("Number of rows before the page.", 0),
}
SOMETIMES = {
    "nextOffset": value("The offset of the next page; left out on the last page.", 30),
    "total": value("Number of rows that match; with withTotal=true.", 4711),
    "agentHints": HINTS,
}
DATE_FILTERS = array_of(value("The conditions on recordDate.", "gte.2026-01-31T10:00:00.000Z"))
