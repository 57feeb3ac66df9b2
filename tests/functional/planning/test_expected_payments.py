"""Upcoming payments with include=expected. The clock is set to Wednesday, 2026-03-18."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from support.due_household import DueHousehold
from support.native_rows import account, record, standing_order, uid
from support.nightly import count
from support.service import STORAGES

PATH = "standing-orders/upcoming"
MONTHS = ("2025-11-20", "2025-12-20", "2026-01-20", "2026-02-20")


def payments(first, payee, amount, days=MONTHS, **given):
    return [
        record(first + n, payee=payee, amount=amount, recordDate=day, **given)
        for n, day in enumerate(days)
    ]


def rent(**given):
    rule = {"recurrenceRule": "FREQ=MONTHLY", "startDate": "2025-01-20"}
    return (
        standing_order(amount=-850, currencyCode="EUR", accountId=uid("Account", 1), **rule) | given
    )


def days(client, **query):
    found = client.exact(PATH, include="expected", **query)["upcoming"]
    return [(row["date"][5:], row["name"], row["expected"]) for row in found]


def test_a_recurring_payment_without_a_standing_order_is_listed_on_each_of_its_days(client):
    client.load(account(), rent(), *payments(10, "Films", -9.99), *payments(20, "Rent", -850))
    found = client.exact(PATH, include="expected", days=40)
    assert days(client, days=40) == [
        ("03-20", "Films", True),
        ("03-20", "Rent", False),
        ("04-20", "Films", True),
        ("04-20", "Rent", False),
    ]
    assert found["upcoming"][0] == {
        "date": "2026-03-20",
        "id": None,
        "name": "Films",
        "type": "expense",
        "account": "Giro",
        "accountId": uid("Account", 1),
        "category": None,
        "categoryId": None,
        "amount": Decimal("-9.99"),
        "currencyCode": "EUR",
        "payee": "Films",
        "expected": True,
    }
    (total,) = found["totals"]
    assert (total["count"], total["net"]) == (4, Decimal("-1719.98"))
    page = client.exact(PATH, include="expected", days=40, limit=1, offset=2)
    assert (page["upcoming"], page["nextOffset"]) == (found["upcoming"][2:3], 3)
    assert page["totals"] == found["totals"]
    lines = client.get(f"{PATH}.csv", include="expected").text.splitlines()
    assert lines[0].endswith(",amount,currencyCode,payee,expected,id,accountId,categoryId")
    assert ',-9.99,EUR,"Films",true,' in lines[1]


def test_without_the_parameter_there_are_standing_orders_alone(client):
    client.load(account(), rent(), *payments(10, "Films", -9.99))
    (row,) = client.exact(PATH)["upcoming"]
    assert row["name"] == "Rent" and "expected" not in row


def test_what_is_paid_is_not_due_again_and_what_is_late_is_due_today(client):
    paid = record(30, payee="Landlord", amount=-850, recordDate="2026-03-17")
    client.load(account(), rent(), paid)
    assert days(client) == []
    late = [f"{day[:8]}15" for day in MONTHS]
    client.load(*payments(10, "Films", -9.99, late))
    assert days(client) == [("03-18", "Films", True), ("04-15", "Films", True)]


def monthly(number, name, amount, day):
    rule = {"recurrenceRule": "FREQ=MONTHLY", "startDate": f"2025-01-{day}"}
    return standing_order(
        number, name=name, amount=amount, currencyCode="EUR", accountId=uid("Account", 1), **rule
    )


SIXTEENTH = [f"{day[:8]}16" for day in MONTHS]


@pytest.mark.parametrize(
    ("first", "second", "amount"), [("Music", "Films", -9.99), ("Acme", "Globex", 2_000)]
)
def test_a_payment_to_another_payee_does_not_hide_what_is_due(client, first, second, amount):
    client.load(account(), *payments(10, first, amount, [*SIXTEENTH, "2026-03-16"]))
    client.load(*payments(20, second, amount))
    assert days(client) == [("03-20", second, True), ("04-16", first, True)]


@pytest.mark.parametrize("has_order", [False, True])
@pytest.mark.parametrize("number", [2, 4])
def test_a_purchase_in_a_shop_does_not_hide_what_is_due(client, has_order, number):
    shop = record(9, payee="Shop", amount=-29, recordDate="2026-03-17")
    client.load(account(), *payments(20, "Gym", -30, MONTHS[-number:]), shop)
    if has_order:
        client.load(monthly(1, "Gym", -30, 20))
    is_due = has_order or number == 4
    assert days(client) == [("03-20", "Gym", not has_order)] * is_due


def test_a_record_of_the_same_payee_counts_also_if_it_is_in_the_future(client):
    client.load(account(), *payments(20, "Gym", -30))
    client.load(record(9, payee="GYM 17", amount=-30.5, recordDate="2026-03-22"))
    assert days(client) == []


@pytest.mark.parametrize(
    ("rule", "paid", "due"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,TH", ["2026-03-12", "2026-03-16"], "03-19"),
        ("FREQ=DAILY", [f"2026-03-{day}" for day in range(10, 19)], "03-19"),
    ],
)
def test_a_record_pays_one_day_of_a_standing_order(client, rule, paid, due):
    order = monthly(1, "Cleaner", -40, "01") | {"recurrenceRule": rule}
    client.load(account(), order, *payments(10, "Cleaner", -40, paid))
    assert days(client, days=2) == [(due, "Cleaner", False)]


@pytest.mark.parametrize("ordered", [["Music"], ["Films"], ["Music", "Films"]])
def test_equal_payments_to_two_payees_are_both_expected(client, ordered):
    client.load(account(), *payments(10, "Music", -9.99, [*SIXTEENTH, "2026-03-16"]))
    client.load(*payments(20, "Films", -9.99, [*MONTHS, "2026-03-18"]))
    client.load(
        *[
            monthly(n, payee, -9.99, 16 if payee == "Music" else 20)
            for n, payee in enumerate(ordered)
        ]
    )
    found = [row for row in days(client, days=40) if row[0].startswith("04-")]
    assert [row[1:] for row in found] == [
        ("Music", "Music" not in ordered),
        ("Films", "Films" not in ordered),
    ]


@pytest.mark.parametrize("has_order", [False, True])
def test_transfers_and_excluded_accounts_are_not_in_the_sums(client, has_order):
    client.load(
        account(),
        account(2, name="Savings"),
        account(3, name="Hidden", excludeFromStats=True),
        *payments(10, "Club", -7, accountId=uid("Account", 3)),
    )
    for n, day in enumerate(MONTHS):
        both = {"recordDate": day, "transferId": uid("Record", 99 + n)}
        client.load(
            record(30 + n, amount=-850, **both),
            record(40 + n, amount=850, accountId=uid("Account", 2), **both),
        )
    if has_order:
        client.load(rent(name="Saving"))
    assert days(client) == [("03-20", "Club", True)] + [("03-20", "Saving", False)] * has_order
    assert client.exact(PATH, include="expected")["totals"] == []


def test_half_a_transfer_is_no_payment(client):
    client.load(account(), *payments(10, "Me", -50, transferId=uid("Record", 99)))
    assert days(client) == []


def test_a_token_needs_the_scope_of_records_too(client, service):
    narrow = service.client(scopes=["standing-orders"])
    assert narrow.get(PATH).json["upcoming"] == []
    answer = narrow.get(PATH, include="expected")
    assert answer.status_int == 403
    assert answer.json["detail"] == "The token lacks the scope records."
    both = service.client(scopes=["standing-orders", "records"])
    assert both.get(PATH, include="expected").json["upcoming"] == []


def test_too_many_payments_are_refused(client, monkeypatch):
    monkeypatch.setattr("finance_api.planning.forecast.payments.MAX_DUE_DAYS", 2)
    client.load(account(), *payments(10, "Films", -9.99), *payments(20, "Gym", -30))
    client.load(rent(accountId=None))
    error = client.fault(PATH, include="expected")
    assert error["name"] == "days"
    assert error["message"] == ("there are more than 2 payments until then: ask for fewer days")
    assert len(days(client, days=2)) == 0


def listed(client, include="expected", **query):
    found, offset = [], 0
    while offset is not None:
        page = client.exact(PATH, include=include, offset=offset, limit=7, **query)
        found += page["upcoming"]
        offset = page["nextOffset"]
    return found, page["totals"]


@pytest.mark.parametrize("storage_of_service", STORAGES)
def test_random_households_have_what_a_plain_model_expects(service):
    shown = 0
    for seed in range(count(12, 150)):
        today = date(2026, 1, 3) + timedelta(seed * 17 % 350)
        number = 1 + seed * 13 % 70
        service.clock.set(f"{today}T12:00:00Z")
        household = DueHousehold(seed, today, today + timedelta(number - 1))
        client = service.client()
        client.load(*household.rows)
        for include, expected in (
            ("transfers", household.with_transfers),
            ("expected", household.due),
        ):
            rows, totals = listed(client, include, days=number)
            names = ("date", "name", "account", "amount", "currencyCode", "expected")
            assert [tuple(row[name] for name in names) for row in rows] == [
                (f"{due.day}", *due[1:6]) for due in expected
            ], f"seed {seed}, {include}"
        assert {
            total["currencyCode"]: (total["count"], total["income"], total["expense"])
            for total in totals
        } == household.totals(), f"seed {seed}"
        shown += len(rows)
    assert shown
