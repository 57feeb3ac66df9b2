"""Fields that several resources share, and functions that make the usual kinds of fields."""

from dataclasses import replace
from functools import partial
from typing import Any

from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind, Role

EXAMPLE_ID = "6f1c2c1e-2d4e-4b6e-9f6b-0d7c5a3e8b10"
_MOMENT = "2026-01-31T10:00:00Z"

PAYMENT_TYPES = (
    *("cash", "debit_card", "credit_card", "transfer"),
    *("voucher", "mobile_payment", "web_payment"),
)
INCOME, EXPENSE = "income", "expense"
RECORD_TYPES = (INCOME, EXPENSE)

computed_field = partial(Field, role=Role.COMPUTED)
derived_field = partial(Field, role=Role.DERIVED)


def text_field(name: str, meaning: str, example: str, **options: Any) -> Field:
    return Field(name, Kind.TEXT, meaning, example, **options)


def name_field(example: str, *, required: bool = False) -> Field:
    return Field("name", Kind.TEXT, "Name.", example, nullable=not required, required=required)


def amount_field(name: str, meaning: str, example: float, default: int | None = None) -> Field:
    """Make a field for an amount, which is nullable unless it has a default."""
    return Field(name, Kind.NUMBER, meaning, example, nullable=default is None, default=default)


def date_field(name: str, meaning: str, **options: Any) -> Field:
    return Field(name, Kind.DATE, meaning, "2026-01-31", **options)


def flag_field(name: str, meaning: str, *, example: bool = False) -> Field:
    """Make a boolean field that is false if an import does not give it."""
    return Field(name, Kind.BOOLEAN, meaning, example, nullable=False, default=False)


def choice_field(
    name: str, choices: tuple[str, ...], meaning: str, example: str, default: str | None = None
) -> Field:
    """Make a field with choices, which is nullable unless it has a default."""
    nullable = default is None
    return Field(
        name, Kind.CHOICE, meaning, example, choices=choices, nullable=nullable, default=default
    )


def currency_field(meaning: str, *, required: bool = False, nullable: bool = True) -> Field:
    field = choice_field("currencyCode", CURRENCIES, meaning, "EUR")
    return replace(field, required=required, nullable=nullable and not required)


def payment_type_field(meaning: str, example: str) -> Field:
    return choice_field("paymentType", PAYMENT_TYPES, meaning, example)


def reference_field(name: str, model_type: str, meaning: str, **options: Any) -> Field:
    return Field(name, Kind.ID, meaning, EXAMPLE_ID, references=model_type, **options)


def reference_list_field(name: str, model_type: str, meaning: str) -> Field:
    return replace(list_field(name, Kind.ID_LIST, meaning, [EXAMPLE_ID]), references=model_type)


def list_field(name: str, kind: Kind, meaning: str, example: list[Any]) -> Field:
    """Make a list field that is empty if an import does not give it."""
    return Field(name, kind, meaning, example, nullable=False, default=())


ID = Field("id", Kind.ID, "Identifier.", EXAMPLE_ID, nullable=False)
CREATED_AT = Field("createdAt", Kind.DATETIME, "When it was created.", _MOMENT, nullable=False)
UPDATED_AT = Field("updatedAt", Kind.DATETIME, "When it was last changed.", _MOMENT, nullable=False)
COLOR = text_field("color", "Display colour.", "#3a7d44")
LABEL_IDS = reference_list_field("labelIds", "Label", "Ids of its labels.")
ARCHIVED = flag_field("archived", "Whether it is archived.")
