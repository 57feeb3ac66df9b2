"""GET /v1/api/budgets/{id}/periods. The clock is set to Wednesday, 2026-03-18."""

import pytest

from support.native_rows import account, budget, record, uid

PATH = f"budgets/{uid('Budget', 1)}/periods"


def periods(client, **query):
    rows = client.exact(PATH, **query)["periods"]
    return [(row["periodStart"], row["periodEnd"], row["spent"]) for row in rows]


def dated(*dates):
    return [record(n, amount=-n, recordDate=date) for n, date in enumerate(dates, 1)]


def test_the_last_periods_stand_newest_first(client):
    client.load(account(), budget(), *dated("2026-03-01", "2026-02-28", "2026-01-31", "2026-01-01"))
    assert periods(client, last=4) == [
        ("2026-03-01", "2026-03-31", 1),
        ("2026-02-01", "2026-02-28", 2),
        ("2026-01-01", "2026-01-31", 7),
        ("2025-12-01", "2025-12-31", 0),
    ]
    assert len(periods(client)) == 12
    (row,) = client.get(PATH, last=1).json["periods"]
    assert row == {
        "periodStart": "2026-03-01",
        "periodEnd": "2026-03-31",
        "periodLimit": 100,
        "spent": 1,
        "income": 0,
        "remaining": 99,
        "remainingPerDay": 7.07,
        "progress": 0.01,
        "recordCount": 1,
    }


def test_weeks_and_years_are_those_of_the_calendar(client):
    client.load(account(), *dated("2026-03-16", "2026-03-15", "2025-12-31"))
    client.load(budget(type="BUDGET_INTERVAL_WEEK"))
    assert periods(client, last=2) == [
        ("2026-03-16", "2026-03-22", 1),
        ("2026-03-09", "2026-03-15", 2),
    ]
    client.load(budget(type="BUDGET_INTERVAL_YEAR"))
    assert periods(client, last=2) == [
        ("2026-01-01", "2026-12-31", 3),
        ("2025-01-01", "2025-12-31", 3),
    ]


def test_periods_outside_the_dates_of_a_budget_are_none_of_it(client):
    client.load(account(), budget(startDate="2026-01-15", endDate="2026-02-10"))
    assert [first for first, _, _ in periods(client)] == ["2026-02-01", "2026-01-01"]
    client.load(budget(type="BUDGET_CUSTOM", startDate="2025-12-15", endDate="2026-02-10"))
    assert periods(client) == [("2025-12-15", "2026-02-10", 0)]
    client.load(budget(type="BUDGET_CUSTOM", startDate="2026-03-19"))
    assert periods(client) == []


@pytest.mark.parametrize("budget_id", [uid("Budget", 9), "x", uid("Account", 1)])
def test_another_id_is_not_found(client, service, budget_id):
    client.load(account(), budget(1))
    service.client().load(account(2), budget(9))
    response = client.get(f"budgets/{budget_id}/periods")
    assert response.status_int == 404
    assert response.content_type == "application/problem+json"


@pytest.mark.parametrize("last", [0, 121, "x"])
def test_what_is_not_understood_is_refused(client, last):
    assert client.fault(PATH, last=last)["name"] == "last"
