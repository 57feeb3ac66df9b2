"""The charts of an answer: one for each currency and each value of the other dimensions."""

from decimal import Decimal
from typing import Any

import pytest

from finance_api.values.regions import DEFAULT
from finance_api.web.answer_tables import Chart, answer_table
from finance_api.web.plots import Mark

_NAMES = ("category", "month", "spent")


def table_of(document, address=""):
    return answer_table(document, DEFAULT, address)


def groups(*rows: tuple[Any, ...], names: tuple[str, ...] = _NAMES) -> dict[str, Any]:
    """Return the answer of a summary. rows: the values of ``names``, then a currency unless EUR."""
    return {
        "groups": [
            {
                "currencyCode": row[len(names)] if len(row) > len(names) else "EUR",
                **dict(zip(names, row, strict=False)),
            }
            for row in rows
        ]
    }


def titles(document: dict[str, Any]) -> list[str]:
    return [chart.title for chart in table_of(document).charts]


def texts(chart: Chart) -> list[str]:
    def text(mark: Mark) -> str:
        return ": ".join(mark.label.lines)

    return [text(mark) for mark in chart.plot.marks]


def test_each_currency_has_a_chart_of_its_own_sums_and_scale() -> None:
    names = ("month", "net")
    months = [("2026-01", 1), ("2026-01", 5000, "JPY"), ("2026-02", 2), ("2026-02", 9000, "JPY")]
    euro, yen = table_of(groups(*months, names=names)).charts
    assert (euro.title, yen.title) == ("Net by month, in EUR", "Net by month, in JPY")
    assert texts(euro) == ["Jan 2026: 1.00 EUR", "Feb 2026: 2.00 EUR"]
    assert texts(yen) == ["Jan 2026: 5,000 JPY", "Feb 2026: 9,000 JPY"]
    assert [tick.label for tick in euro.plot.ticks] == ["0", "1", "2"]
    assert yen.plot.ticks[-1].label == "5,000"


def test_balances_have_a_line_for_each_currency() -> None:
    totals = [
        {"period": period, "date": f"{period}-28", "currencyCode": currency, "balance": 5}
        for period in ("2026-01", "2026-02")
        for currency in ("CHF", "EUR")
    ]
    charts = table_of({"balances": totals, "totals": totals}).charts
    assert [chart.is_line for chart in charts] == [True, True]
    expected = ["Balance by period, in CHF", "Balance by period, in EUR"]
    assert [chart.title for chart in charts] == expected


def test_a_long_name_in_a_title_is_cut_before_the_currency() -> None:
    rows = [(name, month, 1) for name in ("x" * 200, "y" * 200) for month in ("2026-01", "2026-02")]
    for title, letter in zip(titles(groups(*rows)), "xy", strict=True):
        assert title.startswith(f"Spent by month: {letter * 20}") and title.endswith("…, in EUR")
        assert len(title) < 100


def test_a_currency_with_nothing_to_compare_has_no_chart() -> None:
    rows = [("Food", "2026-01", 1), ("Food", "2026-02", 1), ("Food", "2026-02", 1, "CHF")]
    assert titles(groups(*rows)) == ["Spent by month: Food, in EUR"]


def test_the_axis_of_very_many_months_has_years_in_place_of_months() -> None:
    months = [f"{1990 + at // 12}-{at % 12 + 1:02}" for at in range(100)]
    for value in ("spent", "balance"):
        rows = [(month, at + 1) for at, month in enumerate(months)]
        (chart,) = table_of(groups(*rows, names=("month", value))).charts
        assert [text for _, text in chart.plot.labels] == [str(1990 + at) for at in range(9)]
        assert chart.plot.years == []
        (chart,) = table_of(groups(*rows[:14], names=("month", value))).charts
        assert [text for _, text in chart.plot.labels][-3:] == ["Oct", "Dec", "Feb"]
        assert [text for _, text in chart.plot.years] == ["1990", "1991"]


@pytest.mark.parametrize("names", [("category", "month", "spent"), ("month", "category", "spent")])
def test_each_value_of_the_other_dimension_has_a_chart_by_time(names: tuple[str, ...]) -> None:
    rows = [("Food", "2026-02", 2), ("Food", "2026-03", 3), ("Rent", "2026-01", 900)]
    if names[0] == "month":
        rows = [(month, name, spent) for name, month, spent in rows]
    food, rent = table_of(groups(*rows, names=names)).charts
    assert food.title == "Spent by month: Food, in EUR"
    assert rent.title == "Spent by month: Rent, in EUR"
    shown = ["Jan 2026: not in the table", "Feb 2026: 2.00 EUR", "Mar 2026: 3.00 EUR"]
    assert texts(food) == shown
    assert [text[:3] for text in texts(rent)] == ["Jan", "Feb", "Mar"]
    assert food.plot.ticks == rent.plot.ticks


def test_without_a_time_the_first_dimension_is_on_the_axis() -> None:
    rows = [("Food", "Giro", 1), ("Rent", "Giro", 2), ("Food", None, 3)]
    expected = ["Spent by category: Giro, in EUR", "Spent by category: none, in EUR"]
    assert titles(groups(*rows, names=("category", "account", "spent"))) == expected


def test_three_dimensions_name_a_chart_by_two_of_them() -> None:
    rows = [("Food", "Giro", "2026-01", 1), ("Food", "Cash", "2026-02", 2)]
    rows += [("Rent", "Giro", "2026-02", 3)]
    names = ("category", "account", "month", "spent")
    expected = [f"Spent by month: {each}, in EUR" for each in ("Food, Giro", "Food, Cash")]
    assert titles(groups(*rows, names=names))[:2] == expected


def test_a_longer_period_beside_a_shorter_one_makes_no_chart_of_its_own() -> None:
    rows = [("2025", "2025-12", 1), ("2026", "2026-01", 2)]
    expected = ["Spent by month, in EUR"]
    assert titles(groups(*rows, names=("year", "month", "spent"))) == expected


def test_a_dimension_with_one_value_is_not_compared() -> None:
    rows = [("Food", "2026-01", 1), ("Rent", "2026-01", 2)]
    assert titles(groups(*rows)) == ["Spent by category, in EUR"]


def test_a_group_without_a_name_is_drawn_even_if_it_comes_first() -> None:
    (chart,) = table_of(groups((None, 1), ("Food", 2), names=("category", "spent"))).charts
    assert chart.title == "Spent by category, in EUR"
    assert texts(chart) == ["none: 1.00 EUR", "Food: 2.00 EUR"]


def test_the_eight_largest_are_drawn_and_the_others_are_named() -> None:
    rows = [
        (f"Shop {number}", month, Decimal(-number if month == "2026-01" else number))
        for number in range(1, 11)
        for month in ("2026-01", "2026-02")
    ]
    table = table_of(groups(*rows, ("Shop", "2026-01", 1, "CHF"), ("Shop", "2026-02", 1, "CHF")))
    drawn = [f"Spent by month: Shop {number}, in EUR" for number in range(3, 11)]
    assert [chart.title for chart in table.charts] == [*drawn, "Spent by month: Shop, in CHF"]
    assert table.not_drawn == ["Shop 1, in EUR", "Shop 2, in EUR"]


def test_weekdays_are_in_their_order() -> None:
    names = ("month", "weekday", "weekdayName", "spent")
    rows = [("2026-01", 7, "Sunday", 1), ("2026-01", 1, "Monday", 2), ("2026-02", 1, "Monday", 3)]
    expected = ["Spent by month: Monday, in EUR", "Spent by month: Sunday, in EUR"]
    assert titles(groups(*rows, names=names)) == expected


def test_groups_of_one_name_are_told_apart_by_their_ids_or_not_drawn() -> None:
    names = ("account", "accountId", "month", "spent")
    rows = [("Giro", id, month, 1) for id in ("1", "2") for month in ("2026-01", "2026-02")]
    assert titles(groups(*rows, names=names)) == ["Spent by month: Giro, in EUR"] * 2
    without = [(name, month, spent) for name, _, month, spent in rows]
    assert titles(groups(*without, names=("account", "month", "spent"))) == []
    with_others = [*without, ("Cash", "2026-01", 1)]
    assert titles(groups(*with_others, names=("account", "month", "spent"))) == []


def test_the_days_of_the_first_and_the_last_record_name_no_chart() -> None:
    rows = [("2026-01", 1, "2026-01-05", "2026-01-05"), ("2026-02", 2, "2026-02-01", "2026-02-09")]
    names = ("month", "spent", "firstDate", "lastDate")
    assert titles(groups(*rows, names=names)) == ["Spent by month, in EUR"]
