"""Plans for the future: budgets, goals and standing orders."""

from finance_api.resources.common import (
    COLOR,
    CREATED_AT,
    ID,
    LABEL_IDS,
    RECORD_TYPES,
    UPDATED_AT,
    amount_field,
    choice_field,
    computed_field,
    currency_field,
    date_field,
    flag_field,
    list_field,
    name_field,
    payment_type_field,
    reference_field,
    reference_list_field,
    text_field,
)
from finance_api.resources.field import Kind, Resource, Unit
from finance_api.values.time import Period

WEEK = "BUDGET_INTERVAL_WEEK"
MONTH = "BUDGET_INTERVAL_MONTH"
YEAR = "BUDGET_INTERVAL_YEAR"
CUSTOM = "BUDGET_CUSTOM"
PERIODS = {WEEK: Period.WEEK, MONTH: Period.MONTH, YEAR: Period.YEAR}

BUDGETS = Resource(
    name="budgets",
    path="budgets",
    model_type="Budget",
    meaning="Budgets, and how much of them the current period has used.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("Eating out"),
        choice_field(
            "type",
            (WEEK, MONTH, YEAR, CUSTOM),
            "Period of the budget: the calendar week, month or year, or startDate to endDate.",
            MONTH,
            MONTH,
        ),
        currency_field("Currency of the limit; only records of this currency count."),
        amount_field("limitAmount", "How much may be spent in a period.", 300),
        list_field(
            "limitOverrides",
            Kind.LIMIT_LIST,
            "Limits of single periods, which apply in place of limitAmount.",
            [{"periodStart": "2026-12-01", "limit": 450}],
        ),
        reference_list_field(
            "categoryIds",
            "Category",
            "Categories that count, including their subcategories; if empty, all.",
        ),
        reference_list_field("accountIds", "Account", "Accounts that count; if empty, all."),
        LABEL_IDS,
        date_field("startDate", "First day."),
        date_field("endDate", "Last day."),
        flag_field("closed", "Whether it is closed."),
        CREATED_AT,
        UPDATED_AT,
        computed_field("periodStart", Kind.DATE, "First day of the current period.", "2026-01-01"),
        computed_field("periodEnd", Kind.DATE, "Last day of the current period.", "2026-01-31"),
        computed_field(
            "periodLimit",
            Kind.NUMBER,
            "Limit of the current period: its own of limitOverrides, or else limitAmount.",
            300,
        ),
        computed_field("spent", Kind.NUMBER, "Spent in the current period.", 120.4),
        computed_field("income", Kind.NUMBER, "Income, which is not part of spent.", 2000),
        computed_field("remaining", Kind.NUMBER, "periodLimit less spent.", 179.6),
        computed_field(
            "remainingPerDay",
            Kind.NUMBER,
            "remaining for each day from today to periodEnd, rounded down; at least 0.",
            12.82,
        ),
        computed_field(
            "progress", Kind.NUMBER, "spent / periodLimit, to 4 decimals.", 0.4013, unit=Unit.SHARE
        ),
        computed_field("recordCount", Kind.NUMBER, "Number of records counted.", 7, decimals=0),
    ),
)

STATES = ("active", "paused", "reached")

GOALS = Resource(
    name="goals",
    path="goals",
    model_type="Goal",
    meaning="Savings goals and their progress.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("New bicycle"),
        text_field("note", "Free text.", "before summer"),
        COLOR,
        amount_field("targetAmount", "Amount to save.", 1200),
        amount_field(
            "savedAmount", "Amount saved so far, for goals without account or label.", 300, 0
        ),
        currency_field("Currency of the amounts; by default that of the account."),
        reference_field("accountId", "Account", "The account whose balance counts as saved."),
        reference_field("labelId", "Label", "The label whose records add up to the saved amount."),
        date_field("desiredDate", "When it should be reached."),
        choice_field("state", STATES, "Whether the user is saving for it.", "active", "active"),
        computed_field(
            "currentAmount",
            Kind.NUMBER,
            "Saved so far: until today the account's balance or the sum of the label's records, or "
            "savedAmount.",
            300,
        ),
        computed_field(
            "remaining", Kind.NUMBER, "targetAmount less currentAmount; 0 if it is reached.", 900
        ),
        computed_field(
            "progress",
            Kind.NUMBER,
            "currentAmount / targetAmount, 4 decimals.",
            0.25,
            unit=Unit.SHARE,
        ),
        computed_field(
            "expectedDate",
            Kind.DATE,
            "When it is reached at the rate of the last 180 days, or since the first record.",
            "2026-11-30",
        ),
        CREATED_AT,
        UPDATED_AT,
    ),
)

STANDING_ORDERS = Resource(
    name="standingOrders",
    path="standing-orders",
    model_type="StandingOrder",
    meaning="Recurring transactions and subscriptions.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("Rent"),
        choice_field(
            "type",
            RECORD_TYPES,
            "Whether money comes in or goes out. Default: by the sign of the amount.",
            "expense",
        ),
        reference_field("accountId", "Account", "The account."),
        reference_field("categoryId", "Category", "The category."),
        amount_field("amount", "Signed amount.", -850),
        currency_field("Currency of the amount, which is the account's."),
        text_field("payee", "Who is paid, or who pays.", "Landlord"),
        text_field("note", "Free text.", "flat 3"),
        payment_type_field("How it is paid.", "transfer"),
        text_field(
            "recurrenceRule", "When it repeats: an RFC 5545 RRULE.", "FREQ=MONTHLY;BYMONTHDAY=1"
        ),
        date_field("startDate", "First occurrence; later ones follow the rule."),
        computed_field(
            "nextDueDate", Kind.DATE, "First occurrence on or after today.", "2026-02-01"
        ),
        LABEL_IDS,
        flag_field("manualPayment", "Whether the user pays it manually."),
        CREATED_AT,
        UPDATED_AT,
    ),
)
