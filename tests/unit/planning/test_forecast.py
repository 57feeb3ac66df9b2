"""Expected payments and typical spending, and forecasts made on past days."""

from datetime import UTC, datetime

import pytest

from finance_api.demo import Household
from finance_api.planning.forecast.expected import History, expect
from finance_api.planning.forecast.reading import Typical, with_transfers
from finance_api.planning.recurring.series import Payment
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


def two_subscriptions():
    """Return payments to one payee: 9.99 on the 3rd, and 12.99 on the 16th."""
    begin, middle = ([day[:-2] + of_month for day in MONTHS] for of_month in ("03", "16"))
    begin = [*begin[1:], "2025-07-03"]
    return paid(begin, payee="Apple") + paid(middle, -1299, payee="Apple", first=50)


def of_apple(end, order_id="order", start="2025-01-03", **given):
    rule = f"FREQ=MONTHLY;BYMONTHDAY=3;{end}"
    start = parse_date(start)
    values = {"payee": "Apple", "amount": -999, "recurrenceRule": rule, "startDate": start}
    return order(order_id, **values | given)


SMALL = [("2025-08-03", "giro", -999), ("2025-09-03", "giro", -999)]
LARGE = [(f"2025-{month}-16", "giro", -1299) for month in ("07", "08", "09")]


@pytest.mark.parametrize("end", ["UNTIL=20301231", "COUNT=99"])
def test_an_order_that_has_not_ended_cancels_no_other_payment_of_its_payee(end):
    assert movements(two_subscriptions(), [of_apple(end)]) == sorted([*SMALL, *LARGE])


@pytest.mark.parametrize(
    "end", ["UNTIL=20250703", "UNTIL=20250731", "UNTIL=20250703T120000Z", "COUNT=7"]
)
def test_a_payment_whose_order_has_no_more_dates_is_not_expected_but_others_are(end):
    assert movements(two_subscriptions(), [of_apple(end)]) == LARGE
    assert movements(two_subscriptions(), [of_apple(end, amount=None)]) == LARGE


@pytest.mark.parametrize("end", ["UNTIL=20250303", "COUNT=3"])
def test_a_payment_that_is_made_after_the_last_date_of_its_order_is_expected(end):
    assert movements(two_subscriptions(), [of_apple(end)]) == sorted([*SMALL, *LARGE])


def test_of_several_orders_that_ended_the_last_one_counts():
    orders = [of_apple("UNTIL=20250303", "a"), of_apple("UNTIL=20250703", "b", "2025-04-03")]
    assert movements(two_subscriptions(), orders) == LARGE
    assert movements(two_subscriptions(), orders[::-1]) == LARGE


def test_an_order_of_a_single_day_or_with_a_rule_that_is_not_read_cancels_nothing():
    for rule in (None, "FREQ=HOURLY;UNTIL=20250703"):
        found = movements(two_subscriptions(), [of_apple("", recurrenceRule=rule)])
        assert found == sorted([*SMALL, *LARGE])


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
    near = paid(["2025-07-16"], -1_000, first=50)
    assert days((), [order(amount=-999)], near=near) == EACH_MONTH[1:]
    assert days(paid(), near=near) == EACH_MONTH[1:]
    assert days(paid(), [order(payee="Films", amount=-999)], near=near) == EACH_MONTH[1:]
    assert days(paid(), near=paid(["2025-07-16"], payee="", first=50)) == EACH_MONTH[1:]
    assert days(paid(), near=paid(["2025-07-15"], account="other", first=50)) == EACH_MONTH


@pytest.mark.parametrize("has_order", [False, True])
@pytest.mark.parametrize("number", [1, 6])
def test_a_payment_to_somebody_else_is_not_the_expected_one(has_order, number):
    """number: of payments to the other one, the last on 12 July; six of them recur."""
    others = paid([f"2025-{month:02}-12" for month in range(2, 8)][-number:], -980, "Music")
    others = [each._replace(record_id=f"music{n}") for n, each in enumerate(others)]
    planned = [order(name="Films", amount=-999)] if has_order else []
    given = {"today": parse_date("2025-07-13"), "last": parse_date("2025-07-31")}
    assert days(paid() + others, planned, near=others[-1:], **given) == ["2025-07-15"]


@pytest.mark.parametrize(
    ("rule", "paid_days", "expected"),
    [
        # 10 July is a Thursday.
        ("FREQ=WEEKLY;BYDAY=MO,TH", ["2025-07-03", "2025-07-07"], "2025-07-10"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", ["2025-07-03", "2025-07-08"], "2025-07-10"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", ["2025-07-03", "2025-07-07", "2025-07-09"], "2025-07-14"),
        ("FREQ=DAILY", [f"2025-07-{day:02}" for day in range(1, 10)], "2025-07-10"),
        ("FREQ=DAILY", [f"2025-07-{day:02}" for day in range(1, 11)], "2025-07-11"),
        # Each is paid two days early.
        ("FREQ=WEEKLY;BYDAY=FR", ["2025-06-25", "2025-07-02", "2025-07-09"], "2025-07-18"),
    ],
)
@pytest.mark.parametrize("payee", ["Cleaner", "My help"])
def test_a_record_that_paid_the_day_before_does_not_pay_the_next(rule, paid_days, expected, payee):
    records = paid(paid_days, payee="Cleaner")
    orders = [order(name=payee, amount=-999, recurrenceRule=rule, startDate=0)]
    assert days(records, orders, near=records)[0] == expected


def test_a_weekly_payment_that_is_made_days_before_it_is_due_is_not_expected_again():
    records = paid([f"2025-{day}" for day in ("06-11", "06-18", "06-25", "07-02", "07-09")])
    weekly = order(name="Films", amount=-999, recurrenceRule="FREQ=WEEKLY;BYDAY=FR", startDate=0)
    assert days(records, [weekly], near=records[-2:])[0] == "2025-07-18"


def test_two_orders_of_one_payee_are_each_paid_by_a_record():
    records = paid([f"2025-{month:02}-{day:02}" for month in range(1, 7) for day in (10, 25)])
    planned = [
        order("a", payee="Films", amount=-999, recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=10"),
        order("b", payee="Films", amount=-999, recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=25"),
    ]
    given = {"last": parse_date("2025-07-31")}
    for today, expected in (("06-25", ["07-10", "07-25"]), ("06-24", ["06-25", "07-10", "07-25"])):
        known = [each for each in records if each.day <= parse_date(f"2025-{today}")]
        found = days(known, planned, today=parse_date(f"2025-{today}"), near=known[-2:], **given)
        assert found == [f"2025-{day}" for day in expected]


def test_a_payment_of_a_quarter_keeps_its_order_from_a_monthly_one_of_the_same_amount():
    quarterly = paid(["2024-10-15", "2025-01-15", "2025-04-15"], payee="Insurance", first=20)
    planned = [order(name="Insurance", amount=-999, recurrenceRule="FREQ=MONTHLY;INTERVAL=3")]
    found = days(paid() + quarterly, planned)
    assert found == ["2025-07-15", *EACH_MONTH]


@pytest.mark.parametrize("named", [["Films"], ["Music"], ["Films", "Music"], []])
def test_a_payment_does_not_share_the_order_of_somebody_else(named):
    music = paid([f"{day[:8]}18" for day in MONTHS], payee="Music", first=20)
    planned = [
        order(name, name=name, amount=-999, startDate=parse_date(f"2025-01-{day}"))
        | {"recurrenceRule": "FREQ=MONTHLY"}
        for name, day in (("Films", 15), ("Music", 18))
        if name in named
    ]
    last = parse_date("2025-07-31")
    assert days(paid() + music, planned, last=last) == ["2025-07-15", "2025-07-18"]


@pytest.mark.parametrize(("number", "expected"), [(1, 2), (2, 2), (3, 3)])
def test_orders_that_name_nobody_each_cover_one_payment(number, expected):
    music = paid(payee="Music", first=20)
    planned = [order(f"{n}", name=f"Monthly {n}", amount=-999) for n in range(number)]
    assert len(days(paid() + music, planned, last=parse_date("2025-07-31"))) == expected


def test_the_payment_nearest_to_an_order_has_it():
    """The first payment is near both orders, the second one near the first order alone."""
    payments = paid([f"{day[:8]}14" for day in MONTHS])
    payments += paid([f"{day[:8]}19" for day in MONTHS], payee="Music", first=20)
    planned = [
        order(f"{day}", amount=-999, recurrenceRule=f"FREQ=MONTHLY;BYMONTHDAY={day}")
        for day in (17, 13)
    ]
    found = days(payments, planned, last=parse_date("2025-07-31"))
    assert found == ["2025-07-13", "2025-07-17"]


def test_the_order_covers_the_payment_still_made_to_a_payee_with_another_wording():
    old = paid(["2025-01-15", "2025-02-15", "2025-03-15"], -1_050)
    new = paid(["2025-04-15", "2025-05-15", "2025-06-15"], payee="Films International", first=20)
    found = movements(old + new, [order(payee="Films", amount=-999)])
    assert found == [(day, "giro", -999) for day in EACH_MONTH]


@pytest.mark.parametrize("side", ["giro", "savings"])
def test_a_transfer_of_today_is_not_expected_again(side):
    pairs = [(f"{n}", each) for n, (_, each) in enumerate(transfers())]
    payments, arrivals = with_transfers(transfers())
    last_two = [each for _, each in pairs[-2:]]
    given = {"today": parse_date("2025-06-15"), "transfers": {each.record_id for each in last_two}}
    amount = -30_000 if side == "giro" else 30_000
    planned = [order(name="Saving", amount=amount, accountId=side)]
    found = movements(payments, planned, arrivals=arrivals, near=last_two, **given)
    assert {day for day, _, _ in found} == set(EACH_MONTH)


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
