"""The single value of an answer."""

from decimal import Decimal

import pytest

from finance_api.questions.values import single_values

EUR, USD = {"currencyCode": "EUR"}, {"currencyCode": "USD"}
FIVE = Decimal(5)


def named(document):
    return [(each.name, each.row[each.name], each.currency) for each in single_values(document)]


def test_one_row_with_one_number_is_a_value():
    assert named({"groups": [EUR | {"spent": FIVE}]}) == [("spent", FIVE, "EUR")]
    assert named({"groups": [EUR | {"spent": Decimal(0)}]}) == [("spent", 0, "EUR")]


def test_each_currency_has_its_own_value():
    rows = [EUR | {"spent": FIVE}, USD | {"spent": Decimal(7)}]
    assert named({"groups": rows}) == [("spent", 5, "EUR"), ("spent", 7, "USD")]


def test_texts_of_the_row_and_compared_numbers_stand_beside_the_value():
    row = {"category": "Food", "categoryId": "c", "spent": FIVE, "previousSpent": Decimal(4)}
    row |= {"changeSpent": Decimal(1), "changeSpentPercent": Decimal(25), **EUR}
    (value,) = single_values({"groups": [row]})
    beside = ["category", "previousSpent", "changeSpent", "changeSpentPercent"]
    assert (value.name, value.others) == ("spent", beside)


def test_a_net_worth_is_the_sum_of_the_accounts():
    rows = [EUR | {"account": name, "balance": FIVE} for name in ("A", "B")]
    totals = [EUR | {"balance": Decimal(10)}]
    assert named({"balances": rows, "totals": totals}) == [("balance", 10, "EUR")]
    converted = [{"convertedBalance": Decimal(9), "convertedCurrencyCode": "USD"}]
    document = {"balances": rows, "totals": totals, "convertedTotals": converted}
    assert named(document) == [("convertedBalance", 9, "USD")]


@pytest.mark.parametrize(
    "document",
    [
        {"groups": []},
        {"groups": [EUR | {"spent": FIVE, "received": FIVE}]},
        {"groups": [EUR | {"month": f"2026-0{n}", "spent": FIVE} for n in (1, 2)]},
        {"groups": [EUR | {"spent": FIVE}, USD | {"spent": None}]},
        {"groups": [EUR | {"spent": None}]},
        {"groups": [EUR | {"spent": FIVE}], "nextOffset": 1},
        {"groups": [EUR | {"spent": FIVE}], "hints": ["There is no category with this id."]},
        {"records": [EUR | {"recordDate": "2026-03-01", "amount": FIVE}]},
        {"accounts": [EUR | {"name": "A", "balance": FIVE}, USD | {"name": "B", "balance": FIVE}]},
        {"budgets": [EUR | {"name": "Food"}]},
    ],
    ids="none two-numbers months no-value missing more gone record accounts no-number".split(),
)
def test_other_answers_have_no_single_value(document):
    assert single_values(document) == []
