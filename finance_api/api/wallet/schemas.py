"""The schemas of what stands in Wallet's objects and beside them."""

from finance_api.api.openapi.schemas import Schema, array_of, of_given, of_members, value
from finance_api.planning.conversion import no_rate
from finance_api.query.model import DEFAULT_LIMIT
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Resource

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
DATE_TIME: Schema = {"type": "string", "format": "date-time"}
_ID: Schema = {"type": "string", "format": "uuid"}
_DAY: Schema = {"type": ["string", "null"], "format": "date"}
_NUMBER_OR_NONE: Schema = {"type": ["number", "null"]}
_MOMENT = "2026-01-31T10:00:00.000Z"


def _given(resource: Resource, name: str) -> Schema:
    return of_given(resource[name])


def flag(meaning: str, *, example: bool = False) -> Schema:
    return value(FLAG, meaning, example)


def text(meaning: str, example: str) -> Schema:
    return value(TEXT, meaning, example)


def or_null(schema: Schema, meaning: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": meaning}


_CURRENCY = _given(RECORDS, "currencyCode")
MONEY = of_members(
    "AmountWithCurrency",
    {"value": value(NUMBER, "The amount.", -42.5), "currencyCode": _CURRENCY},
    ["value"],
)
CONVERTED = of_members(
    "ConvertedAmount",
    {
        "value": value(NUMBER, "The amount in that currency.", -1032.5),
        "ratio": value(NUMBER, "By what it was multiplied.", 24.3),
        "currencyCode": _CURRENCY,
        "conversionPair": text("From and to.", "EUR:CZK"),
        "error": text("Why there is no value.", no_rate("EUR", "CZK", "2026-01-31")),
    },
    ["currencyCode"],
)
GROUP = of_members(
    "CategoryGroup",
    {
        "id": text("The name as a key.", "food_and_drinks"),
        "name": text("Its name.", "Food & drinks"),
    },
)
_CATEGORY = {
    "id": _given(CATEGORIES, "id"),
    "name": _given(CATEGORIES, "name"),
    "color": _given(CATEGORIES, "color"),
    "group": GROUP,
}
#: Without the scope of categories only their ids are shown, and likewise for labels.
CATEGORY_EMBED = of_members("CategoryEmbed", _CATEGORY, ["id"])
#: A transfer without a category has only the envelope.
RECORD_CATEGORY = of_members(
    "RecordCategory",
    {**_CATEGORY, "envelopeId": value(COUNT, "20001 of transfers, else left out.", 20001)},
    [],
)
LABEL_EMBEDS = array_of(
    of_members(
        "LabelEmbed",
        {name: _given(LABELS, name) for name in ("id", "name", "color", "archived")},
        ["id"],
    )
)
MIRROR = of_members(
    "MirrorRecord",
    {
        "id": _given(RECORDS, "id"),
        "accountId": _given(RECORDS, "accountId"),
        "amount": MONEY,
        "counterParty": _given(RECORDS, "payee"),
        "note": _given(RECORDS, "note"),
    },
    ["id"],
)
TRANSFER = of_members(
    "Transfer",
    {
        "type": value(
            {**TEXT, "enum": ["paired", "unpaired"]}, "Whether its other record is there.", "paired"
        ),
        "transferId": _given(RECORDS, "transferId"),
        "mirrorRecord": MIRROR,
    },
    ["type", "transferId"],
)
BALANCE = of_members(
    "AccountBalance",
    {
        "currentBalance": _given(ACCOUNTS, "balance"),
        "rawCurrentBalance": _given(ACCOUNTS, "balance"),
        "initial": _given(ACCOUNTS, "initialBalance"),
        "currencyCode": _CURRENCY,
        "balanceMode": text("How an app shows it.", "standard"),
        "formula": text("How it is reckoned.", "initial + totalIncomes - totalExpenses"),
    },
)
_SPAN = of_members(
    "TimeSpan",
    {
        "min": value(DATE_TIME, "The first.", _MOMENT),
        "max": value(DATE_TIME, "The last.", _MOMENT),
    },
)
STATS = of_members(
    "AccountStats",
    {
        "recordCount": value(COUNT, "How many records it has, void ones left out.", 6),
        "totalIncomes": value(NUMBER, "What came in, positive.", 2500),
        "totalExpenses": value(NUMBER, "What went out, positive.", 162.49),
        "recordDate": _SPAN,
        "createdAt": _SPAN,
        "lastUpdatedAt": value(DATE_TIME, "When the last of them was changed.", _MOMENT),
    },
    ["recordCount", "totalIncomes", "totalExpenses"],
)
_EXCLUDED = of_members(
    "ExcludedRecords",
    {
        "total": value(COUNT, "How many count for nothing.", 3),
        "transfers": value(COUNT, "Of them transfers.", 1),
        "debts": value(COUNT, "Of them debts.", 0),
        "incomeCategories": value(COUNT, "Of them in categories of income.", 1),
        "unknownCategories": value(COUNT, "Of them without a category.", 1),
        "totalAmountSum": value(NUMBER, "The sum of their amounts.", -120.5),
    },
)
_PERIOD_SPENDING = of_members(
    "BudgetPeriodSpending",
    {
        "period": text("The period.", "2026-01"),
        "periodStart": value(_DAY, "Its first day.", "2026-01-01"),
        "periodEnd": value(_DAY, "Its last day.", "2026-01-31"),
        "effectiveLimit": value(_NUMBER_OR_NONE, "The limit.", 400),
        "spent": value(NUMBER, "What was spent.", 162.49),
        "remaining": value(_NUMBER_OR_NONE, "What is left of the limit.", 237.51),
        "progress": value(_NUMBER_OR_NONE, "Spent by limit.", 0.4062),
        "overspent": value(_NUMBER_OR_NONE, "What is above the limit.", 0),
        "totalExpenses": value(NUMBER, "What went out, positive.", 162.49),
        "totalIncomes": value(NUMBER, "What came in, positive.", 0),
        "recordCount": value(COUNT, "How many records count.", 6),
        "convertedCurrencies": array_of(_CURRENCY),
        "incomplete": flag("Whether records of other currencies are left out."),
        "excluded": _EXCLUDED,
        "limit": value(_NUMBER_OR_NONE, "As effectiveLimit; of earlier versions.", 400),
    },
    [
        *("period", "spent", "totalExpenses", "totalIncomes", "recordCount"),
        *("convertedCurrencies", "incomplete", "excluded"),
    ],
)
SPENDING = of_members(
    "BudgetSpending",
    {
        "computedAt": value(DATE_TIME, "When it was worked out.", _MOMENT),
        "current": or_null(_PERIOD_SPENDING, "The current period; null if there is none."),
        "past": array_of(_PERIOD_SPENDING),
    },
)
_HINT = of_members(
    "AgentHint",
    {
        "type": text("What it is about.", "pagination.has_more"),
        "severity": value(
            {**TEXT, "enum": ["info", "warning", "instruction"]}, "How much it matters.", "info"
        ),
        "text": text("What it says.", "There are more rows: the next page is at action.url."),
        "action": of_members(
            "HintAction",
            {"url": text("What to ask for next.", "/wallet/v1/api/labels?limit=30&offset=30")},
        ),
        "data": {"type": "object", "description": "More, by type.", "examples": [{}]},
    },
    ["type", "severity", "text"],
)
HINTS = array_of(_HINT)
IDS = array_of(value(_ID, "Identifier.", EXAMPLE_ID))
#: Members of every list's envelope, beside the rows.
PAGE = {
    "limit": value(COUNT, "How many rows a page has at most.", DEFAULT_LIMIT),
    "offset": value(COUNT, "How many rows come before the page.", 0),
}
SOMETIMES = {
    "nextOffset": value(COUNT, "Of the next page; left out on the last one.", 30),
    "total": value(COUNT, "How many rows match; with withTotal=true.", 4711),
    "agentHints": HINTS,
}
DATE_FILTERS = array_of(text("What was asked of recordDate.", f"gte.{_MOMENT}"))
