"""When standing orders are due. Tests count the computed dates instead of measuring time."""

from datetime import date, timedelta

import pytest

from finance_api.planning import upcoming
from finance_api.planning.recurrence import Schedule
from finance_api.planning.upcoming import DueDays, TooManyDueDays
from finance_api.values.time import DAY_SECONDS, from_date

TODAY = from_date(date(2026, 3, 18))
ORDERS = 500


def order(number, rule, start):
    return {
        "id": f"{number:04}",
        "recurrenceRule": rule,
        "startDate": from_date(start),
        "amount": 10,
        "currencyCode": "EUR",
    }


def by_id(day, row):
    return row["id"]


@pytest.fixture
def worked_out(monkeypatch):
    """Collects the days that rules yield."""
    found = []
    days = Schedule.days

    def noted(schedule, end):
        for day in days(schedule, end):
            found.append(day)
            yield day

    monkeypatch.setattr(Schedule, "days", noted)
    return found


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=MONTHLY"])
def test_standing_orders_with_the_same_days_share_them(worked_out, rule):
    starts = [date(2020, 1, 5) + timedelta(days=7 * 4 * n) for n in range(ORDERS // 10)]
    orders = [order(n, rule, starts[n % len(starts)]) for n in range(ORDERS)]
    due = DueDays(orders, TODAY, TODAY + 366 * DAY_SECONDS)
    page = due.page(1, 3, by_id)
    assert len(page) == 1
    assert due.number > ORDERS * 11
    (total,) = due.totals()
    assert (total["currencyCode"], total["income"]) == ("EUR", 10 * due.number)
    assert len(worked_out) <= due.number // 10


def test_pages_in_both_directions_are_parts_of_the_whole():
    rules = ["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=DAILY;COUNT=9", None]
    orders = [order(n, rules[n % 5], date(2026, 3, 1 + n)) for n in range(30)]
    due = DueDays(orders, TODAY, TODAY + 40 * DAY_SECONDS)
    whole = due.page(10_000, 0, by_id)
    assert len(whole) == due.number
    assert whole == sorted(whole, key=lambda each: (each[0], each[1]["id"]))
    last = due.page(10_000, 0, by_id, newest_first=True)
    assert last == sorted(whole, key=lambda each: (-each[0], each[1]["id"]))
    for start in range(0, due.number, 7):
        assert due.page(7, start, by_id) == whole[start : start + 7]
    assert due.page(7, due.number, by_id) == []


def test_no_more_days_are_worked_out_than_a_request_may_have(worked_out, monkeypatch):
    monkeypatch.setattr(upcoming, "MAX_DUE_DAYS", 100)
    orders = [order(n, f"FREQ=DAILY;INTERVAL={n}", date(2026, 3, 18)) for n in range(1, 50)]
    with pytest.raises(TooManyDueDays, match="more than 100 days"):
        DueDays(orders, TODAY, TODAY + 90 * DAY_SECONDS)
    assert len(worked_out) <= 102
