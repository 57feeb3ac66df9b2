"""Records: each is one movement of money on one account."""

from dataclasses import replace
from functools import partial

from finance_api.resources.common import (
    CREATED_AT,
    EXPENSE,
    ID,
    INCOME,
    LABEL_IDS,
    RECORD_TYPES,
    UPDATED_AT,
    amount_field,
    choice_field,
    currency_field,
    date_field,
    derived_field,
    payment_type_field,
    reference_field,
    text_field,
)
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import (
    BOOK_STATE,
    SET_BY_HAND,
    SOURCE,
    SOURCE_ID,
    Field,
    Kind,
    Resource,
    Role,
)

VOID = "void"
#: The fields in which ``q`` looks for words.
SEARCHED = ("payee", "originalPayee", "note", "category", "labels", "accountName")
RECORD_STATES = ("reconciled", "cleared", "uncleared", VOID)

_internal_field = partial(Field, private=True, native=True)

BROUGHT = _internal_field(
    "brought",
    Kind.TEXT,
    "What files brought of the record, as JSON; null if it is what the record has, [] if no file "
    "brought the record.",
    None,
)

RECORDS = Resource(
    name="records",
    path="records",
    model_type="Record",
    meaning="Movements of money on the accounts.",
    default_sort="-recordDate",
    hidden=(
        SOURCE,
        SOURCE_ID,
        BOOK_STATE,
        _internal_field(
            "furtherSources",
            Kind.TEXT_LIST,
            "Entries of other sources that are the same transaction: source, a colon, id.",
            ["csv:Current account/4711"],
            default=(),
        ),
        _internal_field(
            "stated",
            Kind.TEXT,
            "Values stated by statements, current and earlier, as JSON; null if they are the "
            "record's values.",
            None,
        ),
        BROUGHT,
        SET_BY_HAND,
        _internal_field(
            "categoryByRule",
            Kind.BOOLEAN,
            "Whether its category came from a record rule.",
            example=True,
        ),
    ),
    fields=(
        ID,
        reference_field(
            "accountId",
            "Account",
            "The account it belongs to.",
            nullable=False,
            required=True,
            entered=1,
        ),
        derived_field(
            "accountName", Kind.TEXT, "Name of the account.", "Current account", nullable=False
        ),
        Field(
            "amount",
            Kind.NUMBER,
            "Signed amount in the account's currency; money going out is negative.",
            -42.5,
            nullable=False,
            required=True,
            entered=3,
        ),
        currency_field("Currency of the account.", nullable=False),
        date_field(
            "recordDate",
            "Date of the transaction; only the UTC calendar day is public.",
            nullable=False,
            required=True,
            keeps_time=True,
            entered=2,
        ),
        derived_field("category", Kind.TEXT, "Name of the category.", "Groceries"),
        reference_field("categoryId", "Category", "The category.", entered=6),
        text_field("payee", "Who was paid, or who paid.", "Corner Shop", entered=4),
        text_field("note", "Free text.", "weekly shopping", entered=5),
        derived_field(
            "labels",
            Kind.TEXT_LIST,
            "Names of the labels.",
            ["household"],
            nullable=False,
            default=(),
        ),
        replace(LABEL_IDS, entered=7),
        derived_field(
            "recordType",
            Kind.CHOICE,
            "By the sign of the amount; zero is income.",
            "expense",
            nullable=False,
            choices=RECORD_TYPES,
        ),
        replace(payment_type_field("How it was paid.", "debit_card"), entered=9),
        replace(
            choice_field(
                "recordState",
                RECORD_STATES,
                "How far it is settled; void records count in no sum or balance.",
                "cleared",
            ),
            entered=8,
        ),
        Field(
            "transferId",
            Kind.ID,
            "Shared by the two records of a transfer between own accounts.",
            "0e2b6a1c-91a5-4c0f-8a5e-5c1f1f0c7d21",
        ),
        Field(
            "splitId",
            Kind.ID,
            "Shared by the parts of a split record: the id of the whole.",
            "3d1c6f0a-7b7e-4c57-9a53-2f1f0f6d9a10",
        ),
        date_field(
            "valueDate",
            "Day from which the bank counts interest: a statement's second date.",
            stated="value_date",
        ),
        text_field(
            "counterpartyAccount",
            "IBAN or account number of the other side.",
            "DE75512108001245126199",
            stated="counterparty_account",
        ),
        text_field(
            "reference",
            "End-to-end id, payment reference or check number.",
            "RF18539007",
            stated="reference",
        ),
        text_field(
            "originalPayee",
            "The payee as the file had it, if it was changed since: by hand, by a rule or by a "
            "merge.",
            "SHOP 4711 BERLIN",
        ),
        replace(
            amount_field("originalAmount", "Amount before conversion; not used in sums.", -49.9),
            stated="original_amount",
        ),
        replace(
            choice_field("originalCurrencyCode", CURRENCIES, "Currency of originalAmount.", "USD"),
            stated="original_currency",
        ),
        derived_field(
            "importId",
            Kind.SERIAL,
            "The import that created it.",
            "00000000-0000-8000-8000-00000000001f",
        ),
        CREATED_AT,
        UPDATED_AT,
    ),
)

#: Fields of a record that the whole of a split lacks, because its parts have them.
_OF_PARTS = ("currencyCode", "categoryId", "labelIds", "transferId", "splitId", "categoryByRule")

SPLITS = Resource(
    name="splits",
    path=None,
    model_type="SplitRecord",
    meaning="Records that were split: the wholes. Their parts are records.",
    default_sort="-recordDate",
    hidden=(*(f for f in RECORDS.hidden if f.name not in _OF_PARTS), RECORDS["importId"]),
    fields=tuple(f for f in RECORDS.fields if f.role is Role.STORED and f.name not in _OF_PARTS),
)

#: Stands in for a field in conditions on the words of ``q``.
WORDS = text_field("q", "Payee, note, category, labels and account's name.", "shop berlin")


#: The two directions of money: see `planning.counted`.
SPENT, RECEIVED = "spent", "received"
FLOWS = (SPENT, RECEIVED)
#: Stands in for a field in conditions on the flow of a record.
FLOW = choice_field("flow", FLOWS, "Whether it counts as spent or as received.", SPENT)


def record_type(amount: int) -> str:
    """Return ``expense`` for money going out, else ``income``."""
    return EXPENSE if amount < 0 else INCOME


#: The fields that statements state in addition to what makes a record: field -> attribute.
STATED = {field.name: field.stated for field in RECORDS.fields if field.stated}
#: The fields that people fill in, in the order of forms.
ENTERED = tuple(sorted((f for f in RECORDS.fields if f.entered), key=lambda f: f.entered))
