"""Accounts: where money is."""

from finance_api.resources.common import (
    ARCHIVED,
    COLOR,
    CREATED_AT,
    ID,
    UPDATED_AT,
    amount_field,
    currency_field,
    derived_field,
    flag_field,
    name_field,
    text_field,
)
from finance_api.resources.field import SET_BY_HAND, SOURCE, SOURCE_ID, Field, Kind, Resource

ACCOUNT_TYPES = (
    "General",
    "Cash",
    "CurrentAccount",
    "CreditCard",
    "SavingAccount",
    "Bonus",
    "Insurance",
    "Investment",
    "Loan",
    "Mortgage",
    "Overdraft",
)

ACCOUNTS = Resource(
    name="accounts",
    path="accounts",
    model_type="Account",
    meaning="Bank accounts, credit cards, cash and investments.",
    default_sort="+name",
    hidden=(
        SOURCE,
        SOURCE_ID,
        Field(
            name="statementKeys",
            kind=Kind.TEXT_LIST,
            nullable=False,
            default=(),
            private=True,
            native=True,
            meaning="What statements call the account: source, a colon, their key.",
            example=["ofx:12030000/0000202051"],
        ),
        SET_BY_HAND,
        Field(
            name="ownInitialBalance",
            kind=Kind.NUMBER,
            private=True,
            meaning="What initialBalance was before it followed from a bank's balance.",
            example=0,
        ),
    ),
    fields=(
        ID,
        name_field("Current account", required=True),
        Field(
            name="accountType",
            kind=Kind.CHOICE,
            choices=ACCOUNT_TYPES,
            nullable=False,
            default="General",
            meaning="What kind of account it is.",
            example="CurrentAccount",
        ),
        currency_field("Currency of the account and of all its records.", required=True),
        amount_field(
            "initialBalance", "Balance before the first record.", 100, nullable=False, default=0
        ),
        derived_field(
            "balance",
            Kind.NUMBER,
            "Initial balance plus the records that are not void.",
            57.5,
            nullable=False,
            default=0,
        ),
        derived_field(
            "recordCount",
            Kind.NUMBER,
            "How many records it has, void ones included.",
            12,
            nullable=False,
            default=0,
            decimals=0,
        ),
        derived_field("lastRecordDate", Kind.DATE, "Day of its newest record.", "2026-01-31"),
        derived_field("bankBalance", Kind.NUMBER, "Newest balance that a statement told.", 57.5),
        derived_field(
            "bankBalanceDate", Kind.DATE, "The day at whose end it was that.", "2026-01-31"
        ),
        derived_field(
            "unexplained",
            Kind.NUMBER,
            "What the records do not explain between balances that statements told; 0 is good.",
            0,
            nullable=False,
            default=0,
        ),
        text_field("bankAccountNumber", "Number at the bank.", "DE02120300000000202051"),
        COLOR,
        ARCHIVED,
        flag_field("excludeFromStats", "Whether budgets and summaries leave its records out."),
        CREATED_AT,
        UPDATED_AT,
    ),
)
