"""GET /v1/api/accounts/balances. The clock is set to 2026-03-18."""

import io
import json
import zipfile
from decimal import Decimal

import pytest

from support.native_rows import account, record, uid


def balances(client, **query):
    return client.exact("accounts/balances", **query)


def points(client, **query):
    """(date, account, balance)"""
    rows = balances(client, **query)["balances"]
    return [(row["date"], row["account"], row["balance"]) for row in rows]


@pytest.fixture
def books(client):
    client.load(
        account(1, name="Giro", initialBalance=100),
        account(2, name="Savings", initialBalance=-5),
        account(3, name="Francs", currencyCode="CHF"),
        record(1, amount=-10, recordDate="2025-12-31"),
        record(2, amount=-2.5, recordDate="2026-01-01"),
        record(3, amount=50, recordDate="2026-03-18T23:59:59Z"),
        record(4, amount=-1000, recordDate="2026-02-01", recordState="void"),
        record(5, amount=7, recordDate="2026-02-15", accountId=uid("Account", 2)),
    )
    return client


def test_the_balances_at_the_end_of_each_month_by_account_and_their_sums(books):
    found = balances(books, **{"from": "2025-12-15", "to": "2026-02-10"})
    assert found["balances"][1] == {
        "period": "2025-12",
        "periodStart": "2025-12-01",
        "date": "2025-12-31",
        "account": "Giro",
        "accountId": uid("Account", 1),
        "currencyCode": "EUR",
        "balance": 90,
        "firstRecordDate": "2025-12-31",
    }
    assert [(r["date"], r["account"], r["balance"]) for r in found["balances"]] == [
        ("2025-12-31", "Francs", 0),
        ("2025-12-31", "Giro", 90),
        ("2025-12-31", "Savings", -5),
        ("2026-01-31", "Francs", 0),
        ("2026-01-31", "Giro", Decimal("87.5")),
        ("2026-01-31", "Savings", -5),
        ("2026-02-10", "Francs", 0),
        ("2026-02-10", "Giro", Decimal("87.5")),
        ("2026-02-10", "Savings", -5),
    ]
    assert [(t["date"], t["currencyCode"], t["balance"]) for t in found["totals"]] == [
        ("2025-12-31", "CHF", 0),
        ("2025-12-31", "EUR", 85),
        ("2026-01-31", "CHF", 0),
        ("2026-01-31", "EUR", Decimal("82.5")),
        ("2026-02-10", "CHF", 0),
        ("2026-02-10", "EUR", Decimal("82.5")),
    ]
    assert (found["interval"], found["from"], found["to"]) == ("month", "2025-12-01", "2026-02-10")


def test_the_first_record_may_be_before_what_is_asked_for(books):
    (_, giro, savings) = balances(books, interval="day", **{"from": "2026-03-18"})["balances"]
    assert giro["firstRecordDate"] == "2025-12-31"
    assert savings["firstRecordDate"] == "2026-02-15"


def test_a_void_record_to_come_is_none(books):
    books.load(record(8, amount=-3, recordDate="2027-01-01", recordState="void"))
    assert balances(books)["to"] == "2026-03-18"


def test_unknown_and_foreign_accounts_are_no_accounts(books, service):
    other = service.client()
    other.load(account(7, name="Theirs"))
    for account_id in (uid("Account", 7), uid("Account", 8)):
        assert balances(books, accountId=account_id)["balances"] == []


def test_csv_and_ndjson_have_the_balances_of_the_accounts(books):
    query = {"from": "2026-03-01", "accountId": uid("Account", 2)}
    found = books.get("accounts/balances", headers={"Accept": "text/csv"}, **query)
    assert found.text == (
        "period,periodStart,date,account,currencyCode,balance,firstRecordDate,accountId\r\n"
        f'"2026-03",2026-03-01,2026-03-18,"Savings",EUR,2,2026-02-15,{uid("Account", 2)}\r\n'
    )
    lines = books.get("accounts/balances", headers={"Accept": "application/x-ndjson"}, **query)
    assert [json.loads(line)["balance"] for line in lines.text.splitlines()] == [2]


def test_accounts_can_be_named(books):
    query = {"from": "2026-03-01"}
    named = points(books, accountName="in.Giro,Savings", **query)
    assert named == points(books, accountId=f"{uid('Account', 1)},{uid('Account', 2)}", **query)
    assert [row[1] for row in points(books, accountName="ne.Giro", **query)] == [
        "Francs",
        "Savings",
    ]
    (hint,) = balances(books, accountName="eq.giro")["hints"]
    assert hint == "No account is called giro. Did you mean Giro?"
    forecast = books.exact("accounts/forecast", accountName="startsWith-i.sav", to="today")
    assert [row["account"] for row in forecast["forecast"]] == ["Savings"]


def test_tables_can_have_the_totals(books):
    query = {"from": "2026-01-01", "to": "2026-02-10"}
    heading, *cells = books.get("accounts/balances.csv", rows="totals", **query).text.splitlines()
    assert heading == "period,periodStart,date,currencyCode,balance"
    assert cells == [
        '"2026-01",2026-01-01,2026-01-31,CHF,0',
        '"2026-01",2026-01-01,2026-01-31,EUR,82.5',
        '"2026-02",2026-02-01,2026-02-10,CHF,0',
        '"2026-02",2026-02-01,2026-02-10,EUR,82.5',
    ]
    assert balances(books, rows="totals", **query) == balances(books, **query)
    converted = {"convertTo": "CHF", "accountName": "eq.Francs", **query}
    text = books.get("accounts/balances.csv", rows="totals", **converted).text
    assert text.splitlines()[:2] == [
        "period,periodStart,date,convertedBalance,convertedCurrencyCode,conversionError",
        '"2026-01",2026-01-01,2026-01-31,0,CHF,',
    ]
    book = books.get("accounts/balances.xlsx", rows="totals", **query)
    with zipfile.ZipFile(io.BytesIO(book.body)) as parts:
        assert 'name="totals"' in parts.read("xl/workbook.xml").decode()
        assert 'displayName="totals"' in parts.read("xl/tables/table1.xml").decode()
    fault = books.fault("accounts/balances", rows="lowest")
    assert fault["message"] == '"lowest" is not one of totals'


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ({"interval": "hour"}, "interval", "not one of day, week, month, quarter, year"),
        ({"from": "2026-02-30"}, "from", "not a day of the calendar"),
        (
            {"to": "gte.2026-01-01"},
            "to",
            "it takes 2026-01-31, 2026-01, 2026-Q1, 2026-W05, 2026, today",
        ),
        ({"to": "2026-01-31T25:00:00Z"}, "to", "not a time of the day"),
        ({"from": "2026-02-30T10:00:00Z"}, "from", "not a day of the calendar"),
        ({"from": "2026-02-01", "to": "2026-01-01"}, "from", "later than the last day"),
        ({"from": "2026-03-19"}, "from", "later than the last day, 2026-03-18"),
        ({"interval": "day", "from": "2016-01-01"}, "interval", "1,233 intervals are possible"),
        ({"accountId": "x"}, "accountId", "UUID"),
        ({"limit": 5}, "limit", "no such parameter"),
        ({"withTotal": "true"}, "withTotal", "no such parameter"),
    ],
)
def test_what_cannot_be_answered_is_refused(books, query, name, message):
    fault = books.fault("accounts/balances", **query)
    assert fault["name"] == name and message in fault["message"]


def test_the_ends_can_be_months_and_relative_dates(books):
    for first, last, days in (
        ("last-month", "last-month", ("2026-02-01", "2026-02-28")),
        ("2026-01", "yesterday", ("2026-01-01", "2026-03-17")),
        ("-1m", "today", ("2026-02-18", "2026-03-18")),
    ):
        found = balances(books, interval="day", **{"from": first, "to": last})
        assert (found["from"], found["to"]) == days


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", ("2026-02-28", "2026-03-10")),
        ("Europe/Berlin", ("2026-03-01", "2026-03-11")),
        ("America/New_York", ("2026-02-28", "2026-03-10")),
    ],
)
def test_a_date_time_of_a_dashboard_stands_for_its_day_in_the_user_s_time_zone(books, zone, days):
    books.service.change(lambda s: s.users.update(books.user.id, time_zone=zone))
    ends = {"from": "2026-02-28T23:00:00.000Z", "to": "2026-03-10T23:59:59.999Z"}
    found = balances(books, interval="day", **ends)
    assert (found["from"], found["to"]) == days
    written = {"from": "2026-03-01T00:00+01:00", "to": "2026-03-11T00:59:59.999 01:00"}
    found = balances(books, interval="day", **written)
    assert (found["from"], found["to"]) == days


def test_a_new_time_zone_changes_the_answer_to_a_date_time(books):
    query = {"interval": "day", "from": "2026-02-28T23:00:00.000Z", "to": "2026-03-02"}
    first = books.get("accounts/balances", **query)
    books.service.change(lambda s: s.users.update(books.user.id, time_zone="Europe/Berlin"))
    again = books.get(
        "accounts/balances", headers={"If-None-Match": first.headers["ETag"]}, **query
    )
    assert (again.status_int, again.json["from"]) == (200, "2026-03-01")


def test_a_forecast_takes_a_date_time_too(books):
    found = books.get("accounts/forecast", to="2026-04-30T21:59:59.999Z").json
    assert found["to"] == "2026-04-30"


def test_as_many_as_fit_are_answered(books):
    fits = 3_700 // 3
    found = balances(books, interval="day", **{"from": "2022-11-02"})
    assert len(found["balances"]) == 3 * fits
    response = books.get("accounts/balances", interval="day", **{"from": "2022-11-01"})
    assert response.status_int == 400
