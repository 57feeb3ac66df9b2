"""Accounts; categories and labels of records, and the rules that assign them; documents.

Only the internal surface lists documents. A document has a name, and any other members that it had
in the import.
"""

from typing import Any

from finance_api.resources.common import (
    ARCHIVED,
    COLOR,
    CREATED_AT,
    ID,
    LABEL_IDS,
    RECORD_TYPES,
    UPDATED_AT,
    amount_field,
    choice_field,
    currency_field,
    derived_field,
    flag_field,
    list_field,
    name_field,
    reference_field,
    text_field,
)
from finance_api.resources.field import (
    BOOK_STATE,
    SET_BY_HAND,
    SOURCE,
    SOURCE_ID,
    Field,
    Kind,
    Resource,
)

ACCOUNT_TYPES = (
    *("General", "Cash", "CurrentAccount", "CreditCard", "SavingAccount", "Bonus"),
    *("Insurance", "Investment", "Loan", "Mortgage", "Overdraft"),
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
        BOOK_STATE,
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
            native=True,
        ),
        Field(
            "ignoredPayments",
            Kind.TEXT_LIST,
            "Recurring payments to leave out: usual amount in 1/10,000, currency, folded payee.",
            ["-99900 EUR films"],
            nullable=False,
            default=(),
            private=True,
            native=True,
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
            "bankBalanceDate", Kind.DATE, "Day that ended with that balance.", "2026-01-31"
        ),
        _sum_field(
            "unexplained",
            "Difference between balances in statements and the records; 0 if they agree.",
            0,
        ),
        derived_field("unexplainedSince", Kind.DATE, "Day from which they differ.", "2026-01-28"),
        text_field("bankAccountNumber", "Account number or IBAN.", "DE02120300000000202051"),
        COLOR,
        ARCHIVED,
        flag_field("excludeFromStats", "Whether budgets and summaries leave its records out."),
        CREATED_AT,
        UPDATED_AT,
    ),
)


CATEGORIES = Resource(
    name="categories",
    path="categories",
    model_type="Category",
    meaning="Categories of records.",
    default_sort="+name",
    hidden=(
        SOURCE,
        SOURCE_ID,
        BOOK_STATE,
        Field(
            "kindIsDerived",
            Kind.BOOLEAN,
            "Whether the kind is derived from the category's parent or group.",
            example=True,
            nullable=False,
            default=True,
            private=True,
            native=True,
        ),
    ),
    fields=(
        ID,
        name_field("Groceries", required=True),
        reference_field("parentId", "Category", "The parent category."),
        text_field("group", "Name of the group that the category is listed in.", "Food and drinks"),
        choice_field(
            "kind",
            RECORD_TYPES,
            "Whether its records are income or expenses. Default: as its parent, or else by its "
            "group.",
            "expense",
        ),
        COLOR,
        ARCHIVED,
        flag_field("customCategory", "Whether the user made it.", example=True),
        CREATED_AT,
        UPDATED_AT,
    ),
)

LABELS = Resource(
    name="labels",
    path="labels",
    model_type="Label",
    meaning="Labels of records.",
    default_sort="+name",
    fields=(ID, name_field("household", required=True), COLOR, ARCHIVED, CREATED_AT, UPDATED_AT),
)

RECORD_RULES = Resource(
    name="recordRules",
    path="record-rules",
    model_type="RecordRule",
    meaning="Rules that give new records a category, labels and a payee.",
    default_sort="-createdAt",
    fields=(
        ID,
        name_field("Supermarkets"),
        list_field(
            "keywords",
            Kind.TEXT_LIST,
            "Texts to look for in payee and note, ignoring case.",
            ["aldi", "lidl"],
        ),
        flag_field(
            "wholePayee", "Whether a keyword must be the whole payee, ignoring case; not a part."
        ),
        text_field("payee", "The payee it gives.", "Aldi"),
        reference_field("categoryId", "Category", "The category it gives."),
        LABEL_IDS,
        reference_field("accountId", "Account", "The only account it applies to; if empty, all."),
        CREATED_AT,
        UPDATED_AT,
    ),
)


def _document(name: str, model_type: str, meaning: str, example: str) -> Resource:
    return Resource(
        name=name,
        path=None,
        model_type=model_type,
        meaning=meaning,
        default_sort="+name",
        fields=(ID, name_field(example, required=True), CREATED_AT, UPDATED_AT),
        hidden=(
            SOURCE,
            SOURCE_ID,
            BOOK_STATE,
            text_field("extra", "Other data from the import: a JSON object.", "{}"),
        ),
        open_ended=True,
    )


CONTACTS = _document("contacts", "Contact", "Payees and payers.", "Corner Shop")
HASH_TAGS = _document("hashTags", "HashTag", "Hashtags of transactions.", "holiday")
MAGIC_RULES = _document("magicRules", "MagicRule", "Advanced automation rules.", "Round up")
