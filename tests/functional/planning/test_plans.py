"""Goals and standing orders: what is worked out of them at request time."""

import pytest

from support.native_rows import account, goal, standing_order, uid

RULES = [
    # rule, start, expected on 2026-03-18 (a Wednesday)
    ("FREQ=DAILY", "2020-01-01", "2026-03-18"),
    ("FREQ=DAILY;INTERVAL=2", "2026-03-17", "2026-03-19"),
    ("FREQ=DAILY", "2026-03-18", "2026-03-18"),
    ("FREQ=DAILY", "2026-05-01", "2026-05-01"),
    ("FREQ=WEEKLY", "2026-03-04", "2026-03-18"),
    ("FREQ=WEEKLY", "2026-03-05", "2026-03-19"),
    ("FREQ=WEEKLY;INTERVAL=2", "2026-03-05", "2026-03-19"),
    ("FREQ=WEEKLY;INTERVAL=2", "2026-03-12", "2026-03-26"),
    ("FREQ=WEEKLY;BYDAY=MO,FR", "2026-03-02", "2026-03-20"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "1997-08-05", "2026-03-22"),
    ("FREQ=MONTHLY", "2026-01-17", "2026-04-17"),
    ("FREQ=MONTHLY", "2026-01-31", "2026-03-31"),
    ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-01-01", "2026-04-01"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", "2026-03-31"),
    ("FREQ=MONTHLY;BYDAY=3WE", "2026-01-21", "2026-03-18"),
    ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-01-30", "2026-03-31"),
    ("FREQ=MONTHLY;INTERVAL=3", "2025-12-20", "2026-03-20"),
    ("FREQ=YEARLY", "2019-03-18", "2026-03-18"),
    ("FREQ=YEARLY", "2019-03-17", "2027-03-17"),
    ("FREQ=YEARLY", "2024-02-29", "2028-02-29"),
    ("FREQ=YEARLY;BYMONTH=6,12;BYMONTHDAY=15", "2025-06-15", "2026-06-15"),
    ("FREQ=DAILY;COUNT=3", "2026-03-16", "2026-03-18"),
    ("FREQ=DAILY;COUNT=2", "2026-03-16", None),
    ("FREQ=MONTHLY;COUNT=2", "2026-02-20", "2026-03-20"),
    ("FREQ=WEEKLY;UNTIL=20260318", "2026-03-04", "2026-03-18"),
    ("FREQ=WEEKLY;UNTIL=20260317", "2026-03-04", None),
    ("FREQ=WEEKLY;UNTIL=20260318T235959Z", "2026-03-04", "2026-03-18"),
    ("FREQ=MONTHLY;UNTIL=20260401T000000Z", "2026-01-01", "2026-04-01"),
]


@pytest.mark.parametrize(("rule", "start", "expected"), RULES)
def test_the_next_due_date_is_the_first_occurrence_from_today_on(client, rule, start, expected):
    client.load(standing_order(recurrenceRule=rule, startDate=start))
    assert client.names("standing-orders", "nextDueDate") == [expected]
    assert client.names("standing-orders", "recurrenceRule") == [rule]


@pytest.mark.parametrize(
    ("rule", "start", "expected"),
    [
        ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-03-20", "2026-03-20"),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-03-18", "2026-03-18"),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-03-17", "2026-03-23"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=1", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=3", "2026-02-10", "2026-04-01"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=2", "2026-02-10", None),
    ],
)
def test_the_start_counts_though_the_rule_does_not_give_it(client, rule, start, expected):
    """RFC 5545, section 3.3.10: DTSTART always counts as the first occurrence."""
    client.load(standing_order(recurrenceRule=rule, startDate=start))
    assert client.names("standing-orders", "nextDueDate") == [expected]


def test_without_a_rule_the_start_is_the_only_occurrence(client):
    client.load(
        standing_order(1, startDate="2026-03-18"),
        standing_order(2, startDate="2026-03-17"),
        standing_order(3, startDate=None),
    )
    found = client.names("standing-orders", "nextDueDate", sortBy="id")
    assert found == ["2026-03-18", None, None]


def test_the_next_due_date_moves_with_the_day(client):
    client.load(standing_order(recurrenceRule="FREQ=WEEKLY;COUNT=2", startDate="2026-03-18"))
    for now, expected in (
        ("2026-03-01T00:00:00Z", "2026-03-18"),
        ("2026-03-18T23:59:59Z", "2026-03-18"),
        ("2026-03-19T00:00:00Z", "2026-03-25"),
        ("2026-03-26T00:00:00Z", None),
    ):
        client.service.clock.set(now)
        assert client.names("standing-orders", "nextDueDate") == [expected]


def test_the_ends_of_the_calendar_have_due_dates_too(client):
    client.load(
        standing_order(1, recurrenceRule="FREQ=YEARLY", startDate="1900-01-01"),
        standing_order(2, recurrenceRule="FREQ=DAILY", startDate="9999-12-31"),
        standing_order(3, recurrenceRule="FREQ=YEARLY;INTERVAL=1000", startDate="9999-12-31"),
        standing_order(4, recurrenceRule="FREQ=DAILY;INTERVAL=1000", startDate="1900-01-01"),
    )
    found = client.names("standing-orders", "nextDueDate", sortBy="id")
    assert found[:3] == ["2027-01-01", "9999-12-31", "9999-12-31"]


def test_standing_orders_are_ordered_by_their_next_due_date(client):
    client.load(
        standing_order(1, recurrenceRule="FREQ=MONTHLY", startDate="2026-01-20"),
        standing_order(2, recurrenceRule="FREQ=DAILY;COUNT=1", startDate="2026-01-01"),
        standing_order(3, recurrenceRule="FREQ=MONTHLY", startDate="2026-01-19"),
        standing_order(4, recurrenceRule="FREQ=YEARLY", startDate="2026-01-19"),
    )

    def order(sort, **query):
        found = client.names("standing-orders", "id", sortBy=sort, **query)
        return [int(i[-12:], 16) for i in found]

    assert order("nextDueDate") == [3, 1, 4, 2]
    assert order("-nextDueDate") == [4, 1, 3, 2]
    assert order("-nextDueDate", limit=2, offset=1) == [1, 3]
    assert client.get("standing-orders", nextDueDate="gte.2026-01-01").status_int == 400


def test_a_standing_order_is_income_or_expense(client):
    client.load(
        account(),
        standing_order(1, type="expense", amount=-850, currencyCode="EUR"),
        standing_order(2, type="income", amount=2000, accountId=uid("Account", 1)),
    )
    assert client.names("standing-orders", "type", sortBy="id") == ["expense", "income"]
    assert client.names("standing-orders", "amount", type="eq.income") == [2000]


@pytest.mark.parametrize(
    ("saved", "target", "progress"),
    [
        (300, 1200, "0.25"),
        (1, 3, "0.3333"),
        (2, 3, "0.6667"),
        (0, 5, "0"),
        (15, 10, "1.5"),
        (5, 0, "null"),
        (5, None, "null"),
        (None, 100, "0"),
        (-1, 4, "-0.25"),
        (900719925474099, 0.0001, "9007199254740990000"),
    ],
)
def test_a_goal_s_progress_is_what_is_saved_of_the_target(client, saved, target, progress):
    client.load(goal(savedAmount=saved, targetAmount=target))
    text = client.get("goals").text.replace(" ", "")
    assert f'"progress":{progress},' in text


def test_goals_are_ordered_by_progress(client):
    amounts = [(1, 2), (3, 4), (1, None), (1, 4), (1, 0), (2, 4)]
    client.load(*(goal(n, savedAmount=s, targetAmount=t) for n, (s, t) in enumerate(amounts, 1)))

    def order(sort, **query):
        return [int(i[-12:], 16) for i in client.names("goals", "id", sortBy=sort, **query)]

    assert order("progress") == [4, 1, 6, 2, 3, 5]
    assert order("-progress") == [2, 1, 6, 4, 3, 5]
    assert order("progress", targetAmount="eq.4", limit=2) == [4, 6]
    assert order("-progress,-id", offset=1, limit=2) == [6, 1]
    assert client.get("goals", progress="gt.0").status_int == 400
