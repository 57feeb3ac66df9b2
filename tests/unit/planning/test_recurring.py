"""Recurring payments are found among others."""

import random
import sys
from datetime import date

import pytest

from finance_api.planning.intervals import INTERVALS
from finance_api.planning.recurrence import next_due
from finance_api.planning.recurring.orders import Orders, own_orders, paid_payees
from finance_api.planning.recurring.series import Payment, find_recurring, payee_key
from finance_api.resources import tables
from finance_api.resources.tables import Status
from finance_api.values.time import DAY_SECONDS, date_text, from_date, parse_date
from support.nightly import count
from support.recurring_payments import Payments

SEEDS = range(count(8, 60))
ORDERS = "finance_api.planning.recurring.orders"


def is_found(truth, found):
    """Whether the found series has most of these payments and few others, at this interval."""
    ids = set(found.record_ids)
    common = len(ids & truth.ids)
    return (
        common >= 0.8 * len(ids)
        and common >= 0.7 * len(truth.ids)
        and 0.9 < found.interval.days / truth.days < 1.1
    )


def test_the_intervals_that_payments_are_checked_for_are_those_that_are_described():
    assert tuple(interval.name for interval in INTERVALS) == tables.INTERVALS


@pytest.mark.parametrize("noise", [1, 2])
def test_nine_in_ten_are_found_and_nine_in_ten_of_those_found_recur(noise):
    right = number_found = number_true = 0
    faults = []
    for seed in SEEDS:
        household = Payments(seed, noise)
        found = find_recurring(household.payments)
        # Nobody could tell a series of fewer payments.
        truths = [t for t in household.truths if len(t.ids) >= (2 if t.days > 100 else 5)]
        hits = [t for t in truths if any(is_found(t, each) for each in found)]
        wrong = [f for f in found if not any(is_found(t, f) for t in household.truths)]
        right += len(hits)
        number_true += len(truths)
        number_found += len(found)
        faults += [f"{seed}: missed {t.payee}" for t in truths if t not in hits]
        faults += [f"{seed}: invented {f.payee} {f.interval.days}" for f in wrong]
    recall = right / number_true
    precision = 1 - sum("invented" in fault for fault in faults) / number_found
    report = f"{noise=} {recall=:.3f} {precision=:.3f}\n" + "\n".join(faults)
    print(report.splitlines()[0])
    assert recall >= 0.9 and precision >= 0.9, report


def series(days, amount=-999, payee="Streaming", account="current"):
    amounts = amount if isinstance(amount, list) else [amount] * len(days)
    return [
        Payment(f"{account}{n}", account, "EUR", payee, None, parse_date(day), value)
        for n, (day, value) in enumerate(zip(days, amounts, strict=True))
    ]


MONTHS = [f"2025-{month:02}-05" for month in range(1, 7)]


def found_in(payments):
    (found,) = find_recurring(payments)
    return found


def test_a_payment_of_each_month_is_described():
    found = found_in(series(MONTHS, [-999, -999, -999, -1299, -1299, -1299]))
    assert (found.amount, found.least, found.most) == (-1299, -999, -1299)
    assert (date_text(found.first), date_text(found.last)) == (MONTHS[0], MONTHS[-1])
    assert date_text(found.next) == "2025-07-05"
    assert found.repetition.rule == "FREQ=MONTHLY;BYMONTHDAY=5"
    assert found.record_ids == tuple(f"current{n}" for n in range(6))


@pytest.mark.parametrize(
    ("newest", "status"),
    [("2025-07-10", Status.ACTIVE), ("2025-07-25", Status.OVERDUE), ("2025-09-25", Status.ENDED)],
)
def test_the_newest_record_of_the_account_decides_whether_a_payment_is_overdue(newest, status):
    others = series([newest], payee="Bakery") + series(["2026-03-01"], account="other")
    assert found_in(series(MONTHS) + others).status == status


@pytest.mark.parametrize(
    ("days", "rule", "following"),
    [
        (
            ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-30"],
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "2025-06-30",
        ),
        (
            ["2025-01-03", "2025-01-17", "2025-01-31", "2025-02-14", "2025-02-28"],
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
            "2025-03-14",
        ),
        (
            ["2024-01-15", "2024-04-15", "2024-07-15", "2024-10-15", "2025-01-15"],
            "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15",
            "2025-04-15",
        ),
        (["2024-02-10", "2025-02-11"], "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=10", "2026-02-10"),
        (
            ["2025-03-01", "2025-03-31", "2025-04-30", "2025-05-30", "2025-06-29"],
            "FREQ=DAILY;INTERVAL=30",
            "2025-07-29",
        ),
        # Moved from weekends to Monday.
        (
            ["2025-02-03", "2025-03-03", "2025-04-01", "2025-05-01", "2025-06-02", "2025-07-01"],
            "FREQ=MONTHLY;BYMONTHDAY=1",
            "2025-08-01",
        ),
    ],
)
def test_the_days_make_the_rule_of_a_standing_order(days, rule, following):
    found = found_in(series(days))
    assert (found.repetition.rule, date_text(found.next)) == (rule, following)


@pytest.mark.parametrize(
    ("days", "due", "following"),
    [
        # 1 June and 1 November 2025 are on a weekend.
        (["07-01", "08-01", "09-01", "10-01"], "2025-11-01", "2025-11-01"),
        (
            ["02-03", "03-03", "04-01", "05-01", "06-02", "07-01", "08-01"],
            "2025-09-01",
            "2025-09-01",
        ),
        (["05-01", "06-02", "07-01", "08-01", "09-01", "10-01"], "2025-11-01", "2025-11-03"),
        (["05-15", "06-13", "07-15", "08-15", "09-15", "10-15"], "2025-11-15", "2025-11-14"),
        # The last day of the month, moved into the next one.
        (
            ["04-30", "06-02", "06-30", "07-31", "09-01", "09-30", "10-31"],
            "2025-11-30",
            "2025-12-01",
        ),
    ],
)
def test_a_payment_due_on_a_weekend_moves_as_earlier_ones_did(days, due, following):
    found = found_in(series([f"2025-{day}" for day in days]))
    assert (date_text(found.due), date_text(found.next)) == (due, following)


def test_a_missing_payment_and_a_double_one_do_not_hide_a_series():
    days = [day for day in MONTHS if day != "2025-03-05"] + ["2025-06-06", "2025-07-05"]
    found = found_in(series(sorted(days)))
    assert len(found.record_ids) == 6


@pytest.mark.parametrize(
    "payments",
    [
        [],
        series(MONTHS[:2]),
        series(MONTHS, [-1, -100, -10_000, -1, -100, -50_000]),
        series(MONTHS, payee="   "),
        series(MONTHS, [0] * 6),
        series([f"2025-01-{day:02}" for day in (1, 2, 9, 11, 12, 27)]),
        series(["2025-01-05"] * 6),
    ],
    ids=["none", "two", "amounts", "payee", "zero", "days", "one day"],
)
def test_other_payments_do_not_recur(payments):
    assert not find_recurring(payments)


def test_payees_are_the_same_without_numbers_and_case():
    assert payee_key("STREAMING.COM 4029357733") == payee_key("streaming.com 8283")
    assert payee_key("Café 12") == payee_key("CAFÉ 13")
    assert payee_key("1&1") and payee_key("7 11") != payee_key("1&1")


def order(**given):
    empty = {"name": None, "payee": None, "accountId": None, "amount": None}
    start = parse_date("2024-01-05")
    return {**empty, "recurrenceRule": "FREQ=MONTHLY", "startDate": start, **given}


@pytest.mark.parametrize(
    ("given", "is_planned"),
    [
        ({"payee": "STREAMING 12"}, True),
        ({"name": "Streaming", "accountId": "current", "amount": -1050}, True),
        ({"name": "Streaming", "accountId": "other"}, False),
        ({"name": "Streaming", "amount": 999}, False),
        ({"name": "Streaming", "amount": -5000}, False),
        ({"name": "My films", "amount": -999}, True),
        ({"name": "My films", "payee": "Somebody else", "amount": -999}, True),
        ({"name": "My films", "amount": -999, "recurrenceRule": "FREQ=WEEKLY;COUNT=3"}, False),
        ({"name": "My films", "amount": -999, "startDate": parse_date("2024-01-20")}, False),
    ],
)
def test_a_payment_is_paired_with_its_standing_order(given, is_planned):
    found = found_in(series(MONTHS))
    planned = order(id="one", **given)
    found_order = Orders([planned], paid_payees([found])).find(found)
    assert found_order == (planned if is_planned else None)


@pytest.mark.parametrize(
    ("amounts", "before", "day"),
    [
        ([-999, -999, -999, -999, -1299, -1299], -999, "2025-05-05"),
        ([-1299, -1299, -999, -999, -999, -999], -1299, "2025-03-05"),
        # One payment alone can be an exception, and a bill differs each time.
        ([-999, -999, -999, -999, -999, -1299], None, None),
        ([-999, -999, -1299, -999, -999, -999], None, None),
        ([-1000, -1100, -1050, -1150, -1000, -1070], None, None),
        ([-1000, -1001, -1002, -1003, -1004, -1005], None, None),
    ],
)
def test_a_changed_price_is_told_from_amounts_that_differ(amounts, before, day):
    found = found_in(series(MONTHS, amounts))
    changed = None if found.changed is None else date_text(found.changed)
    assert (found.earlier_amount, changed, found.last_amount) == (before, day, amounts[-1])


def test_an_interval_has_a_name_and_makes_a_yearly_amount():
    assert [each.name for each in INTERVALS] == [
        *("week", "2 weeks", "4 weeks", "30 days"),
        *("month", "2 months", "3 months", "6 months", "year"),
    ]
    assert [each.times_a_year for each in INTERVALS] == [52, 26, 13, 12, 12, 6, 4, 2, 1]
    assert found_in(series(MONTHS)).yearly == -999 * 12


@pytest.mark.parametrize(("purchases", "number"), [(390, 1), (400, 0)])
def test_a_membership_is_told_from_purchases_unless_there_are_too_many(purchases, number):
    start = parse_date("2025-01-01")
    days = [date_text(start + n * DAY_SECONDS) for n in range(purchases)]
    others = series(days, [-3000 - 7 * n for n in range(purchases)], payee="Streaming")
    assert len(find_recurring(series(MONTHS) + others)) == number


def fits(payment, order, payments):
    """Whether an order fits one of the payments."""
    if order["accountId"] not in (None, payment.account_id):
        return False
    amount = order["amount"]
    if amount is not None and amount * payment.amount < 0:
        return False
    payees = {payee_key(order[name] or "") for name in ("name", "payee")}
    if payee_key(payment.payee) in payees:
        is_near = amount is None or abs(amount - payment.amount) <= 0.35 * abs(payment.amount)
        return is_near or abs(payment.least) <= abs(amount) <= abs(payment.most)
    if amount is None or abs(amount - payment.amount) > 0.06 * abs(payment.amount):
        return False
    if any(
        payee_key(each.payee) in payees and order["accountId"] in (None, each.account_id)
        for each in payments
    ):
        return False
    shift = payment.interval.tolerance * DAY_SECONDS
    due = next_due(order["recurrenceRule"], order["startDate"], payment.next - shift)
    return due is not None and due <= payment.next + shift


def some_payments(choose, number):
    """Return monthly payments of several payees, accounts, amounts and days."""
    return find_recurring(
        Payment(
            f"{payee:03}{month:02}",
            f"account {choose.randrange(2)}" if month == 1 else f"account {payee % 2}",
            "EUR",
            f"payee {chr(97 + payee % 26)}{chr(97 + payee // 26)}",
            None,
            from_date(date(2026, month, 1 + payee % 28)),
            choose.choice([-1, 1]) * 1_000 if month == 1 else -1_000 - payee % 9 * 20,
        )
        for payee in range(number)
        for month in range(1, 10)
    )


def some_orders(choose, number):
    return [
        {
            "id": f"{n:04}",
            "accountId": choose.choice([None, "account 0", "account 1"]),
            "name": choose.choice([None, "", f"payee {chr(97 + choose.randrange(26))}a"]),
            "payee": choose.choice([None, f"Payee {chr(97 + choose.randrange(26))}b 12"]),
            "amount": choose.choice([None, 1_000, *range(-1_300, -900, 20)]),
            "recurrenceRule": choose.choice([None, "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=DAILY"]),
            "startDate": choose.choice([None, from_date(date(2026, 10, 1 + n % 28))]),
        }
        for n in range(number)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_a_payment_is_the_first_that_fits(seed):
    choose = random.Random(seed)
    payments, orders = some_payments(choose, 30), some_orders(choose, 25)
    assert len(payments) > 10
    index = Orders(orders, paid_payees(payments))
    assert [index.find(each) for each in payments] == [
        next((order for order in orders if fits(each, order, payments)), None) for each in payments
    ]
    taken = [order for order in orders if choose.random() < 0.5]
    for order in taken:
        index.take(order)
    free = [order for order in orders if order not in taken]
    assert [index.find(each) for each in payments] == [
        next((order for order in free if fits(each, order, payments)), None) for each in payments
    ]


@pytest.mark.parametrize("due", [1, 20])
def test_orders_are_found_in_steps_that_grow_as_payments_and_orders_do(monkeypatch, due):
    """due: the day of the month of the orders; the payments are due on the first days."""
    steps = []
    monkeypatch.setattr(f"{ORDERS}.in_time", lambda items: (steps.append(1) or x for x in items))
    monkeypatch.setattr(f"{ORDERS}.next_due", lambda *day: steps.append(1) or next_due(*day))
    numbers = []
    for size in (200, 400):
        payments = find_recurring(
            Payment(
                f"{payee:03}{month:02}",
                "a",
                "EUR",
                f"{'x' * payee} shop",
                None,
                from_date(date(2026, month, 1)),
                -1_000,
            )
            for payee in range(1, size + 1)
            for month in range(1, 10)
        )
        rule = f"FREQ=MONTHLY;BYMONTHDAY={due}"
        orders = [
            {
                "id": f"{n}",
                "accountId": "a",
                "name": f"{'y' * n} rent",
                "payee": None,
                "amount": -1_000,
                "recurrenceRule": rule,
                "startDate": from_date(date(2020, 1, 1)),
            }
            for n in range(size)
        ]
        steps.clear()
        paired = own_orders(payments, orders, paid_payees(payments), payments[0].next)
        assert len({each["id"] for each in paired.values() if each}) in (0, size)
        numbers.append(len(steps))
    assert len(payments) == 400
    assert numbers[1] <= 2.3 * numbers[0]


@pytest.mark.parametrize("rule", [None, "FREQ=MONTHLY;COUNT=3", "FREQ=HOURLY"])
def test_an_order_without_more_dates_belongs_to_a_payment_if_no_other_fits(rule):
    found = found_in(series(MONTHS))
    over = order(id="over", payee="Streaming", recurrenceRule=rule)
    live = order(id="live", payee="Streaming")
    for orders, expected in (([over], over), ([over, live], live), ([live, over], live)):
        assert own_orders([found], orders, paid_payees([found]), found.next) == {found: expected}


def test_what_months_make_of_a_day_is_computed_once_for_all_payees():
    """Each payment takes fewer than 88 lines of Python. With its own days it took 97."""
    days = [f"2025-{month:02}-20" for month in range(5, 13)]
    payments = [
        each
        for n in range(40)
        for each in series(days, payee=f"Payee {chr(97 + n // 10)}{chr(97 + n % 10)}")
    ]
    find_recurring(payments)
    lines, before = 0, sys.gettrace()

    def count_lines(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count_lines

    sys.settrace(count_lines)
    try:
        find_recurring(payments)
    finally:
        sys.settrace(before)
    assert lines < 88 * len(payments)
