"""Relative dates, budgets and standing orders use today's date in the user's time zone."""

import pytest

from support.native_rows import account, budget, record, standing_order, uid

#: In London still the 31st, in Berlin (it is summer time) the 1st of April.
AT = "2026-03-31T22:30:00Z"
DAYS = ("2025-03-31", "2026-02-28", "2026-03-01", "2026-03-30", "2026-03-31", "2026-04-01")


@pytest.fixture
def loaded(client):
    client.load(
        account(),
        *(record(n, recordDate=day) for n, day in enumerate(DAYS, start=1)),
        budget(),
        standing_order(recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=31"),
    )
    client.service.clock.set(AT)
    return client


def set_zone(client, zone):
    client.service.change(lambda s: s.users.update(client.user.id, time_zone=zone))


def found(client, value):
    ids = client.names("records", "id", recordDate=value, sortBy="id")
    return [n for n in range(1, len(DAYS) + 1) if uid("Record", n) in ids]


@pytest.mark.parametrize(
    ("value", "numbers", "in_berlin"),
    [
        ("eq.today", [5], [6]),
        ("lt.today", [1, 2, 3, 4], [1, 2, 3, 4, 5]),
        ("gte.-1d", [4, 5, 6], [5, 6]),
        ("gte.-31d", [2, 3, 4, 5, 6], [3, 4, 5, 6]),
        ("eq.-1m", [2], [3]),
        ("gte.-1m,lte.today", [2, 3, 4, 5], [3, 4, 5, 6]),
        ("eq.-1y", [1], []),
        ("lte.-12m", [1], [1]),
        ("ne.today", [1, 2, 3, 4, 6], [1, 2, 3, 4, 5]),
        ("eq.yesterday", [4], [5]),
        ("eq.this-month", [3, 4, 5], [6]),
        ("lt.this-month", [1, 2], [1, 2, 3, 4, 5]),
        ("gt.last-month", [3, 4, 5, 6], [6]),
        ("gte.last-month,lte.last-month", [2], [3, 4, 5]),
        ("eq.last-quarter", [], [2, 3, 4, 5]),
        ("eq.last-month-to-date", [2], [3]),
        ("ne.this-year", [1], [1]),
    ],
)
def test_relative_days_are_counted_from_the_user_s_day(loaded, value, numbers, in_berlin):
    assert found(loaded, value) == numbers
    for zone, expected in (("Europe/London", numbers), ("Europe/Berlin", in_berlin)):
        set_zone(loaded, zone)
        assert found(loaded, value) == expected


def test_a_month_and_a_year_are_days_of_the_calendar_in_every_zone(loaded):
    for zone in ("UTC", "Pacific/Kiritimati"):
        set_zone(loaded, zone)
        for value, numbers in (
            ("eq.2026-03", [3, 4, 5]),
            ("lt.2026-03", [1, 2]),
            ("lte.2026-03", [1, 2, 3, 4, 5]),
            ("gt.2026-03", [6]),
            ("eq.2026-02", [2]),
            ("ne.2026-03", [1, 2, 6]),
            ("eq.2025", [1]),
            ("gte.2026", [2, 3, 4, 5, 6]),
            ("gt.2026", []),
            ("gte.2025,lt.2026-04", [1, 2, 3, 4, 5]),
        ):
            assert found(loaded, value) == numbers, value


def test_budgets_and_standing_orders_go_by_the_user_s_day(loaded):
    def seen():
        (row,) = loaded.get("budgets").json["budgets"]
        (order,) = loaded.get("standing-orders").json["standingOrders"]
        one = loaded.get(f"budgets/{row['id']}").json
        assert one == row
        return row["periodStart"], row["recordCount"], order["nextDueDate"]

    assert seen() == ("2026-03-01", 3, "2026-03-31")
    set_zone(loaded, "Europe/Berlin")
    assert seen() == ("2026-04-01", 1, "2026-05-31")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("records", {"recordDate": "lte.today"}),
        ("records.csv", {"recordDate": "gte.-1m"}),
        ("records/summary", {"recordDate": "eq.month-to-date"}),
        ("records/summary", {"fill": "true", "groupBy": "day", "payee": "eq.nobody"}),
        ("records/summary", {"columns": "perDay"}),
        ("records/summary", {"groupBy": "month", "having": "firstDate.gte.-9m"}),
        ("records/summary", {"recordDate": "eq.2026-03-30", "compare": "last-year"}),
        ("accounts/forecast", {"to": "+7d", "below": "0"}),
        ("accounts/balances", {"from": "last-month", "to": "2026-03-30"}),
        ("accounts/balances", {}),
        ("accounts/forecast", {}),
        ("records/recurring", {}),
        (f"budgets/{uid('Budget', 1)}/periods", {}),
        ("standing-orders/upcoming", {}),
        ("accounts", {"createdAt": "lte.today"}),
        ("budgets", {}),
        ("goals", {}),
        ("standing-orders", {}),
    ],
)
def test_no_304_and_no_cached_response_outlives_midnight_in_the_zone(loaded, path, query):
    set_zone(loaded, "Europe/London")
    first = loaded.get(path, **query)
    tag = {"If-None-Match": first.headers["ETag"]}
    loaded.service.clock.set("2026-03-31T22:59:59Z")
    assert loaded.get(path, headers=tag, **query).status_int == 304
    loaded.service.clock.set("2026-03-31T23:00:00Z")
    later = loaded.get(path, headers=tag, **query)
    assert later.status_int == 200
    assert later.headers["ETag"] != first.headers["ETag"]
    if path == "records":
        assert (len(first.json["records"]), len(later.json["records"])) == (5, 6)


def test_a_list_without_relative_days_stays_as_it_is_over_midnight(loaded):
    tag = {"If-None-Match": loaded.get("records", recordDate="gte.2026-03").headers["ETag"]}
    loaded.service.clock.set("2026-04-01T12:00:00Z")
    response = loaded.get("records", recordDate="gte.2026-03", headers=tag)
    assert response.status_int == 304


def test_a_change_of_the_zone_takes_effect_at_once(loaded):
    tag = {"If-None-Match": loaded.get("records", recordDate="eq.today").headers["ETag"]}
    set_zone(loaded, "Asia/Tokyo")
    response = loaded.get("records", recordDate="eq.today", headers=tag)
    assert [row["recordDate"] for row in response.json["records"]] == ["2026-04-01"]


def test_the_internal_api_takes_months_and_no_relative_days(loaded):
    def ids(**query):
        response = loaded.internal("get-records", **query)
        return len(response.json["transactions"]) if response.status_int == 200 else None

    assert ids(date_from="2026-03", date_to="2026-03") == 3
    assert ids(date_from="2026", date_to="2026") == 5
    assert ids(date_from="2026-04", date_to="2026-03") is None
    assert ids(date_from="today") is None
    assert ids(date_from="-30d") is None
