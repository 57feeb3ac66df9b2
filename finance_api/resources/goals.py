"""Goals: what is being saved for."""

from finance_api.resources.common import (
    COLOR,
    CREATED_AT,
    ID,
    UPDATED_AT,
    amount_field,
    choice_field,
    computed_field,
    currency_field,
    date_field,
    name_field,
    text_field,
)
from finance_api.resources.field import Kind, Resource

STATES = ("active", "paused", "reached")

GOALS = Resource(
    name="goals",
    path="goals",
    model_type="Goal",
    meaning="Savings goals and how far they are.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("New bicycle"),
        text_field("note", "Free text.", "before summer"),
        COLOR,
        amount_field("targetAmount", "How much is to be saved.", 1200),
        amount_field("savedAmount", "How much is saved.", 300, 0),
        currency_field("Currency of both amounts."),
        date_field("desiredDate", "When it should be reached."),
        choice_field("state", STATES, "Whether it is being saved for.", "active", "active"),
        computed_field("progress", Kind.NUMBER, "savedAmount / targetAmount, 4 decimals.", 0.25),
        CREATED_AT,
        UPDATED_AT,
    ),
)
