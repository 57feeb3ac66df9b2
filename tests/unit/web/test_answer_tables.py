"""Answers of the API as tables and charts."""

from decimal import Decimal
from typing import Any

import pytest

from finance_api.values.regions import DEFAULT
from finance_api.web.answer_tables import answer_table


def table_of(document, address=""):
    return answer_table(document, DEFAULT, address)


def months(*nets: str, currency: str = "EUR") -> dict[str, Any]:
    return {
        "groups": [
            {"currencyCode": currency, "month": f"2026-{n:02}", "net": Decimal(net)}
            for n, net in enumerate(nets, 1)
        ]
    }


def test_amounts_are_exact_and_have_the_decimals_of_their_currency() -> None:
    table = table_of(months("-1234.5", "900719925474099.3001"))
    assert [row[-1] for row in table.rows] == ["−1,234.50", "900,719,925,474,099.3001"]
    assert table_of(months("-1234", currency="JPY")).rows[0][-1] == "−1,234"
    row = {"currencyCode": "JPY", "net": 5, "convertedNet": 3, "convertedCurrencyCode": "EUR"}
    assert table_of({"groups": [row]}).rows == [["JPY", "5", "3.00", "EUR"]]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (
            {"net": 7, "convertedCurrencyCode": "EUR", "convertedNet": Decimal("93.2850")},
            ["7.00", "EUR", "93.29"],
        ),
        ({"net": Decimal("93.2823"), "conversionError": None}, ["93.28"]),
        ({"incomeShare": Decimal("-0.3012"), "count": 2}, ["−30.12%", "2"]),
        ({"avg": Decimal("3.3333"), "previousPerMonth": Decimal("-0.6667")}, ["3.33", "−0.67"]),
    ],
)
def test_converted_amounts_and_quotients_are_rounded_to_cents(
    row: dict[str, Any], shown: list[str]
) -> None:
    assert table_of({"groups": [{"currencyCode": "EUR", **row}]}).rows == [["EUR", *shown]]


def test_a_single_value_of_all_currencies_is_rounded_to_the_decimals_of_its_currency() -> None:
    row = {"currencyCode": "JPY", "net": Decimal("-572087.6535"), "conversionError": None}
    assert [figure.text for figure in table_of({"groups": [row]}).figures] == ["−572,088 JPY"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("remaining", "Left"),
        ("remainingPerDay", "Left for each day"),
        ("currentAmount", "Saved"),
        ("spentShare", "Share of all spent"),
    ],
)
def test_a_value_has_the_label_of_the_pages(name: str, label: str) -> None:
    row = {"name": "Food", name: Decimal("0.25"), "currencyCode": "EUR"}
    assert [figure.label for figure in table_of({"budgets": [row]}).figures] == [label]


def test_sums_by_month_are_a_chart() -> None:
    table = table_of(months("1", "-2"))
    assert [chart.title for chart in table.charts] == ["Net by month, in EUR"]


def test_a_chart_of_one_group_among_others_that_are_cut_off_names_it() -> None:
    rows = [row | {"topCategory": "Books"} for row in months("1", "2")["groups"]]
    assert [c.title for c in table_of({"groups": rows}).charts] == ["Net by month: Books, in EUR"]


def test_what_is_zero_everywhere_has_no_chart() -> None:
    table = table_of(
        {"groups": months("0", "0")["groups"] + months("1", "2", currency="USD")["groups"]}
    )
    assert [chart.title for chart in table.charts] == ["Net by month, in USD"]
    assert table.not_drawn == []


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("category", "Electronics", "Electro…"),
        ("category", "Clothing", "Clothing"),
        ("category", "W" * 9, "WWW…"),
        ("day", "2026-03-18", "18 Mar"),
        ("month", "2026-03", "Mar"),
    ],
)
def test_the_axis_of_a_chart_has_short_labels(name: str, text: str, shown: str) -> None:
    rows = [{name: each, "spent": 1} for each in (text, "a", "b", "c")]
    (chart,) = table_of({"groups": rows}).charts
    assert [label for _, label in chart.plot.labels] == [shown, "a", "b", "c"]


def test_a_chart_of_few_columns_has_room_for_longer_labels() -> None:
    names = ["Everything", "Eating out", "A long holiday"]
    (chart,) = table_of({"budgets": [{"name": name, "spent": 1} for name in names]}).charts
    assert [label for _, label in chart.plot.labels] == ["Everything", "Eating out", "A long ho…"]


def test_long_rows_show_the_columns_that_people_read() -> None:
    record = {"id": "1", "accountId": "2", "accountName": "Giro", "amount": -1, "payee": None}
    record |= {"currencyCode": "EUR", "recordDate": "2026-03-01", "category": "Food", "note": "x"}
    long = {**record, "labels": ["a", "b"], "recordType": "expense", "splitId": None}
    table = table_of({"records": [long]})
    shown = ["Date", "Note", "Category", "Account", "Labels", "Amount", "Currency"]
    assert [label for label, _ in table.columns] == shown
    assert table.rows[0][-3] == "a, b"


def test_recurring_payments_show_the_next_day_and_the_yearly_amount() -> None:
    names = ("payee", "account", "category", "interval", "recurrenceRule", "status")
    amounts = ("amount", "lastAmount", "smallestAmount", "yearlyAmount")
    row = {**dict.fromkeys(names, "x"), **dict.fromkeys(amounts, -1), "currencyCode": "EUR"}
    table = table_of({"recurring": [{**row, "nextDate": "2026-12-01"}]})
    shown = [label for label, _ in table.columns]
    assert shown[-4:] == ["Amount", "Currency", "Next date", "Yearly amount"]
    assert "Recurrence rule" not in shown


@pytest.mark.parametrize(
    "fields", ["fields=recordDate,note,amount", "fields=recordDate&limit=5&fields=note,amount"]
)
def test_chosen_fields_are_shown_in_their_order(fields: str) -> None:
    table = table_of({"records": [{"id": "1", "note": "x", "amount": 2}]})
    assert table.columns == [("Note", "what"), ("Amount", "number")]
    document = {"records": [{"id": "1", "amount": 2, "recordDate": "2026-03-01", "note": "x"}]}
    table = table_of(document, f"/v1/api/records?{fields}")
    assert [label for label, _ in table.columns] == ["Date", "Note", "Amount"]


def test_percentages_have_the_minus_of_amounts() -> None:
    row = {"currencyCode": "EUR", "changeNet": -1, "changeNetPercent": Decimal("-5.23")}
    assert table_of({"groups": [row]}).rows == [["EUR", "−1.00", "−5.2%"]]


def test_wide_rows_show_their_first_columns() -> None:
    table = table_of({"groups": [{f"column{n}": n for n in range(20)}]})
    assert len(table.columns) == 9


@pytest.mark.parametrize("hints", [[], ["No category is called Fod."]])
def test_without_rows_there_are_only_hints(hints: list[str]) -> None:
    table = table_of({"records": [], "limit": 30, **({"hints": hints} if hints else {})})
    assert (table.columns, table.rows, table.hints, table.charts) == ([], [], hints, [])
