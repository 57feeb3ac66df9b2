"""Budgets: how much may be spent in a period, and how much was."""

from finance_api.resources.common import (
    CREATED_AT,
    ID,
    LABEL_IDS,
    UPDATED_AT,
    amount_field,
    choice_field,
    computed_field,
    currency_field,
    date_field,
    flag_field,
    name_field,
    reference_list_field,
)
from finance_api.resources.field import Kind, Resource

WEEK = "BUDGET_INTERVAL_WEEK"
MONTH = "BUDGET_INTERVAL_MONTH"
YEAR = "BUDGET_INTERVAL_YEAR"
CUSTOM = "BUDGET_CUSTOM"

BUDGETS = Resource(
    name="budgets",
    path="budgets",
    model_type="Budget",
    meaning="Budgets and what the current period has used of them.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("Eating out"),
        choice_field(
            "type",
            (WEEK, MONTH, YEAR, CUSTOM),
            "Its period: the calendar week, month or year, or startDate to endDate.",
            MONTH,
            MONTH,
        ),
        currency_field("Currency of the limit; only records of this currency count."),
        amount_field("limitAmount", "How much may be spent in a period.", 300),
        reference_list_field(
            "categoryIds", "Category", "Categories that count, with all below them; none: any."
        ),
        reference_list_field("accountIds", "Account", "Accounts that count; none: any."),
        LABEL_IDS,
        date_field("startDate", "First day."),
        date_field("endDate", "Last day."),
        flag_field("closed", "Whether it is closed."),
        CREATED_AT,
        UPDATED_AT,
        computed_field("periodStart", Kind.DATE, "First day of the current period.", "2026-01-01"),
        computed_field("periodEnd", Kind.DATE, "Last day of the current period.", "2026-01-31"),
        computed_field("spent", Kind.NUMBER, "Spent in the current period.", 120.4),
        computed_field("income", Kind.NUMBER, "Income, which is no part of spent.", 2000),
        computed_field("remaining", Kind.NUMBER, "limitAmount less spent.", 179.6),
        computed_field("progress", Kind.NUMBER, "spent / limitAmount, to 4 decimals.", 0.4013),
        computed_field("recordCount", Kind.NUMBER, "How many records were counted.", 7, decimals=0),
    ),
)
