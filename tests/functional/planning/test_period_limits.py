"""Limits of single periods of a budget: limitOverrides."""

import csv
import io
import json
import zipfile
from decimal import Decimal

import pytest

from support.native_rows import account, budget, record

MONTHS = [{"periodStart": "2026-03-01", "limit": 450.5}, {"periodStart": "2026-01-01", "limit": 0}]
SORTED = MONTHS[::-1]


def month(day, limit):
    return {"periodStart": day, "limit": limit}


def test_a_period_has_its_own_limit(client):
    spent = [record(1, amount=-100, recordDate="2026-03-02"), record(2, recordDate="2026-01-02")]
    client.load(account(), budget(limitAmount=300, limitOverrides=MONTHS), *spent)
    (now,) = client.get("budgets").json["budgets"]
    assert (now["limitAmount"], now["limitOverrides"]) == (300, SORTED)
    assert (now["periodLimit"], now["remaining"]) == (450.5, 350.5)
    assert now["progress"] == 0.222
    assert client.get(f"budgets/{now['id']}").json == now
    periods = client.get(f"budgets/{now['id']}/periods", last=3).json["periods"]
    assert [(p["periodLimit"], p["remaining"], p["progress"]) for p in periods] == [
        *((450.5, 350.5, 0.222), (300, 300, 0), (0, -1, None))
    ]
    client.service.clock.set("2026-04-01T00:00:00Z")
    assert client.names("budgets", "periodLimit") == [300]


def test_what_remains_is_divided_by_the_days_that_are_left(client):
    """Today is 18 March: March has 14 more days, today included, and the week 5."""
    custom = {"type": "BUDGET_CUSTOM", "limitAmount": 100}
    client.load(
        account(),
        account(2, currencyCode="JPY"),
        record(1, amount=-100, recordDate="2026-03-02"),
        budget(1, name="Month", limitAmount=300, limitOverrides=MONTHS),
        budget(2, name="Week", type="BUDGET_INTERVAL_WEEK", limitAmount=100),
        budget(3, name="Over", limitAmount=99.99),
        budget(4, name="No limit", limitAmount=None),
        budget(5, name="Yen", limitAmount=100, currencyCode="JPY"),
        budget(6, name="Ends today", endDate="2026-03-18", **custom),
        budget(7, name="No end", startDate="2026-03-18", **custom),
        budget(8, name="Begins", startDate="2026-03-19", endDate="2026-03-20", **custom),
    )
    found = {row["name"]: row for row in client.exact("budgets", limit=100)["budgets"]}
    assert {name: row["remainingPerDay"] for name, row in found.items()} == {
        "Month": Decimal("25.03"),
        "Week": 20,
        "Over": 0,
        "No limit": None,
        "Yen": 7,
        "Ends today": 0,
        "No end": None,
        "Begins": None,
    }
    path = f"budgets/{found['Month']['id']}/periods"
    periods = client.exact(path, last=2)["periods"]
    assert [period["remainingPerDay"] for period in periods] == [Decimal("25.03"), None]
    ordered = client.names("budgets", "name", sortBy="-remainingPerDay", limit=2)
    assert ordered == ["Month", "Week"]


@pytest.mark.parametrize(
    ("interval", "day"), [("WEEK", "2026-03-16"), ("MONTH", "2026-03-01"), ("YEAR", "2026-01-01")]
)
def test_a_budget_without_a_limit_can_have_one_for_a_period(client, interval, day):
    kind = f"BUDGET_INTERVAL_{interval}"
    client.load(budget(type=kind, limitAmount=None, limitOverrides=[month(day, 7)]))
    assert client.names("budgets", "remaining") == [7]


def test_every_format_has_the_limits(client):
    client.load(budget(limitOverrides=MONTHS))
    (row,) = csv.DictReader(io.StringIO(client.get("budgets.csv").text))
    assert row["limitOverrides"] == "2026-01-01=0;2026-03-01=450.5"
    (line,) = client.get("export/budgets.ndjson").text.splitlines()
    assert json.loads(line)["limitOverrides"] == SORTED
    (texts,) = client.get("budgets", amounts="string").json["budgets"]
    assert texts["limitOverrides"] == [month("2026-01-01", "0"), month("2026-03-01", "450.5")]
    texts_of_one = client.get(f"budgets/{texts['id']}", amounts="string").json
    assert texts_of_one["limitOverrides"] == texts["limitOverrides"]
    (row,) = csv.DictReader(io.StringIO(client.get("budgets.csv", amounts="string").text))
    assert row["limitOverrides"] == "2026-01-01=0;2026-03-01=450.5"
    with zipfile.ZipFile(io.BytesIO(client.get("budgets.xlsx").body)) as parts:
        assert b"<t>2026-01-01=0;2026-03-01=450.5</t>" in parts.read("xl/worksheets/sheet1.xml")


def test_a_limit_of_many_digits_is_exact(client):
    client.load(budget(limitOverrides=[month("2026-03-01", Decimal("922337203685477.5807"))]))
    assert b'"limit":922337203685477.5807}' in client.get("export/all.ndjson").body
    assert b'"limit":922337203685477.5807}' in client.get("budgets").body


def test_the_limits_are_no_filter(client):
    problem = client.get("budgets", limitOverrides="eq.1").json
    assert "limitOverrides" in problem["detail"]
