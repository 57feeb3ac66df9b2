"""How much of each budget has been spent."""

import pytest

from support.native_rows import account, budget, category, label, record, uid

DEBT = "5c5c4e20-00c8-8000-8000-000000000000"
FOOD, PAY = uid("Category", 1), uid("Category", 2)


@pytest.fixture
def spender(empty):
    empty.client.load(
        account(1, currencyCode="EUR"),
        account(2, currencyCode="USD"),
        account(3, currencyCode="EUR", excludeFromStats=True),
        category(1, group="Food & drinks"),
        category(2, kind="income"),
        category(3, id=DEBT, name="Debt"),
        label(),
        record(1, amount=-60, recordDate="2026-11-02", categoryId=FOOD),
        record(2, amount=10, recordDate="2026-11-03", categoryId=FOOD),
        record(3, amount=-70.25, recordDate="2026-11-04", categoryId=FOOD),
        record(4, amount=1000, recordDate="2026-11-05", categoryId=PAY),
        record(5, amount=-9, recordDate="2026-11-06"),
        record(6, amount=-8, recordDate="2026-11-07", transferId=uid("Record", 9), categoryId=FOOD),
        record(7, amount=-6, recordDate="2026-11-08", categoryId=DEBT),
        record(8, amount=-5, recordDate="2026-10-31", categoryId=FOOD),
        record(9, amount=-4, recordDate="2026-11-09", categoryId=FOOD, recordState="void"),
        record(10, accountId=uid("Account", 2), recordDate="2026-11-09", categoryId=FOOD),
        record(11, accountId=uid("Account", 3), recordDate="2026-11-09", categoryId=FOOD),
        budget(1, limitAmount=100),
        budget(2, limitAmount=None, type="BUDGET_INTERVAL_WEEK"),
        budget(3, type="BUDGET_CUSTOM", startDate="2026-11-01", endDate="2026-11-30"),
        budget(4, startDate="2026-10-01", endDate="2026-10-31"),
        budget(5, type="BUDGET_INTERVAL_YEAR", categoryIds=[FOOD], accountIds=[uid("Account", 1)]),
    )
    return empty


def spending(wallet, number, asked="current"):
    (row,) = wallet.rows(f"budgets?id={uid('Budget', number)}&spending={asked}")
    return row["spending"]


def test_spending_has_the_current_period(spender):
    found = spending(spender, 1)
    assert found["past"] == []
    assert found["computedAt"].startswith("2026-11-21T")
    assert found["current"] == {
        "period": "2026-11",
        "periodStart": "2026-11-01",
        "periodEnd": "2026-11-30",
        "effectiveLimit": 100,
        "spent": 120.25,
        "remaining": -20.25,
        "progress": 1.2025,
        "overspent": 20.25,
        "totalExpenses": 130.25,
        "totalIncomes": 10,
        "recordCount": 3,
        "convertedCurrencies": [],
        "incomplete": True,
        "excluded": {
            "total": 4,
            "transfers": 1,
            "debts": 1,
            "incomeCategories": 1,
            "unknownCategories": 1,
            "totalAmountSum": 977,
        },
        "limit": 100,
    }


def test_without_a_limit_what_follows_from_it_is_null(spender):
    current = spending(spender, 2)["current"]
    assert current["period"] == "2026-W47"
    for name in ("effectiveLimit", "remaining", "progress", "overspent"):
        assert current[name] is None
    assert current["spent"] == 0


def test_custom_and_yearly_budgets_have_their_own_periods(spender):
    custom, year = spending(spender, 3)["current"], spending(spender, 5)["current"]
    assert (custom["periodStart"], custom["periodEnd"]) == ("2026-11-01", "2026-11-30")
    assert custom["spent"] == 120.25
    assert (year["period"], year["spent"], year["incomplete"]) == ("2026", 125.25, False)
    over = spending(spender, 4)
    assert over["current"] is None


@pytest.mark.parametrize("number", [2, 5, 10, 25])
@pytest.mark.parametrize("plus", ["%2B", "+"])
def test_past_periods_come_newest_first(spender, number, plus):
    past = spending(spender, 1, f"current{plus}{number}")["past"]
    assert len(past) == number
    assert [past[0]["period"], past[1]["period"]] == ["2026-10", "2026-09"]
    assert (past[0]["spent"], past[1]["spent"]) == (5, 0)
    assert spending(spender, 4, f"current{plus}{number}")["past"][0]["period"] == "2026-10"


def test_spending_is_only_shown_if_asked_for(spender):
    for query in ("", "?spending=none"):
        assert {"spending" in row for row in spender.rows(f"budgets{query}")} == {False}


@pytest.mark.parametrize("asked", ["current+3", "current+", "all", "", "current%2B1"])
def test_other_values_of_spending_are_refused_with_those_it_takes(spender, asked):
    said = spender.refused(f"budgets?spending={asked}")
    assert "none, current, current+2, current+5, current+10, current+25" in said
