"""Amounts as people type them."""

from decimal import Decimal

import pytest

from finance_api.resources.typed import calculated
from finance_api.values.regions import DEFAULT
from finance_api.values.written import parse_amount


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("Rs.500", "INR", "500"),
        ("Rs. 500", "INR", "500"),
        ("Fr.5", "CHF", "5"),
        ("Fr. 5", "CHF", "5"),
        ("fr.12.50", "CHF", "12.50"),
        ("kr.5", "DKK", "5"),
        ("5 kr.", "DKK", "5"),
        ("5,50kr.", "DKK", "5.50"),
        ("Fr.5+Fr.0.50", "CHF", "5.50"),
        ("-Fr.5", "CHF", "-5"),
        # Behind a sign that is no letter, a point begins the decimals.
        ("$.50", "USD", "0.50"),
        (".50 USD", "USD", "0.50"),
    ],
)
def test_a_point_behind_letters_belongs_to_the_currency(text, currency, amount):
    assert parse_amount(calculated(text, currency, DEFAULT), DEFAULT) == Decimal(amount)
