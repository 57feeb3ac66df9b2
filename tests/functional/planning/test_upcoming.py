"""GET /v1/api/standing-orders/upcoming. The clock is set to Wednesday, 2026-03-18."""

from decimal import Decimal

import pytest

from support.native_rows import account, category, standing_order, uid


def upcoming(client, **query):
    return client.exact("standing-orders/upcoming", **query)


def days(client, **query):
    return [(row["date"][5:], row["name"]) for row in upcoming(client, **query)["upcoming"]]


@pytest.fixture
def orders(client):
    rent = {"recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=1", "startDate": "2020-01-01"}
    client.load(
        account(),
        category(),
        standing_order(1, amount=-850, currencyCode="EUR", **rent),
        standing_order(
            2,
            name="Pay",
            amount=2000.5,
            currencyCode="EUR",
            startDate="2026-03-18",
            recurrenceRule="FREQ=WEEKLY;COUNT=3",
            accountId=uid("Account", 1),
            categoryId=uid("Category", 1),
        ),
        standing_order(3, name="Once", amount=-3, currencyCode="CHF", startDate="2026-04-16"),
        standing_order(4, name="Later", amount=-5, currencyCode="CHF", startDate="2026-04-17"),
        standing_order(5, name="Unknown", startDate="2026-03-20"),
        standing_order(6, name="Ended", startDate="2026-03-17"),
        standing_order(7, name="Never", startDate=None),
    )
    return client


def test_occurrences_of_the_next_days_and_their_sums(orders):
    found = upcoming(orders)
    assert found["upcoming"][0] == {
        "date": "2026-03-18",
        "id": uid("StandingOrder", 2),
        "name": "Pay",
        "type": "income",
        "account": "Giro",
        "accountId": uid("Account", 1),
        "category": "Food",
        "categoryId": uid("Category", 1),
        "amount": Decimal("2000.5"),
        "currencyCode": "EUR",
        "payee": None,
    }
    assert days(orders) == [
        ("03-18", "Pay"),
        ("03-20", "Unknown"),
        ("03-25", "Pay"),
        ("04-01", "Pay"),
        ("04-01", "Rent"),
        ("04-16", "Once"),
    ]
    sums = [tuple(total.values()) for total in found["totals"]]
    assert sums == [("CHF", 1, 0, -3, -3), ("EUR", 4, Decimal("6001.5"), -850, Decimal("5151.5"))]
    assert (found["from"], found["to"], found["nextOffset"]) == ("2026-03-18", "2026-04-16", None)
    assert days(orders, days=1) == [("03-18", "Pay")]
    assert days(orders, days=31)[-1] == ("04-17", "Later")


def test_a_page_has_the_sums_of_all(orders):
    whole = days(orders)
    assert days(orders, limit=2) + days(orders, limit=4, offset=2) == whole
    first = upcoming(orders, limit=2)
    assert first["nextOffset"] == 2
    assert first["totals"] == upcoming(orders)["totals"]


def test_totals_in_place_of_rows_have_no_next_page(orders):
    whole = orders.get("standing-orders/upcoming.csv", rows="totals", limit=1)
    assert len(whole.text.splitlines()) > 1
    assert not {"X-Next-Offset", "Link"} & {*whole.headers}
    page = orders.get("standing-orders/upcoming", rows="totals", limit=1)
    assert page.json["nextOffset"] == 1 and "offset=1" in page.headers["Link"]


def test_too_many_days_are_refused(orders, monkeypatch):
    monkeypatch.setattr("finance_api.planning.upcoming.MAX_DUE_DAYS", 5)
    assert upcoming(orders, days=14)["totals"]
    error = orders.fault("standing-orders/upcoming")
    assert error["name"] == "days"
    assert error["message"] == (
        "the rules of the standing orders have more than 5 days: ask for fewer days"
    )


def test_csv_and_the_next_page_in_headers(orders):
    response = orders.get("standing-orders/upcoming", headers={"Accept": "text/csv"}, limit=1)
    assert response.text.splitlines() == [
        "date,name,type,account,category,amount,currencyCode,payee,id,accountId,categoryId",
        '2026-03-18,"Pay",income,"Giro","Food",2000.5,EUR,,'
        f"{uid('StandingOrder', 2)},{uid('Account', 1)},{uid('Category', 1)}",
    ]
    assert response.headers["X-Next-Offset"] == "1"
    assert response.headers["Link"].endswith('limit=1&offset=1>; rel="next"')


@pytest.mark.parametrize("query", [{"days": 0}, {"days": 367}, {"limit": 1001}, {"name": "eq.x"}])
def test_what_is_not_understood_is_refused(client, query):
    assert client.fault("standing-orders/upcoming", **query)["name"] == next(iter(query))
