"""GET /v1/api/records/recurring. The clock is set to Wednesday, 2026-03-18."""

from decimal import Decimal

import pytest

from support.native_rows import account, category, record, standing_order, uid

MONTHS = ("2025-11-05", "2025-12-05", "2026-01-05", "2026-02-05", "2026-03-05")


def recurring(client, **query):
    return client.exact("records/recurring", **query)


def payments(first, payee, amounts, days=MONTHS, **given):
    return [
        record(first + n, payee=payee, amount=amount, recordDate=day, **given)
        for n, (day, amount) in enumerate(zip(days, amounts, strict=True))
    ]


@pytest.fixture
def household(client):
    client.load(
        account(),
        account(2, name="Francs", currencyCode="CHF"),
        category(),
        standing_order(
            1,
            name="Films",
            payee="Streaming",
            accountId=uid("Account", 1),
            recurrenceRule="FREQ=MONTHLY",
            startDate="2025-01-05",
        ),
        *payments(10, "STREAMING 47", [-9.99] * 3 + [-12.99] * 2, categoryId=uid("Category", 1)),
        *payments(20, "Employer", [2000.5] * 5),
        *payments(30, "Gym", [-30] * 3, MONTHS[:3]),
        *payments(40, "Miete", [-500] * 5, accountId=uid("Account", 2)),
        record(50, payee="Bakery", amount=-3, recordDate="2026-03-17"),
    )
    return client


def test_a_payment_has_its_interval_amounts_days_and_records(household):
    found = recurring(household, accountId=uid("Account", 1))
    assert [row["payee"] for row in found["recurring"]] == ["Employer", "Gym", "STREAMING 47"]
    assert found["recurring"][2] == {
        "payee": "STREAMING 47",
        "account": "Giro",
        "accountId": uid("Account", 1),
        "category": "Food",
        "categoryId": uid("Category", 1),
        "interval": "month",
        "recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=5",
        "status": "active",
        "currencyCode": "EUR",
        "amount": Decimal("-12.99"),
        "lastAmount": Decimal("-12.99"),
        "smallestAmount": Decimal("-9.99"),
        "largestAmount": Decimal("-12.99"),
        "earlierAmount": Decimal("-9.99"),
        "changedDate": "2026-02-05",
        "firstDate": "2025-11-05",
        "lastDate": "2026-03-05",
        "nextDate": "2026-04-05",
        "yearlyAmount": Decimal("-155.88"),
        "standingOrder": "Films",
        "standingOrderId": uid("StandingOrder", 1),
        "recordIds": [uid("Record", 10 + n) for n in range(5)],
    }


def test_the_totals_of_a_year_leave_out_what_has_ended(household):
    found = recurring(household)
    by_payee = {row["payee"]: row["status"] for row in found["recurring"]}
    assert by_payee == {
        "Employer": "active",
        "Miete": "active",
        "Gym": "ended",
        "STREAMING 47": "active",
    }
    assert [tuple(total.values()) for total in found["totals"]] == [
        ("CHF", 1, 0, -6000),
        ("EUR", 2, 24006, Decimal("-155.88")),
    ]
    assert [row["payee"] for row in recurring(household, status="ended")["recurring"]] == ["Gym"]
    assert not recurring(household, status="overdue")["totals"]


def test_payments_are_filtered_by_category_change_and_account(household):
    def payees(**query):
        return [row["payee"] for row in recurring(household, **query)["recurring"]]

    assert payees(category="eq.Food") == payees(categoryId=uid("Category", 1)) == ["STREAMING 47"]
    assert payees(category="eq.Food", withSubcategories="true") == ["STREAMING 47"]
    assert payees(category="is.null", status="active") == ["Employer", "Miete"]
    assert payees(category="ne-or-null.Food") == ["Employer", "Miete", "Gym"]
    assert payees(changed="true") == ["STREAMING 47"]
    assert payees(changed="true", category="is.null") == []
    assert payees(accountName="eq.Francs") == ["Miete"]
    totals = recurring(household, category="eq.Food")["totals"]
    assert [tuple(total.values()) for total in totals] == [("EUR", 1, 0, Decimal("-155.88"))]
    (hint,) = recurring(household, category="eq.food")["hints"]
    assert hint == "No category is called food. Did you mean Food?"
    table = household.get("records/recurring.csv", rows="totals").text.splitlines()
    assert table == [
        "currencyCode,count,yearlyIncome,yearlyExpense",
        "CHF,1,0,-6000",
        "EUR,2,24006,-155.88",
    ]


def test_the_day_decides_which_records_have_happened(household, service):
    service.clock.set("2026-01-06T12:00:00Z")
    before = household.get("records/recurring")
    assert [row["lastDate"] for row in before.json["recurring"]] == ["2026-01-05"] * 4
    service.clock.set("2026-03-18T12:00:00Z")
    response = household.get("records/recurring", headers={"If-None-Match": before.headers["ETag"]})
    assert response.status_int == 200
    response = household.get(
        "records/recurring", headers={"If-None-Match": response.headers["ETag"]}
    )
    assert response.status_int == 304


def test_without_records_nothing_recurs(client):
    client.load(account())
    assert recurring(client) == {"recurring": [], "totals": []}


def test_transfers_and_void_records_do_not_recur(client):
    client.load(
        account(),
        *payments(10, "Void", [-5] * 5, recordState="void"),
        *(payment | {"transferId": payment["id"]} for payment in payments(20, "Own", [-7] * 5)),
    )
    assert not recurring(client)["recurring"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            {"status": "activ"},
            '"activ" is not one of active, overdue, ended; did you mean "active"?',
        ),
        ({"status": "gone"}, '"gone" is not one of active, overdue, ended'),
        ({"payee": "eq.Gym"}, "there is no such parameter"),
    ],
)
def test_what_is_not_understood_is_refused(client, query, message):
    response = client.get("records/recurring", **query)
    assert response.status_int == 400
    assert message in response.json["errors"][0]["message"]


def test_a_shop_with_very_many_payments_is_not_read_but_its_days_count(client):
    days = [f"2026-03-{1 + n % 18:02}" for n in range(401)]
    shops = [
        record(100 + n, payee="Kiosk", amount=-n - 1, recordDate=d) for n, d in enumerate(days)
    ]
    # Payments without a payee go by their note.
    rent = [
        {**row, "payee": None, "note": "Rent"} for row in payments(20, "", [-800] * 4, MONTHS[:4])
    ]
    client.load(account(), *payments(10, "Gym", [-30] * 4, MONTHS[:4]), *rent, *shops)
    found = recurring(client)["recurring"]
    # The gym is late, judged by the newest record, which is the shop's.
    assert {(each["payee"], each["status"]) for each in found} == {
        ("Gym", "overdue"),
        ("Rent", "overdue"),
    }


def test_an_account_that_does_not_exist_is_named_in_a_hint(household):
    (hint,) = recurring(household, accountId=uid("Account", 9))["hints"]
    assert uid("Account", 9) in hint
    response = household.get("accounts/forecast", accountId=uid("Account", 9))
    assert response.json["hints"] == [hint]


def rent_order(number, rule, start):
    return standing_order(
        number,
        name="Rent",
        accountId=uid("Account", 1),
        amount=-800,
        recurrenceRule=rule,
        startDate=start,
    )


def of_the_year(client):
    return [total["yearlyExpense"] for total in recurring(client)["totals"]]


def test_a_renewed_order_counts_and_not_the_one_before_that_ended(client):
    days = [f"{day[:-2]}03" for day in MONTHS]
    client.load(
        account(),
        rent_order(1, "FREQ=MONTHLY;UNTIL=20260303", "2025-04-03"),
        rent_order(2, "FREQ=MONTHLY", "2026-04-03"),
        *payments(10, "Rent", [-800] * 5, days),
    )
    (found,) = recurring(client)["recurring"]
    assert found["standingOrderId"] == uid("StandingOrder", 2)
    assert of_the_year(client) == [-9600]


@pytest.mark.parametrize(("number", "totals"), [(13, []), (14, [-9600])])
def test_a_payment_has_ended_with_the_last_one_that_its_order_counts(client, number, totals):
    days = [f"{2025 + month // 12}-{1 + month % 12:02}-03" for month in range(2, 15)]
    client.load(
        account(),
        rent_order(1, f"FREQ=MONTHLY;COUNT={number}", "2025-03-03"),
        *payments(10, "Rent", [-800] * 13, days),
    )
    assert of_the_year(client) == totals
    april = client.exact("accounts/forecast", to="2026-04-30", interval="month")["forecast"][-1]
    assert april["balance"] == -800 * number


def test_a_payment_whose_order_ends_today_is_not_added_up(client):
    days = [f"{day[:-2]}18" for day in MONTHS]
    client.load(
        account(),
        rent_order(1, "FREQ=MONTHLY;UNTIL=20260318", "2025-04-18"),
        *payments(10, "Rent", [-800] * 5, days),
    )
    assert of_the_year(client) == []


def test_an_order_belongs_to_one_payment_only(client):
    days = [f"{day[:-2]}03" for day in MONTHS]
    client.load(
        account(),
        rent_order(1, "FREQ=MONTHLY;UNTIL=20301231", "2025-04-03"),
        *payments(10, "Rent", [-800] * 5, days),
        *payments(20, "Rent", [-1000] * 5, [f"{day[:-2]}16" for day in MONTHS]),
    )
    orders = {row["amount"]: row["standingOrderId"] for row in recurring(client)["recurring"]}
    assert orders == {-800: uid("StandingOrder", 1), -1000: None}
    # A filter leaves out payments, but does not change which one has the order.
    found = recurring(client, status="active")["recurring"]
    assert {row["amount"]: row["standingOrderId"] for row in found} == orders
    assert of_the_year(client) == [-21600]
