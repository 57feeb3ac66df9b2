"""The table of tools."""

from collections.abc import Mapping

from finance_api.clients.mcp.schemas import (
    CONDITIONS,
    Schema,
    filters_of,
    flag,
    row,
    row_of,
    text,
    undescribed,
    whole,
)
from finance_api.clients.mcp.tool import Paging, Tool
from finance_api.resources import ACCOUNTS, BUDGETS, GOALS, RECORDS
from finance_api.resources.records import FLOWS

_WORD: Schema = {"type": "string"}
#: Parameters that the first tool describes, like all conditions.
_CONVERT = _SORT = _FIELDS = _WORD
_OF_RECORDS: dict[str, Schema] = {
    "q": text(
        'Words and "exact phrases" to search for; each must appear in payee, note, category, '
        "labels or account name. A number also finds this amount; >100 finds only amounts."
    ),
    **filters_of(RECORDS),
    "withSubcategories": flag("Whether a filter by category includes the categories below it."),
    "flow": {
        "enum": list(FLOWS),
        "description": "Only records that count as spent or as received: by the category's kind, "
        "or by the sign if there is no kind.",
    },
    "convertTo": text("A currency to also convert amounts to, by imported exchange rates."),
}

_RECORD = "recordDate,accountName,amount,currencyCode,category,payee,note,labels"
_ACCOUNT = "name,accountType,currencyCode,balance,lastRecordDate,archived,excludeFromStats"
_BUDGET = (
    "name,currencyCode,limitAmount,periodStart,periodEnd,spent,income,remaining,progress,closed"
)
_GOAL = "name,state,currencyCode,targetAmount,currentAmount,progress,desiredDate,expectedDate"
_SUMMED = "count income expense net spent received"

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="search_records",
        title="Search records",
        purpose="Records (transactions) that meet all conditions, newest first, and their "
        "number. Expenses are negative. To add up amounts, use summarize instead of "
        f"pages of records. {CONDITIONS}",
        reads={"records": ("records",)},
        rows={"records": row_of(RECORDS)},
        takes={
            **_OF_RECORDS,
            "sortBy": text("Fields, comma-separated, - for descending order: -amount,recordDate"),
            "fields": text(f"Fields of each row, comma-separated. Default: {_RECORD}."),
        },
        always={"withTotal": "true", "fields": _RECORD},
        describes_all=True,
    ),
    Tool(
        name="get_records",
        title="Records by id",
        purpose="Records with all fields, by their ids; missingIds has the ids without a record.",
        reads={"records/by-id": ("records",)},
        rows={"records": {"type": "object"}},
        takes={
            "id": text("1 to 100 ids, comma-separated."),
            "fields": _FIELDS,
            "convertTo": _CONVERT,
        },
        repeats={"missingIds": {"type": "array", "items": {"type": "string"}}},
        required=("id",),
        paging=Paging.WHOLE,
    ),
    Tool(
        name="summarize",
        title="Sums of records",
        purpose="Income, expense, net and count of the records that meet all conditions (as in "
        "search_records), for each "
        "group of groupBy and each currency. Answers 'what did I spend on groceries per month this "
        "year' in one call: "
        '{"groupBy": "month", "category": "eq.Groceries", "recordDate": "eq.2026"}. '
        "leftOut counts the records that are not in the sums: void records, transfers and records "
        "of excluded accounts.",
        reads={"records/summary": ("groups",)},
        rows={
            "groups": row(
                texts="currencyCode account accountId category categoryId topCategory "
                "topCategoryId categoryGroup label labelId payee recordType paymentType "
                "recordState day week month quarter year periodStart firstDate lastDate",
                numbers=_SUMMED,
            )
        },
        takes={
            "groupBy": text(
                "Up to 3, comma-separated, of account, category, topCategory, categoryGroup, "
                "label, payee, recordType, paymentType, recordState, weekday, day, week, month, "
                "quarter, year."
            ),
            **undescribed(_OF_RECORDS),
            "columns": text(
                "Sums to return, comma-separated, of count, income, expense, net, spent, received, "
                "avg, median, min, max, share (of all expense), cumulative (net so far), perDay, "
                "perMonth, firstDate, lastDate. spent and received go by the category's kind, so "
                "a refund reduces spent. Default: count,income,expense,net,firstDate,lastDate."
            ),
            "compare": {
                "enum": ["previous", "year"],
                "description": "Compare with the period before recordDate, or a year earlier: "
                "adds previousNet, changeNet, changeNetPercent and the like.",
            },
            "having": text(
                "Condition on a column of the groups: net.lt.-100, changeNetPercent.gt.20"
            ),
            "include": text(
                "Records to count that are otherwise left out: void, transfers, excluded."
            ),
            "fill": flag(
                "Whether to also return groups of zeros: for periods without records, and if "
                "nothing matches."
            ),
            "sortBy": _SORT,
        },
        repeats={
            "leftOut": {"type": "object"},
            "overlapping": {"type": "boolean"},
            "groupCount": {"type": ["integer", "null"]},
        },
        most=1000,
        sums=tuple(_SUMMED.split()),
    ),
    Tool(
        name="list_accounts",
        title="Accounts",
        purpose="Accounts with their balances, and the sums of the balances by currency.",
        reads={"accounts": ("accounts",)},
        rows={"accounts": row_of(ACCOUNTS)},
        takes={
            **filters_of(ACCOUNTS, "name accountType currencyCode archived excludeFromStats"),
            "sortBy": _SORT,
            "convertTo": _CONVERT,
            "fields": text(f"Default: {_ACCOUNT}."),
        },
        always={"withTotal": "true", "fields": _ACCOUNT},
        sums=("balance",),
    ),
    Tool(
        name="balances",
        title="Balances over time",
        purpose="Balances at the end of each interval: first the totals by currency (net "
        "worth), then each account.",
        reads={"accounts/balances": ("totals", "balances")},
        rows={
            "totals": row(texts="period periodStart date currencyCode", numbers="balance"),
            "balances": row(
                texts="period periodStart date account accountId currencyCode firstRecordDate",
                numbers="balance",
            ),
        },
        takes={
            "interval": {
                "enum": ["day", "week", "month", "quarter", "year"],
                "description": "Length of an interval.",
                "default": "month",
            },
            "from": text(
                "A day in the first interval: 2026-01-31, last-year; default: 12 intervals."
            ),
            "to": text(
                "The last day: 2026-01-31 or last-month; default: today, or the newest "
                "record's day if later."
            ),
            "accountId": text("Ids, comma-separated; default: all accounts."),
            "convertTo": _CONVERT,
        },
        repeats={"interval": _WORD, "from": _WORD, "to": _WORD},
        paging=Paging.WHOLE,
    ),
    Tool(
        name="forecast",
        title="Forecast",
        purpose="Balances of accounts from today on, from standing orders and recurring payments; "
        "lowest has the lowest balance of each account. With include=typical, each balance is a "
        "range that covers other spending, too: answer with the range, not with its middle.",
        reads={"accounts/forecast": ("totals", "forecast")},
        rows={
            "totals": row(
                texts="period periodStart date currencyCode",
                numbers="balance lowBalance medianBalance highBalance",
            ),
            "forecast": row(
                texts="period periodStart date account accountId currencyCode",
                numbers="balance lowBalance medianBalance highBalance",
            ),
        },
        takes={
            "to": text("The last day; default: the end of next month."),
            "interval": {"enum": ["day", "week", "month"], "default": "month"},
            "include": {"enum": ["typical"]},
            "accountId": text("Ids, comma-separated; default: all accounts."),
        },
        repeats={"lowest": {"type": "array"}, "from": _WORD, "to": _WORD},
        paging=Paging.WHOLE,
    ),
    Tool(
        name="list_budgets",
        title="Budgets",
        purpose="Budgets, and what was spent of each in its current period.",
        reads={"budgets": ("budgets",)},
        rows={"budgets": row_of(BUDGETS)},
        takes={
            **filters_of(BUDGETS, "name currencyCode closed"),
            "sortBy": _SORT,
            "fields": text(f"Default: {_BUDGET}."),
        },
        always={"withTotal": "true", "fields": _BUDGET},
    ),
    Tool(
        name="list_goals",
        title="Goals",
        purpose="Savings goals: how much is saved, and when the goal will be reached at this rate.",
        reads={"goals": ("goals",)},
        rows={"goals": row_of(GOALS)},
        takes={
            **filters_of(GOALS, "name state"),
            "sortBy": _SORT,
            "fields": text(f"Default: {_GOAL}."),
        },
        always={"withTotal": "true", "fields": _GOAL},
    ),
    Tool(
        name="upcoming",
        title="Upcoming standing orders",
        purpose="Occurrences of standing orders in the next days, including today, with their "
        "sums.",
        reads={"standing-orders/upcoming": ("upcoming",)},
        rows={
            "upcoming": row(
                texts="date id name type account accountId category categoryId currencyCode payee",
                numbers="amount",
            )
        },
        repeats={"totals": {"type": "array", "items": row(texts="currencyCode", numbers=_SUMMED)}},
        takes={"days": whole("Number of days.", 1, 366, 30)},
        most=1000,
    ),
    Tool(
        name="recurring",
        title="Recurring payments",
        purpose="Recurring payments inferred from the records: subscriptions, bills, rent, income, "
        "with next date, price changes and yearly amount; totals adds up the yearly amounts.",
        reads={"records/recurring": ("recurring",)},
        rows={
            "recurring": row(
                texts="payee account accountId category categoryId interval recurrenceRule status "
                "currencyCode changedDate firstDate lastDate nextDate standingOrder "
                "standingOrderId",
                numbers="amount lastAmount smallestAmount largestAmount earlierAmount yearlyAmount",
            )
        },
        takes={
            "status": text("active, overdue or ended, comma-separated; default: all."),
            "accountId": text("Ids, comma-separated; default: all accounts."),
        },
        repeats={"totals": {"type": "array"}},
        hides=frozenset({"recordIds"}),
        paging=Paging.WHOLE,
    ),
    Tool(
        name="duplicates",
        title="Duplicates",
        purpose="Pairs of records that may be one transaction imported twice.",
        reads={"records/duplicates": ("duplicates",)},
        rows={
            "duplicates": row(
                texts="accountName accountId currencyCode laterId laterDate laterName earlierId "
                "earlierDate earlierName",
                numbers="amount",
            )
        },
        takes={},
        most=1000,
    ),
    Tool(
        name="categories_and_labels",
        title="Categories and labels",
        purpose="The names and ids of all categories, then of all labels, to use in conditions.",
        reads={
            "categories?fields=name,parentId,kind": ("categories",),
            "labels?fields=name": ("labels",),
        },
        rows={"categories": row(texts="id name parentId kind"), "labels": row(texts="id name")},
        takes={},
        always={"withTotal": "true"},
    ),
    Tool(
        name="saved_questions",
        title="Saved questions",
        purpose="The user's saved questions: names, ids, and the API addresses that answer them. "
        "If one fits, call answer_question instead of other tools.",
        reads={"questions": ("questions",)},
        rows={"questions": row(texts="id name address fault createdAt updatedAt")},
        takes={},
    ),
    Tool(
        name="answer_question",
        title="Answer to a saved question",
        purpose="The current answer to a saved question: the rows of the API's response, and its "
        "other members. isPart: more rows match than the question's limit.",
        reads={"questions/{id}/answer": ("rows",)},
        rows={"rows": {"type": "object"}},
        takes={"id": text("The id, from saved_questions.")},
        repeats={"others": {"type": "object"}, "isPart": {"type": "boolean"}},
        required=("id",),
        paging=Paging.ANY,
    ),
    Tool(
        name="changes",
        title="Changes",
        purpose="Changes since an earlier call, including deleted rows. Keep the value of next, "
        "and pass it as since in the following call. While hasMore is true, call again for more.",
        reads={"changes": ("changes",)},
        rows={"changes": row(texts="type id op", numbers="revision")},
        takes={
            "since": {
                **text("The value of next in the previous response, or 0 for all data."),
                "default": "0",
            },
            "types": text(
                "Of accounts, budgets, categories, goals, labels, record-rules, records, "
                "standing-orders, comma-separated; default: all that the token may read."
            ),
        },
        repeats={"since": _WORD, "next": _WORD, "hasMore": {"type": "boolean"}},
        paging=Paging.CURSOR,
        most=1000,
    ),
    Tool(
        name="usage",
        title="API usage",
        purpose="Number of requests in each period, and the quota left. This call does not "
        "count against the quota.",
        reads={"api-usage/stats": ("usage",)},
        rows={"usage": row(texts="from to", numbers="total")},
        takes={
            "period": {
                **text("1days to 366days, 1weeks to 53weeks, 1months to 13months."),
                "default": "30days",
            }
        },
        repeats={"from": _WORD, "to": _WORD, "rateLimit": {"type": "object"}},
        paging=Paging.WHOLE,
    ),
)

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
