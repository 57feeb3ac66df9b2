"""The table of tools.

What a tool is for and which fields it shows by default are written here; columns, filters,
operators and choices come from the declarations that the API's own description is made from. A
test compares all with that description.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from finance_api.clients.mcp.schemas import (
    CONDITIONS,
    Schema,
    filters_of,
    flag,
    one_of,
    row_of,
    text,
    undescribed,
    whole,
)
from finance_api.clients.mcp.tool import Paging, Tool
from finance_api.query.dimensions import DIMENSIONS, PERIOD_START
from finance_api.query.sums import LEFT_OUT, SUMS, USUAL_SUMS, Compare
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, GOALS, LABELS, RECORDS, tables
from finance_api.resources.field import Resource
from finance_api.resources.records import FLOWS
from finance_api.values.time import Period

_WORD: Schema = {"type": "string"}
_ACCOUNTS = {
    "accountId": text("Ids, comma-separated; default: all accounts."),
    "accountName": _WORD,
}
#: Parameters that the first tool describes, like all conditions.
_CONVERT = {"convertTo": _WORD}
_SORT = {"sortBy": _WORD}
_OF_RECORDS: dict[str, Schema] = {
    "q": text(
        'Words and "exact phrases" in payee, note, category, labels or account name: all of '
        "them, or all on one side of OR. A number also finds this amount; >100 only amounts."
    ),
    **filters_of(RECORDS),
    "withSubcategories": flag("Filters by category include the categories below."),
    "flow": one_of(
        FLOWS, "Count as spent or received: by the category's kind, or else by the sign."
    ),
    "convertTo": text("Currency to convert amounts to as well, by imported rates."),
}
_RECORD = "recordDate,accountName,amount,currencyCode,category,payee,note,labels"
_EXPECTED = (*tables.EXPECTED, *tables.EXPECTED_RANGE)
_GROUP = (
    RECORDS["currencyCode"],
    # Groups of zeros have only their period.
    *(replace(field, nullable=True) for each in DIMENSIONS.values() for field in each.fields),
    PERIOD_START,
    *(column.field for column in SUMS.values()),
)
#: Members of recurring payments that would take too much room.
_HIDDEN = frozenset({"recordIds"})
#: The names of all sums, with the notes that their names need.
_COLUMNS = ", ".join(f"{name} ({c.note})" if c.note else name for name, c in SUMS.items())


def _list(
    resource: Resource, purpose: str, filters: str, fields: str, /, takes: Any = None, **more: Any
) -> Tool:
    """Return a tool that lists objects. filters: the fields to filter by; fields: shown usually."""
    return Tool(
        name=f"list_{resource.name}",
        purpose=purpose,
        paths=str(resource.path),
        rows={resource.name: row_of(resource.fields)},
        takes={
            **filters_of(resource, filters),
            **_SORT,
            **(takes or {}),
            "fields": text(f"Default: {fields}."),
        },
        always={"withTotal": "true", "fields": fields},
        **more,
    )


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="search_records",
        purpose="Records (transactions) that meet all conditions, newest first, and their "
        f"number. Expenses are negative. To add up amounts, use summarize. {CONDITIONS}",
        paths="records",
        rows={"records": row_of(RECORDS.fields)},
        takes={
            **_OF_RECORDS,
            "sortBy": text("Fields, comma-separated, - for descending order: -amount,recordDate"),
            "fields": text(f"Comma-separated. Default: {_RECORD}."),
        },
        always={"withTotal": "true", "fields": _RECORD},
        describes_all=True,
    ),
    Tool(
        name="get_records",
        purpose="Records with all fields, by id; missingIds: ids without a record.",
        paths="records/by-id",
        rows={"records": {"type": "object"}},
        takes={"id": text("1 to 100 ids, comma-separated."), "fields": _WORD, **_CONVERT},
        repeats={"missingIds": {"type": "array", "items": _WORD}},
        required=("id",),
        paging=Paging.WHOLE,
    ),
    Tool(
        name="summarize",
        purpose="Sums of the records that meet all conditions (as in search_records), by groupBy "
        "and currency. Groceries per month of a year: "
        '{"groupBy": "month", "category": "eq.Groceries", "recordDate": "eq.2026"}. '
        "leftOut counts what is not in the sums: see include.",
        paths="records/summary",
        rows={"groups": row_of(_GROUP)},
        takes={
            "groupBy": text(f"Up to 3, comma-separated, of {', '.join(DIMENSIONS)}."),
            **undescribed(_OF_RECORDS),
            "columns": text(
                f"Comma-separated, of {_COLUMNS}. A refund reduces spent. "
                f"Default: {','.join(column.name for column in USUAL_SUMS)}."
            ),
            "compare": text(
                f"{' or '.join(Compare)} (before recordDate), or days: "
                "2025-Q3, 2025-07-10/2025-07-24. Adds previousNet, changeNetPercent …"
            ),
            "having": text("Condition on a column: net.lt.-100, firstDate.gte.this-year"),
            "include": text(f"Kinds of records to count, too: {', '.join(LEFT_OUT)}."),
            "top": whole("Best rows of each group by all dimensions but the last.", 1, 1000),
            "mergeCurrencies": flag("Add up all currencies; needs convertTo."),
            "fill": flag("Add groups of zeros: periods without records, or if nothing matches."),
            **_SORT,
        },
        repeats={
            "leftOut": {"type": "object"},
            "overlapping": {"type": "boolean"},
            "groupCount": {"type": ["integer", "null"]},
        },
        most=1000,
        sums=("count", *(name for name, column in SUMS.items() if column.is_amount)),
    ),
    _list(
        ACCOUNTS,
        "Accounts with their balances, and their sums by currency.",
        "name accountType currencyCode archived excludeFromStats",
        "name,accountType,currencyCode,balance,lastRecordDate,archived,excludeFromStats",
        takes=_CONVERT,
        sums=("balance",),
    ),
    Tool(
        name="balances",
        purpose="Balances at the end of each interval: first the totals by currency (net "
        "worth), then each account.",
        paths="accounts/balances",
        rows={"totals": row_of(tables.BALANCE_TOTALS), "balances": row_of(tables.BALANCES)},
        takes={
            "interval": {**one_of(Period), "default": "month"},
            "from": text(
                "A day in the first interval: 2026-01-31, last-year; default: 12 intervals."
            ),
            "to": text("The last day; default: today, or the newest record's day if later."),
            **_ACCOUNTS,
            **_CONVERT,
        },
        repeats=dict.fromkeys(("interval", "from", "to"), _WORD),
        paging=Paging.WHOLE,
    ),
    Tool(
        name="forecast",
        purpose="Balances of accounts from today on, from standing orders and recurring payments; "
        "lowest: of each account. With include=typical, each balance is a range that "
        "covers other spending, too: answer with the range, not its middle.",
        paths="accounts/forecast",
        rows={
            "totals": row_of((*tables.FORECAST_TOTALS, *_EXPECTED)),
            "forecast": row_of((*tables.FORECAST, *_EXPECTED)),
        },
        takes={
            "to": text("The last day; default: the end of next month."),
            "interval": {**one_of(tables.FORECAST_INTERVALS), "default": "month"},
            "include": one_of([tables.TYPICAL]),
            "below": text("Adds the first day below this balance."),
            **_ACCOUNTS,
        },
        repeats={"lowest": {"type": "array"}, "from": _WORD, "to": _WORD},
        paging=Paging.WHOLE,
    ),
    _list(
        BUDGETS,
        "Budgets and what they spent in their current period.",
        "name currencyCode closed",
        "name,currencyCode,periodLimit,periodStart,periodEnd,spent,income,remaining,progress,closed",
    ),
    _list(
        GOALS,
        "Savings goals: what is saved, and when they are reached at this rate.",
        "name state",
        "name,state,currencyCode,targetAmount,currentAmount,progress,desiredDate,expectedDate",
    ),
    Tool(
        name="upcoming",
        purpose="Standing orders to come; include: recurring payments, too.",
        paths="standing-orders/upcoming",
        rows={"upcoming": row_of((*tables.UPCOMING, tables.IS_EXPECTED))},
        repeats={"totals": {"type": "array", "items": row_of(tables.UPCOMING_TOTALS)}},
        takes={
            "days": whole("Number of days.", 1, 366, default=30),
            "include": one_of([tables.INCLUDE_EXPECTED, tables.INCLUDE_TRANSFERS]),
        },
        most=1000,
    ),
    Tool(
        name="recurring",
        purpose="Recurring payments (subscriptions, rent, income): "
        "next date, price changes, yearly amount and totals.",
        paths="records/recurring",
        rows={"recurring": row_of(f for f in tables.RECURRING if f.name not in _HIDDEN)},
        takes={
            "status": text(f"Of {', '.join(tables.Status)}, comma-separated; default: all."),
            "category": _WORD,
            "changed": flag("Only those whose price changed."),
            **_ACCOUNTS,
        },
        repeats={"totals": {"type": "array"}},
        hides=_HIDDEN,
        paging=Paging.WHOLE,
    ),
    Tool(
        name="duplicates",
        purpose="Pairs of records that may be one transaction imported twice.",
        paths="records/duplicates",
        rows={"duplicates": row_of(tables.DUPLICATES)},
        most=1000,
    ),
    Tool(
        name="categories_and_labels",
        purpose="Names and ids of all categories and labels, for conditions.",
        paths="categories?fields=name,parentId,kind labels?fields=name",
        rows={
            "categories": row_of(CATEGORIES[name] for name in ("id", "name", "parentId", "kind")),
            "labels": row_of(LABELS[name] for name in ("id", "name")),
        },
        always={"withTotal": "true"},
    ),
    Tool(
        name="saved_questions",
        purpose="Saved questions: names, ids, API addresses. "
        "If one fits, call answer_question instead of other tools.",
        paths="questions",
        rows={"questions": row_of(tables.QUESTIONS)},
    ),
    Tool(
        name="answer_question",
        purpose="The current answer to a saved question: rows, and other members. "
        "isPart: more rows match than the question's limit.",
        paths="questions/{id}/answer",
        rows={"rows": {"type": "object"}},
        takes={"id": text("The id, from saved_questions.")},
        repeats={"others": {"type": "object"}, "isPart": {"type": "boolean"}},
        required=("id",),
        paging=Paging.ANY,
    ),
    Tool(
        name="changes",
        purpose="Changes since an earlier call, including deleted rows. Pass next as since in the "
        "following call; while hasMore is true, call again.",
        paths="changes",
        rows={"changes": row_of(tables.CHANGES)},
        takes={
            "since": text("next of the previous response, or 0 for all data.", default="0"),
            "types": text(
                f"Of {', '.join(sorted(tables.CHANGED))}, comma-separated; "
                "default: all that the token may read."
            ),
        },
        repeats={"since": _WORD, "next": _WORD, "hasMore": {"type": "boolean"}},
        paging=Paging.CURSOR,
        most=1000,
    ),
    Tool(
        name="usage",
        purpose="Requests in each period, and the quota left. This call is free.",
        paths="api-usage/stats",
        rows={"usage": row_of(tables.USAGE)},
        takes={
            "period": text(
                "1days to 366days, 1weeks to 53weeks, 1months to 13months.", default="30days"
            )
        },
        repeats={"from": _WORD, "to": _WORD, "rateLimit": {"type": "object"}},
        paging=Paging.WHOLE,
    ),
)

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
