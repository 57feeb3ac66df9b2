"""The current period of a budget. The clock is set to Wednesday, 2026-03-18, unless a test sets
it.
"""

import pytest

from support.native_rows import account, budget, record, uid

SIX = ("periodStart", "periodEnd", "spent", "remaining", "progress", "recordCount")


def tracked(client, number=1):
    (row,) = client.get("budgets", id=uid("Budget", number)).json["budgets"]
    return tuple(row[name] for name in SIX)


def days(*dates):
    """Return a record of -1 on each of these days."""
    return [record(n, recordDate=d) for n, d in enumerate(dates, 1)]


@pytest.mark.parametrize(
    ("now", "interval", "first", "last"),
    [
        ("2026-03-18T12:00:00Z", "WEEK", "2026-03-16", "2026-03-22"),
        ("2026-03-16T00:00:00Z", "WEEK", "2026-03-16", "2026-03-22"),
        ("2026-03-22T23:59:59Z", "WEEK", "2026-03-16", "2026-03-22"),
        ("2026-03-23T00:00:00Z", "WEEK", "2026-03-23", "2026-03-29"),
        ("2026-01-01T00:00:00Z", "WEEK", "2025-12-29", "2026-01-04"),
        ("2026-03-18T12:00:00Z", "MONTH", "2026-03-01", "2026-03-31"),
        ("2026-02-28T23:59:59Z", "MONTH", "2026-02-01", "2026-02-28"),
        ("2028-02-29T00:00:00Z", "MONTH", "2028-02-01", "2028-02-29"),
        ("2026-12-31T23:59:59Z", "MONTH", "2026-12-01", "2026-12-31"),
        ("2026-12-31T23:59:59Z", "YEAR", "2026-01-01", "2026-12-31"),
        ("2027-01-01T00:00:00Z", "YEAR", "2027-01-01", "2027-12-31"),
    ],
)
def test_the_period_is_the_calendar_s(client, now, interval, first, last):
    client.load(account(), budget(type=f"BUDGET_INTERVAL_{interval}"))
    ends = [f"{first}T00:00:00Z", f"{last}T23:59:59Z"]
    client.load(*days(first, last, *ends))
    client.service.clock.set(now)
    assert tracked(client) == (first, last, 4, 96, 0.04, 4)


def test_the_default_type_is_the_month(client):
    client.load(budget())
    assert client.names("budgets", "type") == ["BUDGET_INTERVAL_MONTH"]
    assert tracked(client) == ("2026-03-01", "2026-03-31", 0, 100, 0, 0)


@pytest.mark.parametrize("kind", ["INTERVAL_WEEK", "INTERVAL_MONTH", "INTERVAL_YEAR", "CUSTOM"])
def test_outside_its_dates_a_budget_has_no_tracking(client, kind):
    dates = {"startDate": "2026-03-10", "endDate": "2026-03-20"}
    client.load(account(), budget(type=f"BUDGET_{kind}", **dates), *days("2026-03-18"))
    for today, inside in (
        ("2026-03-09T23:59:59Z", False),
        ("2026-03-10T00:00:00Z", True),
        ("2026-03-20T23:59:59Z", True),
        ("2026-03-21T00:00:00Z", False),
    ):
        client.service.clock.set(today)
        assert (tracked(client) != (None,) * 6) is inside, today
        assert client.names("budgets", "limitAmount") == [100]


def test_dates_inside_a_period_do_not_shorten_it(client):
    client.load(account(), budget(startDate="2026-03-10", endDate="2026-03-20"))
    client.load(*days("2026-03-01", "2026-03-31"))
    assert tracked(client)[:3] == ("2026-03-01", "2026-03-31", 2)
