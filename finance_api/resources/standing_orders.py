"""Standing orders: payments that come again."""

from finance_api.resources.common import (
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
    name_field,
    payment_type_field,
    reference_field,
    text_field,
)
from finance_api.resources.field import Kind, Resource

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
            "Whether money comes in or goes out; by the amount's sign where not given.",
            "expense",
        ),
        reference_field("accountId", "Account", "The account."),
        reference_field("categoryId", "Category", "The category."),
        amount_field("amount", "Signed amount.", -850),
        currency_field("Currency of the amount; no other than the account's."),
        text_field("payee", "Who is paid, or who pays.", "Landlord"),
        text_field("note", "Free text.", "flat 3"),
        payment_type_field("How it is paid.", "transfer"),
        text_field(
            "recurrenceRule", "When it comes again: an RFC 5545 RRULE.", "FREQ=MONTHLY;BYMONTHDAY=1"
        ),
        date_field("startDate", "First occurrence, whatever the rule gives after it."),
        computed_field(
            "nextDueDate", Kind.DATE, "First occurrence on or after today.", "2026-02-01"
        ),
        LABEL_IDS,
        flag_field("manualPayment", "Whether the user pays it by hand."),
        CREATED_AT,
        UPDATED_AT,
    ),
)
