"""GET /v1/api/accounts/forecast. The clock is set to Wednesday, 2026-03-18."""

from decimal import Decimal

import pytest

from support.native_rows import account, record, standing_order, uid

PATH = "accounts/forecast"
MONTHS = ("2025-11-05", "2025-12-05", "2026-01-05", "2026-02-05", "2026-03-05")


def forecast(client, **query):
    return client.exact(PATH, **query)


def balances(client, **query):
    return [(row["date"], row["balance"]) for row in forecast(client, **query)["forecast"]]


@pytest.fixture
def household(client):
    films = (
        record(10 + n, payee="Films", amount=-9.99, recordDate=day) for n, day in enumerate(MONTHS)
    )
    client.load(
        account(initialBalance=1000),
        account(2, name="Francs", currencyCode="CHF", initialBalance=50),
        standing_order(
            1,
            accountId=uid("Account", 1),
            amount=-850,
            startDate="2026-01-01",
            recurrenceRule="FREQ=MONTHLY",
        ),
        standing_order(2, name="Somewhere", amount=-5, startDate="2026-04-01"),
        *films,
        record(30, amount=-100, recordDate="2026-03-17", payee="Shoes"),
        record(31, amount=-1, recordDate="2026-03-20", payee="Deposit"),
    )
    return client


def test_balances_follow_orders_recurring_payments_and_records_of_later_days(household):
    today = 1000 - 100 - 5 * Decimal("9.99")
    found = forecast(household, to="2026-04-10", interval="day", accountId=uid("Account", 1))
    assert len(found["forecast"]) == 24
    by_day = {row["date"]: row["balance"] for row in found["forecast"]}
    assert by_day["2026-03-18"] == by_day["2026-03-19"] == today
    assert by_day["2026-03-20"] == by_day["2026-03-31"] == today - 1
    assert by_day["2026-04-04"] == today - 851
    assert by_day["2026-04-10"] == today - 851 - Decimal("9.99")
    assert found["lowest"] == [
        {
            "account": "Giro",
            "accountId": uid("Account", 1),
            "currencyCode": "EUR",
            "date": "2026-04-05",
            "balance": today - 851 - Decimal("9.99"),
        }
    ]
    assert (found["from"], found["to"], found["leftOut"]) == ("2026-03-18", "2026-04-10", 1)


def test_lowest_has_the_first_day_below_a_limit(household):
    query = {"to": "2026-04-10", "interval": "day"}
    for limit, francs, giro in (
        ("0", None, "2026-04-01"),
        ("50", None, "2026-04-01"),
        ("50.00001", "2026-03-18", "2026-04-01"),
        ("850.05", "2026-03-18", "2026-03-20"),
        ("-1000", None, None),
    ):
        found = forecast(household, below=limit, **query)["lowest"]
        days = {row["account"]: row["belowDate"] for row in found}
        assert days == {"Francs": francs, "Giro": giro}, limit
    table = household.get(f"{PATH}.csv", below="0", rows="lowest", **query).text.splitlines()
    assert table[0] == "account,currencyCode,date,balance,belowDate,accountId"
    assert "belowDate" not in forecast(household, **query)["lowest"][0]
    fault = household.fault(PATH, below="little")
    assert fault["name"] == "below" and '"little"' in fault["message"]


def test_the_lowest_balance_is_never_above_the_one_before_what_is_expected_today(client):
    due = {"accountId": uid("Account", 1), "startDate": "2026-03-18"}
    client.load(account(initialBalance=100), standing_order(1, amount=1000, **due))
    for query in ({}, {"include": "typical"}):
        (lowest,) = forecast(client, below="500", **query)["lowest"]
        assert (lowest["date"], lowest["balance"]) == ("2026-03-18", 100)
        assert lowest["belowDate"] == "2026-03-18"


def test_intervals_end_with_the_last_day_and_totals_are_by_currency(household):
    found = forecast(household)
    assert [(row["period"], row["date"]) for row in found["totals"]] == [
        ("2026-03", "2026-03-31"),
        ("2026-03", "2026-03-31"),
        ("2026-04", "2026-04-30"),
        ("2026-04", "2026-04-30"),
    ]
    assert [row["currencyCode"] for row in found["totals"]] == ["CHF", "EUR"] * 2
    # There is one account of each currency, by name.
    assert [row["balance"] for row in found["totals"]] == [
        row["balance"] for row in found["forecast"]
    ]
    weeks = balances(household, to="2026-04-01", interval="week", accountId=uid("Account", 2))
    assert weeks == [("2026-03-22", 50), ("2026-03-29", 50), ("2026-04-01", 50)]


def test_an_account_without_records_stays_at_its_balance(client):
    client.load(account(initialBalance=5))
    assert balances(client, to="2026-03-18") == [("2026-03-18", 5)]
    found = forecast(client, include="typical", to="2026-03-18")["forecast"]
    assert [found[0][f"{name}Balance"] for name in ("low", "median", "high")] == [5, 5, 5]


def test_without_accounts_there_is_nothing(client):
    found = forecast(client)
    assert (found["forecast"], found["totals"], found["lowest"]) == ([], [], [])


def test_typical_spending_makes_a_range_and_no_single_line(client):
    days = [f"2025-{month:02}-{day:02}" for month in range(4, 13) for day in range(1, 29, 2)]
    spent = [
        record(
            n, amount=-(1 + n * 7 % 5), payee=f"Shop {'abcdefghijklm'[n % 13] * 3}", recordDate=day
        )
        for n, day in enumerate(days, 1)
    ]
    client.load(account(initialBalance=1000), *spent)
    found = forecast(client, include="typical", to="2026-04-30")
    for row in (*found["forecast"], *found["totals"]):
        assert "balance" not in row
        assert row["lowBalance"] < row["medianBalance"] < row["highBalance"]
    (lowest,) = found["lowest"]
    assert lowest["balance"] == found["forecast"][-1]["lowBalance"]


def test_transfers_arrive_on_the_other_account(client):
    pairs = [
        record(
            n * 2 + side,
            amount=-30 if side == 0 else 30,
            accountId=uid("Account", 1 + side),
            recordDate=day,
            transferId=uid("Record", n * 2),
        )
        for n, day in enumerate(MONTHS, 1)
        for side in (0, 1)
    ]
    client.load(account(), account(2, name="Savings"), *pairs)
    found = forecast(client, to="2026-04-30", interval="month")["forecast"]
    assert [row["balance"] for row in found[-2:]] == [-180, 180]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"to": "2026-03-17"}, "is not between today, 2026-03-18, and 2028-03-18"),
        ({"to": "2028-03-19"}, "is not between today"),
        ({"interval": "year"}, "is not one of day, week, month"),
        ({"include": "all"}, "is not one of typical"),
    ],
)
def test_what_is_not_understood_is_refused(client, query, message):
    error = client.fault(PATH, **query)
    assert error["name"] == next(iter(query)) and message in error["message"]


def test_too_many_balances_are_refused(client):
    client.load(*(account(n, name=f"Account {n}") for n in range(1, 7)))
    assert forecast(client, interval="day", to="2027-11-23")["forecast"]
    response = client.get(PATH, interval="day", to="2027-11-26")
    assert response.status_int == 400
    assert "more than 3,700 balances of 6 accounts" in response.json["errors"][0]["message"]
