"""Expected payments and typical spending, and forecasts made on past days."""

from datetime import UTC, datetime

import pytest

from finance_api.demo import Household
from finance_api.planning.forecast.expected import History, Movement, expect
from finance_api.planning.forecast.reading import Typical, with_transfers
from finance_api.planning.recurring import Payment
from finance_api.resources import STANDING_ORDERS
from finance_api.values.time import DAY_SECONDS, date_text, parse_date
from support.backtest import Backtest
from support.nightly import count
from support.recurring_payments import Payments

TODAY = parse_date("2025-07-10")
LAST = parse_date("2025-09-30")
MONTHS = [f"2025-{month:02}-15" for month in range(1, 7)]


def paid(days=MONTHS, amount=-999, payee="Films", account="giro", *, first=0, **more):
    return [
        Payment(f"{first + n}", account, "EUR", payee, None, parse_date(day), amount, **more)
        for n, day in enumerate(days)
    ]


def order(order_id="order", **given):
    values = dict.fromkeys(field.name for field in STANDING_ORDERS.fields)
    rule, start = "FREQ=MONTHLY;BYMONTHDAY=15", parse_date("2025-01-15")
    about = {"id": order_id, "accountId": "giro", "recurrenceRule": rule, "startDate": start}
    return {**values, **about, **given}


def movements(payments=(), orders=(), *, today=TODAY, last=LAST, near=(), **more):
    history = History(today, payments, near=near, orders=orders, **more)
    found = expect(history, last).movements
    return sorted((date_text(m.day), m.account_id, m.amount) for m in found)


def days(*args, **more):
    return [day for day, _, _ in movements(*args, **more)]


EACH_MONTH = ["2025-07-15", "2025-08-15", "2025-09-15"]


def test_a_recurring_payment_is_expected_on_its_days():
    assert movements(paid()) == [(day, "giro", -999) for day in EACH_MONTH]


def test_a_payment_with_a_standing_order_counts_once_with_the_amount_of_the_order():
    found = movements(paid(), [order(payee="Films", amount=-1099)])
    assert found == [(day, "giro", -1099) for day in EACH_MONTH]
    assert movements(paid(), [order(payee="Films")]) == [(day, "giro", -999) for day in EACH_MONTH]


def test_a_standing_order_that_is_over_covers_nothing():
    over = order(payee="Films", amount=-999, recurrenceRule="FREQ=MONTHLY;UNTIL=20250601")
    assert days(paid(), [over]) == EACH_MONTH


def test_a_standing_order_counts_without_records_and_from_today_on():
    assert days((), [order(amount=-5)]) == EACH_MONTH
    assert days((), [order(amount=-5)], today=parse_date("2025-07-15")) == EACH_MONTH


def test_a_standing_order_without_account_or_amount_is_left_out():
    orders = [order("a", amount=-5, accountId=None), order("b"), order("c", amount=-1)]
    found = expect(History(TODAY, (), orders=orders), LAST)
    assert len(found.movements) == 3
    assert [each["id"] for each in found.left_out] == ["a", "b"]


def test_a_payment_that_is_late_is_expected_today_unless_it_has_ended():
    late = parse_date("2025-07-18")
    assert days(paid(), today=late) == ["2025-07-18", "2025-08-15", "2025-09-15"]
    others = paid(["2025-09-20"], payee="Bakery", first=50)
    assert days(paid() + others, today=parse_date("2025-09-21"), last=LAST) == []


def test_a_record_that_is_stored_already_is_not_expected_again():
    near = [Movement("giro", parse_date("2025-07-16"), -1_000)]
    assert days((), [order(amount=-999)], near=near) == EACH_MONTH[1:]
    assert days(paid(), near=near) == EACH_MONTH[1:]
    other = [Movement("other", parse_date("2025-07-15"), -999)]
    assert days(paid(), near=other) == EACH_MONTH


def transfers(amount=30_000):
    pairs = zip(paid(amount=-amount, payee=""), paid(amount=amount, first=50), strict=True)
    return [
        (one.record_id, each)
        for one, other in pairs
        for each in (one, other._replace(account_id="savings"))
    ]


def test_a_transfer_is_expected_on_both_accounts():
    payments, arrivals = with_transfers(transfers())
    found = movements(payments, arrivals=arrivals)
    assert [each[1:] for each in found] == [("giro", -30_000), ("savings", 30_000)] * 3


def test_a_standing_order_for_either_side_of_a_transfer_counts_once():
    payments, arrivals = with_transfers(transfers())
    orders = [
        order("a", name="Saving", amount=-30_000),
        order("b", name="From giro", amount=30_000, accountId="savings"),
    ]
    found = movements(payments, orders, arrivals=arrivals)
    assert [each[1:] for each in found] == [("giro", -30_000), ("savings", 30_000)] * 3


def test_payments_that_recur_are_not_typical():
    others = paid(["2025-03-04", "2025-05-06"], payee="Bookshop", first=90)
    payments, arrivals = with_transfers([(None, each) for each in paid() + others] + transfers())
    assert expect(History(TODAY, payments, arrivals), LAST).rest == others


def test_the_range_is_the_middle_half_of_past_cases():
    # 100 each week, and 1,000 more once in eight weeks.
    amounts = [(TODAY - n * DAY_SECONDS, -100 if n % 56 else -1_100) for n in range(0, 365, 7)]
    usual = Typical(amounts, TODAY)
    assert usual.within(7) == (-100, -100, -100)
    assert usual.within(28) == (-1_400, -400, -400)
    assert usual.within(0) == (0, 0, 0)
    assert usual.within(112) == (-3_600, -1_600, -1_600)


def test_a_few_weeks_are_too_few_for_a_range():
    week = [(TODAY - n * DAY_SECONDS, -100) for n in range(55)]
    assert Typical(week, TODAY).within(28) == (0, 0, 0)
    week.append((TODAY - 55 * DAY_SECONDS, -100))
    assert Typical(week, TODAY).within(28) == (-2_800, -2_800, -2_800)


def demo():
    now = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp())
    household = Household(10_001, 2_000, now)
    orders = [row.values for row in household.documents() if row.resource is STANDING_ORDERS]
    found = []
    for row in household.records():
        values = row.values
        day = values["recordDate"] // DAY_SECONDS * DAY_SECONDS
        payee = values.get("payee") or values.get("note") or ""
        payment = Payment(
            values["id"], values["accountId"], "EUR", payee, None, day, values["amount"]
        )
        found.append((values.get("transferId"), payment))
    return found, [order(**values) for values in orders]


def generated():
    return [([(None, p) for p in Payments(seed).payments], []) for seed in range(count(2, 40))]


@pytest.mark.parametrize("households", [lambda: [demo()], generated], ids=["demo", "generated"])
def test_forecasts_of_past_months_are_nearer_than_guesses(households, request):
    tested = Backtest()
    for found, orders in households():
        tested.add(sorted(found, key=lambda one: one[1].day), orders, months=count(6, 12))
    print(tested.report(request.node.callspec.id))
    guesses = min(map(tested.mean, ("today", "last_month", "as_before")))
    assert tested.mean("forecast") < guesses
    assert 0.35 < tested.mean("inside") < 0.75
