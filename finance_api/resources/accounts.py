"""Accounts: where the money is, such as a bank account or cash."""

from typing import Any

from finance_api.resources.common import (
    ARCHIVED,
    COLOR,
    CREATED_AT,
    ID,
    UPDATED_AT,
    amount_field,
    choice_field,
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


def _sum_field(name: str, meaning: str, example: float, **options: Any) -> Field:
    return derived_field(name, Kind.NUMBER, meaning, example, nullable=False, default=0, **options)


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
            "statementKeys",
            Kind.TEXT_LIST,
            "Names of the account in statements: source, a colon, the statement's key.",
            ["ofx:12030000/0000202051"],
            nullable=False,
            default=(),
            private=True,
            native=True,
        ),
        SET_BY_HAND,
        Field(
            "ownInitialBalance",
            Kind.NUMBER,
            "The initialBalance before it was derived from a bank's balance.",
            0,
            private=True,
        ),
    ),
    fields=(
        ID,
        name_field("Current account", required=True),
        choice_field("accountType", ACCOUNT_TYPES, "Kind of account.", "CurrentAccount", "General"),
        currency_field("Currency of the account and of all its records.", required=True),
        amount_field("initialBalance", "Balance before the first record.", 100, 0),
        _sum_field("balance", "Initial balance plus the records that are not void.", 57.5),
        _sum_field("recordCount", "Number of its records, including void ones.", 12, decimals=0),
        derived_field(
            "lastRecordDate", Kind.DATE, "Day of the account's newest record.", "2026-01-31"
        ),
        derived_field(
            "bankBalance", Kind.NUMBER, "Newest balance stated by a bank statement.", 57.5
        ),
        derived_field(
            "bankBalanceDate", Kind.DATE, "Day of that balance, at its end.", "2026-01-31"
        ),
        _sum_field(
            "unexplained",
            "Difference between balances in statements and the records; 0 if they agree.",
            0,
        ),
        text_field("bankAccountNumber", "Account number or IBAN.", "DE02120300000000202051"),
        COLOR,
        ARCHIVED,
        flag_field("excludeFromStats", "Whether budgets and summaries leave its records out."),
        CREATED_AT,
        UPDATED_AT,
    ),
)
