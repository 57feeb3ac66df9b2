"""Fields that several resources share."""

from typing import Any

from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind, Role

EXAMPLE_ID = "6f1c2c1e-2d4e-4b6e-9f6b-0d7c5a3e8b10"

PAYMENT_TYPES = (
    "cash",
    "debit_card",
    "credit_card",
    "transfer",
    "voucher",
    "mobile_payment",
    "web_payment",
)
INCOME, EXPENSE = "income", "expense"
RECORD_TYPES = (INCOME, EXPENSE)

ID = Field(name="id", kind=Kind.ID, nullable=False, meaning="Identifier.", example=EXAMPLE_ID)
CREATED_AT = Field(
    name="createdAt",
    kind=Kind.DATETIME,
    nullable=False,
    meaning="When it was made.",
    example="2026-01-31T10:00:00Z",
)
UPDATED_AT = Field(
    name="updatedAt",
    kind=Kind.DATETIME,
    nullable=False,
    meaning="When it was last changed.",
    example="2026-01-31T10:00:00Z",
)
COLOR = Field(name="color", kind=Kind.TEXT, meaning="Display colour.", example="#3a7d44")
LABEL_IDS = Field(
    name="labelIds",
    kind=Kind.ID_LIST,
    nullable=False,
    default=(),
    references="Label",
    meaning="Ids of its labels.",
    example=[EXAMPLE_ID],
)


def flag_field(name: str, meaning: str, *, example: bool = False) -> Field:
    """A boolean that is false unless an import says otherwise."""
    return Field(
        name=name,
        kind=Kind.BOOLEAN,
        nullable=False,
        default=False,
        meaning=meaning,
        example=example,
    )


ARCHIVED = flag_field("archived", "Whether it is out of use.")


def payment_type_field(meaning: str, example: str) -> Field:
    return Field(
        name="paymentType",
        kind=Kind.CHOICE,
        choices=PAYMENT_TYPES,
        meaning=meaning,
        example=example,
    )


def name_field(example: str, *, required: bool = False) -> Field:
    return Field(
        name="name",
        kind=Kind.TEXT,
        nullable=not required,
        required=required,
        meaning="Name.",
        example=example,
    )


def text_field(name: str, meaning: str, example: str) -> Field:
    return Field(name=name, kind=Kind.TEXT, meaning=meaning, example=example)


def amount_field(name: str, meaning: str, example: float | int, **options: Any) -> Field:
    return Field(name=name, kind=Kind.NUMBER, meaning=meaning, example=example, **options)


def date_field(name: str, meaning: str, **options: Any) -> Field:
    return Field(name=name, kind=Kind.DATE, meaning=meaning, example="2026-01-31", **options)


def currency_field(meaning: str, *, required: bool = False, nullable: bool = True) -> Field:
    return Field(
        name="currencyCode",
        kind=Kind.CHOICE,
        choices=CURRENCIES,
        nullable=nullable and not required,
        required=required,
        meaning=meaning,
        example="EUR",
    )


def reference_field(name: str, model_type: str, meaning: str, **options: Any) -> Field:
    return Field(
        name=name,
        kind=Kind.ID,
        references=model_type,
        meaning=meaning,
        example=EXAMPLE_ID,
        **options,
    )


def reference_list_field(name: str, model_type: str, meaning: str) -> Field:
    return Field(
        name=name,
        kind=Kind.ID_LIST,
        nullable=False,
        default=(),
        references=model_type,
        meaning=meaning,
        example=[EXAMPLE_ID],
    )


def computed_field(name: str, kind: Kind, meaning: str, example: Any, **options: Any) -> Field:
    return Field(
        name=name, kind=kind, role=Role.COMPUTED, meaning=meaning, example=example, **options
    )


def derived_field(name: str, kind: Kind, meaning: str, example: Any, **options: Any) -> Field:
    return Field(
        name=name, kind=kind, role=Role.DERIVED, meaning=meaning, example=example, **options
    )
